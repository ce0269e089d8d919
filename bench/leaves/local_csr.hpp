// Leaves as compressed rows of their own.
//
//   | values[p] | row offsets, 2 bytes [d + 1] | columns[n] |      p: the count, rounded up to a multiple of 4
#pragma once

#include <bench/leaves/coordinate_list.hpp>

namespace copse::bench::leaves {

template <class T>
struct runs_or_csr;

template <class T>
struct local_csr {
    using value_type = T;
    static constexpr char const* name = "local CSR";

    static std::int64_t bytes(std::span<entry const> all) { return bytes(static_cast<std::int64_t>(all.size())); }
    static std::int64_t bytes(std::int64_t n, std::int64_t value_bytes = sizeof(T)) {
        return detail::align_node(detail::padded_entries(n) * value_bytes + 2 * (dimension + 1) + n);
    }

    static void write(std::span<entry const> all, std::byte* memory) {
        parts const p(memory, static_cast<int>(all.size()));
        int row = 0;
        p.offsets[0] = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            while (row < all[i].row) p.offsets[++row] = static_cast<std::uint16_t>(i);
            p.values[i] = static_cast<T>(all[i].value);
            p.columns[i] = all[i].column;
        }
        while (row < dimension) p.offsets[++row] = static_cast<std::uint16_t>(all.size());
    }

    static void multiply(std::byte const* memory, int n, T const* x, T* y) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int row = 0; row < dimension; ++row) {
            T sum = 0;
            for (int i = p.offsets[row]; i < p.offsets[row + 1]; ++i) sum += p.values[i] * x[p.columns[i]];
            y[row] += sum;
        }
    }
    static void multiply_transposed(std::byte const* memory, int n, T const* x, T* y) {
        visit(memory, n, [&](int row, int column, T v) { y[column] += v * x[row]; });
    }
    template <class F>
    static void visit(std::byte const* memory, int n, F f) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int row = 0; row < dimension; ++row)
            for (int i = p.offsets[row]; i < p.offsets[row + 1]; ++i) f(row, p.columns[i], p.values[i]);
    }

    static united unite(std::byte const* a, int na, std::byte const* b, int nb, bool transpose_b, std::byte* out,
                        workspace<T>& w) {
        parts const pa(const_cast<std::byte*>(a), na), pb(const_cast<std::byte*>(b), nb);
        std::uint16_t offsets[dimension + 1];
        std::uint16_t const* offsets_b = pb.offsets;
        std::uint8_t const* columns_b = pb.columns;
        T const* values_b = pb.values;
        if (transpose_b) {
            flip(pb, nb, w, offsets);
            offsets_b = offsets;
            columns_b = w.rows;
            values_b = w.values_b;
        }
        auto* const sums = reinterpret_cast<T*>(out);
        std::uint16_t starts[dimension + 1];
        int n = 0;
        starts[0] = 0;
        for (int row = 0; row < dimension; ++row) {
            int i = pa.offsets[row], j = offsets_b[row];
            int const end_a = pa.offsets[row + 1], end_b = offsets_b[row + 1];
            while (i < end_a && j < end_b) {
                int const ca = pa.columns[i], cb = columns_b[j];
                w.columns[n] = static_cast<std::uint8_t>(std::min(ca, cb));
                sums[n++] = (ca <= cb ? pa.values[i] : 0) + (cb <= ca ? values_b[j] : 0);
                i += ca <= cb;
                j += cb <= ca;
            }
            for (; i < end_a; ++i) w.columns[n] = pa.columns[i], sums[n++] = pa.values[i];
            for (; j < end_b; ++j) w.columns[n] = columns_b[j], sums[n++] = values_b[j];
            starts[row + 1] = static_cast<std::uint16_t>(n);
        }
        parts const result(out, n);
        std::memcpy(result.offsets, starts, sizeof starts);
        std::memcpy(result.columns, w.columns, static_cast<std::size_t>(n));
        return {n, bytes(n)};
    }

  private:
    friend struct runs_or_csr<T>;

    struct parts {
        T* values;
        std::uint16_t* offsets;
        std::uint8_t* columns;

        parts(std::byte* memory, int n)
            : values(reinterpret_cast<T*>(memory)),
              offsets(reinterpret_cast<std::uint16_t*>(values + detail::padded_entries(n))),
              columns(reinterpret_cast<std::uint8_t*>(offsets + dimension + 1)) {}
    };

    /// B^T's offsets, its columns into w.rows, its values into w.values_b.
    static void flip(parts const& p, int n, workspace<T>& w, std::uint16_t* offsets) {
        std::memset(w.starts, 0, sizeof w.starts);
        for (int i = 0; i < n; ++i) ++w.starts[p.columns[i] + 1];
        for (int d = 0; d < dimension; ++d) w.starts[d + 1] += w.starts[d];
        for (int d = 0; d <= dimension; ++d) offsets[d] = static_cast<std::uint16_t>(w.starts[d]);
        for (int row = 0; row < dimension; ++row)
            for (int i = p.offsets[row]; i < p.offsets[row + 1]; ++i) {
                int const to = w.starts[p.columns[i]]++;
                w.rows[to] = static_cast<std::uint8_t>(row);
                w.values_b[to] = p.values[i];
            }
    }
};

}  // namespace copse::bench::leaves
