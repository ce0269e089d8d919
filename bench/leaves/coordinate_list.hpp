// Leaves as coordinate lists in several orders.
//
//   | values[p] | rows[p] | columns[p] |      p: the count, rounded up to a multiple of 4
#pragma once

#include <bench/leaves/leaf_list.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <cstring>
#include <type_traits>

namespace copse::bench::leaves {

/// Where a union is made before its size is known.
template <class T>
struct workspace {
    std::uint16_t keys_a[dimension * dimension], keys_b[dimension * dimension];
    T values_b[dimension * dimension];
    std::uint8_t rows[dimension * dimension], columns[dimension * dimension];
    std::uint64_t bits[2 * dimension], in_runs[2 * dimension];
    int starts[dimension + 1];
};

struct row_major {
    static constexpr char const* name = "coordinates, row-major";
    static int key(int row, int column) { return row << dimension_log2 | column; }
    static int row(int key) { return key >> dimension_log2; }
    static int column(int key) { return key & position_mask; }
};
struct column_major {
    static constexpr char const* name = "coordinates, column-major";
    static int key(int row, int column) { return column << dimension_log2 | row; }
    static int row(int key) { return key & position_mask; }
    static int column(int key) { return key >> dimension_log2; }
};
struct by_diagonals {
    static constexpr char const* name = "coordinates, by diagonals";
    static int key(int row, int column) { return ((column - row) & position_mask) << dimension_log2 | row; }
    static int row(int key) { return key & position_mask; }
    static int column(int key) { return (key + (key >> dimension_log2)) & position_mask; }
};

struct united {
    int count;
    std::int64_t bytes;
};

template <class Order, class T>
struct coordinate_list {
    using value_type = T;
    static constexpr char const* name = Order::name;

    static std::int64_t bytes(std::span<entry const> all) { return bytes(static_cast<std::int64_t>(all.size())); }
    static std::int64_t bytes(std::int64_t n) { return detail::list_leaf::list_bytes(n, sizeof(T)); }

    static void write(std::span<entry const> all, std::byte* memory) {
        std::vector<entry> sorted(all.begin(), all.end());
        std::sort(sorted.begin(), sorted.end(), [](entry const& x, entry const& y) {
            return Order::key(x.row, x.column) < Order::key(y.row, y.column);
        });
        parts const p(memory, static_cast<int>(all.size()));
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            p.values[i] = static_cast<T>(sorted[i].value);
            p.rows[i] = sorted[i].row;
            p.columns[i] = sorted[i].column;
        }
    }

    static void multiply(std::byte const* memory, int n, T const* x, T* y) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int i = 0; i < n; ++i) y[p.rows[i]] += p.values[i] * x[p.columns[i]];
    }
    static void multiply_transposed(std::byte const* memory, int n, T const* x, T* y) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int i = 0; i < n; ++i) y[p.columns[i]] += p.values[i] * x[p.rows[i]];
    }
    template <class F>
    static void visit(std::byte const* memory, int n, F f) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int i = 0; i < n; ++i) f(p.rows[i], p.columns[i], p.values[i]);
    }

    /// A merge of two sorted lists; a transposed one is sorted by counting, or, by diagonals, read in another order.
    static united unite(std::byte const* a, int na, std::byte const* b, int nb, bool transpose_b, std::byte* out,
                        workspace<T>& w) {
        parts const pa(const_cast<std::byte*>(a), na), pb(const_cast<std::byte*>(b), nb);
        for (int i = 0; i < na; ++i) w.keys_a[i] = static_cast<std::uint16_t>(Order::key(pa.rows[i], pa.columns[i]));
        T const* values_b = pb.values;
        if (transpose_b) {
            flip(pb, nb, w);
            values_b = w.values_b;
        } else {
            for (int i = 0; i < nb; ++i)
                w.keys_b[i] = static_cast<std::uint16_t>(Order::key(pb.rows[i], pb.columns[i]));
        }
        auto* const sums = reinterpret_cast<T*>(out);
        int n = 0;
        auto const put = [&](int key, T value) {
            sums[n] = value;
            w.rows[n] = static_cast<std::uint8_t>(Order::row(key));
            w.columns[n++] = static_cast<std::uint8_t>(Order::column(key));
        };
        int i = 0, j = 0;
        while (i < na && j < nb) {
            int const ka = w.keys_a[i], kb = w.keys_b[j];
            put(std::min(ka, kb), (ka <= kb ? pa.values[i] : 0) + (kb <= ka ? values_b[j] : 0));
            i += ka <= kb;
            j += kb <= ka;
        }
        for (; i < na; ++i) put(w.keys_a[i], pa.values[i]);
        for (; j < nb; ++j) put(w.keys_b[j], values_b[j]);
        parts const result(out, n);
        std::memcpy(result.rows, w.rows, static_cast<std::size_t>(n));
        std::memcpy(result.columns, w.columns, static_cast<std::size_t>(n));
        return {n, bytes(n)};
    }

  private:
    struct parts {
        T* values;
        std::uint8_t* rows;
        std::uint8_t* columns;

        parts(std::byte* memory, int n)
            : values(reinterpret_cast<T*>(memory)),
              rows(reinterpret_cast<std::uint8_t*>(values + detail::padded_entries(n))),
              columns(rows + detail::padded_entries(n)) {}
    };

    /// keys_b, values_b: B^T in order. A digit of the key decides; a stable sort by it alone suffices, because entries
    /// with the same digit stand in the right order already (by diagonals: up to a rotation).
    static void flip(parts const& p, int n, workspace<T>& w) {
        auto const key = [&](int i) { return Order::key(p.columns[i], p.rows[i]); };
        if constexpr (std::is_same_v<Order, by_diagonals>) {
            int end = n, to = 0;
            while (to < n && Order::key(p.rows[to], p.columns[to]) < dimension) ++to;  // the main diagonal stays first
            for (int i = 0; i < to; ++i) w.keys_b[i] = static_cast<std::uint16_t>(key(i)), w.values_b[i] = p.values[i];
            int const main = to;
            while (end > main) {
                int const diagonal = key(end - 1) >> dimension_log2;
                int first = end - 1, middle = end;
                while (first > main && key(first - 1) >> dimension_log2 == diagonal) --first;
                while (middle > first && p.columns[middle - 1] < p.rows[middle - 1]) --middle;
                for (int i = middle; i < end; ++i, ++to)
                    w.keys_b[to] = static_cast<std::uint16_t>(key(i)), w.values_b[to] = p.values[i];
                for (int i = first; i < middle; ++i, ++to)
                    w.keys_b[to] = static_cast<std::uint16_t>(key(i)), w.values_b[to] = p.values[i];
                end = first;
            }
        } else {
            std::memset(w.starts, 0, sizeof w.starts);
            for (int i = 0; i < n; ++i) ++w.starts[(key(i) >> dimension_log2) + 1];
            for (int d = 0; d < dimension; ++d) w.starts[d + 1] += w.starts[d];
            for (int i = 0; i < n; ++i) {
                int const to = w.starts[key(i) >> dimension_log2]++;
                w.keys_b[to] = static_cast<std::uint16_t>(key(i));
                w.values_b[to] = p.values[i];
            }
        }
    }
};

}  // namespace copse::bench::leaves
