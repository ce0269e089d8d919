// Leaves of two kinds: as in runs.hpp, or as compressed rows where these take fewer bytes. What one kind more would
// cost.
//
//   | kind, 16 bytes | a leaf of that kind |      the kind, which the library has in its references, counts as no bytes
#pragma once

#include <bench/leaves/local_csr.hpp>
#include <bench/leaves/runs.hpp>

namespace copse::bench::leaves {

template <class T>
struct runs_or_csr {
    using value_type = T;
    static constexpr char const* name = "runs, or local CSR where smaller";

    static std::int64_t bytes(std::span<entry const> all) {
        return std::min(runs<T>::bytes(all), local_csr<T>::bytes(all));
    }
    static std::int64_t room(std::span<entry const> all) {
        return kind_bytes + (is_smaller_as_csr(all) ? local_csr<T>::bytes(all) : runs<T>::room(all));
    }
    static void write(std::span<entry const> all, std::byte* memory) {
        is_csr(memory) = is_smaller_as_csr(all);
        is_csr(memory) ? local_csr<T>::write(all, memory + kind_bytes) : runs<T>::write(all, memory + kind_bytes);
    }

    static void multiply(std::byte const* memory, int n, T const* x, T* y) {
        is_csr(memory) ? local_csr<T>::multiply(memory + kind_bytes, n, x, y)
                       : runs<T>::multiply(memory + kind_bytes, n, x, y);
    }
    static void multiply_transposed(std::byte const* memory, int n, T const* x, T* y) {
        is_csr(memory) ? local_csr<T>::multiply_transposed(memory + kind_bytes, n, x, y)
                       : runs<T>::multiply_transposed(memory + kind_bytes, n, x, y);
    }
    template <class F>
    static void visit(std::byte const* memory, int n, F f) {
        is_csr(memory) ? local_csr<T>::visit(memory + kind_bytes, n, f) : runs<T>::visit(memory + kind_bytes, n, f);
    }

    /// As in runs.hpp, by a set of positions; either kind may come in on either side, and come out.
    static united unite(std::byte const* a, int na, std::byte const* b, int nb, bool transpose_b, std::byte* out,
                        workspace<T>& w) {
        std::memset(w.bits, 0, sizeof w.bits);
        insert(w, a, na, false);
        insert(w, b, nb, transpose_b);
        int n = 0;
        for (std::uint64_t word : w.bits) n += std::popcount(word);
        typename runs<T>::counts const c = runs<T>::count(w.bits);
        is_csr(out) = local_csr<T>::bytes(n) < detail::leaf_bytes(shape(n, c), dimension, sizeof(T));
        if (is_csr(out)) {
            csr_sum const sum(w, out + kind_bytes, n);
            sum.add(a, na, false);
            sum.add(b, nb, transpose_b);
            return {n, kind_bytes + local_csr<T>::bytes(n)};
        }
        auto const result = runs<T>::lay_out(w, out + kind_bytes, n, c);
        add(w, result, a, na, false);
        add(w, result, b, nb, transpose_b);
        return {n, kind_bytes + runs<T>::bytes_of(n, c.runs, c.in_runs)};
    }

  private:
    static constexpr std::int64_t kind_bytes = 16;

    static bool& is_csr(std::byte* memory) { return *reinterpret_cast<bool*>(memory); }
    static bool is_csr(std::byte const* memory) { return *reinterpret_cast<bool const*>(memory); }
    static bool is_smaller_as_csr(std::span<entry const> all) { return local_csr<T>::bytes(all) < runs<T>::bytes(all); }
    static detail::leaf_shape shape(int n, typename runs<T>::counts c) {
        return detail::smallest_leaf(n, c.runs, c.in_runs, dimension, sizeof(T));
    }

    static typename runs<T>::parts runs_of(std::byte const* leaf, int n, bool transpose) {
        typename runs<T>::parts p(const_cast<std::byte*>(leaf) + kind_bytes, n);
        if (transpose) {
            std::swap(p.rows, p.columns);
            std::swap(p.first_rows, p.first_columns);
        }
        return p;
    }
    /// f(row, column, value) for the entries of compressed rows.
    template <class F>
    static void visit_csr(std::byte const* leaf, int n, bool transpose, F f) {
        if (transpose)
            local_csr<T>::visit(leaf + kind_bytes, n, [&](int row, int column, T v) { f(column, row, v); });
        else
            local_csr<T>::visit(leaf + kind_bytes, n, f);
    }
    static void insert(workspace<T>& w, std::byte const* leaf, int n, bool transpose) {
        if (is_csr(leaf))
            visit_csr(leaf, n, transpose,
                      [&](int row, int column, T) { runs<T>::set(w.bits, by_diagonals::key(row, column)); });
        else
            runs<T>::insert(w, runs_of(leaf, n, transpose));
    }
    static void add(workspace<T> const& w, typename runs<T>::parts const& result, std::byte const* leaf, int n,
                    bool transpose) {
        if (is_csr(leaf))
            visit_csr(leaf, n, transpose, [&](int row, int column, T v) {
                runs<T>::place(w, result, by_diagonals::key(row, column)) += v;
            });
        else
            runs<T>::add(w, result, runs_of(leaf, n, transpose));
    }

    /// A sum as compressed rows: the set turned to rows, and values placed by the members before them.
    class csr_sum {
      public:
        csr_sum(workspace<T> const& w, std::byte* memory, int n) : p_(memory, n) {
            for (int i = 0; i < 2 * dimension; ++i)
                for (std::uint64_t rest = w.bits[i]; rest != 0; rest &= rest - 1) {
                    int const key = 64 * i + std::countr_zero(rest);
                    int const column = by_diagonals::column(key);
                    bits_[2 * by_diagonals::row(key) + column / 64] |= std::uint64_t{1} << (column % 64);
                }
            int before = 0;
            for (int i = 0; i < 2 * dimension; ++i) {
                if (i % 2 == 0) p_.offsets[i / 2] = static_cast<std::uint16_t>(before);
                for (std::uint64_t rest = bits_[i]; rest != 0; rest &= rest - 1)
                    p_.columns[before++] = static_cast<std::uint8_t>(i % 2 * 64 + std::countr_zero(rest));
            }
            p_.offsets[dimension] = static_cast<std::uint16_t>(before);
            std::fill_n(p_.values, n, T(0));
        }
        void add(std::byte const* leaf, int n, bool transpose) const {
            auto const put = [&](int row, int column, T v) { place(row, column) += v; };
            if (is_csr(leaf)) return visit_csr(leaf, n, transpose, put);
            auto const p = runs_of(leaf, n, transpose);
            for (int i = 0; i < p.others; ++i) put(p.rows[i], p.columns[i], p.values[i]);
            T const* value = p.run_values;
            for (int k = 0; k < p.run_count; ++k)
                for (int i = 0; i <= p.last[k]; ++i) put(p.first_rows[k] + i, p.first_columns[k] + i, *value++);
        }

      private:
        T& place(int row, int column) const {
            std::uint64_t const* const of_row = bits_ + 2 * row;
            std::uint64_t const below = (std::uint64_t{1} << (column % 64)) - 1;
            int const in_front = column < 64 ? 0 : std::popcount(of_row[0]);
            return p_.values[p_.offsets[row] + in_front + std::popcount(of_row[column / 64] & below)];
        }

        typename local_csr<T>::parts p_;
        std::uint64_t bits_[2 * dimension]{};
    };
};

}  // namespace copse::bench::leaves
