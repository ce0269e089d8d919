// Leaves as bitmaps: a bit for each position, values in the order of the bits.
//
//   | bits[d * d] | values[n] |
//
// Nothing here needs the number of entries before a position: products and unions go through all bits in order. Whoever
// looks for one entry needs 2 bytes more for each word of 64.
#pragma once

#include <bench/leaves/coordinate_list.hpp>

namespace copse::bench::leaves {

inline constexpr int bitmap_words = dimension * dimension / 64;

/// Order: row_major or by_diagonals.
template <class Order, class T>
struct bitmap {
    using value_type = T;
    static constexpr bool is_by_rows = std::is_same_v<Order, row_major>;
    static constexpr char const* name = is_by_rows ? "bitmap, row-major" : "bitmap, by diagonals";

    static std::int64_t bytes(std::span<entry const> all) { return bytes(static_cast<std::int64_t>(all.size())); }
    static std::int64_t bytes(std::int64_t n) {
        return detail::align_node(8 * bitmap_words + std::int64_t{sizeof(T)} * n);
    }

    static void write(std::span<entry const> all, std::byte* memory) {
        std::vector<entry> sorted(all.begin(), all.end());
        std::sort(sorted.begin(), sorted.end(), [](entry const& x, entry const& y) {
            return Order::key(x.row, x.column) < Order::key(y.row, y.column);
        });
        std::memset(memory, 0, 8 * bitmap_words);
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            int const key = Order::key(sorted[i].row, sorted[i].column);
            bits(memory)[key / 64] |= std::uint64_t{1} << (key % 64);
            values(memory)[i] = static_cast<T>(sorted[i].value);
        }
    }

    static void multiply(std::byte const* memory, int, T const* x, T* y) {
        T const* value = values(memory);
        if constexpr (is_by_rows) {
            for (int row = 0; row < dimension; ++row) {
                T sum = 0;
                for (int half = 0; half < 2; ++half)
                    for (std::uint64_t rest = bits(memory)[2 * row + half]; rest != 0; rest &= rest - 1)
                        sum += *value++ * x[64 * half + detail::lowest_bit(rest)];
                y[row] += sum;
            }
        } else {
            visit(memory, 0, [&](int row, int column, T v) { y[row] += v * x[column]; });
        }
    }
    static void multiply_transposed(std::byte const* memory, int, T const* x, T* y) {
        visit(memory, 0, [&](int row, int column, T v) { y[column] += v * x[row]; });
    }
    template <class F>
    static void visit(std::byte const* memory, int, F f) {
        T const* value = values(memory);
        for (int word = 0; word < bitmap_words; ++word)
            for (std::uint64_t rest = bits(memory)[word]; rest != 0; rest &= rest - 1) {
                int const key = 64 * word + detail::lowest_bit(rest);
                f(Order::row(key), Order::column(key), *value++);
            }
    }

    static united unite(std::byte const* a, int, std::byte const* b, int nb, bool transpose_b, std::byte* out,
                        workspace<T>& w) {
        std::uint64_t const* bits_b = bits(b);
        T const* value_b = values(b);
        if (transpose_b) {
            flip(b, nb, w);
            bits_b = w.bits;
            value_b = w.values_b;
        }
        T const* value_a = values(a);
        T* sum = values(out);
        for (int word = 0; word < bitmap_words; ++word) {
            std::uint64_t const of_a = bits(a)[word], of_b = bits_b[word];
            bits(out)[word] = of_a | of_b;
            for (std::uint64_t rest = of_a | of_b; rest != 0; rest &= rest - 1) {
                std::uint64_t const lowest = rest & -rest;
                bool const in_a = (of_a & lowest) != 0, in_b = (of_b & lowest) != 0;
                *sum++ = (in_a ? *value_a : 0) + (in_b ? *value_b : 0);
                value_a += in_a;
                value_b += in_b;
            }
        }
        auto const n = static_cast<int>(sum - values(out));
        return {n, bytes(n)};
    }

  private:
    static std::uint64_t* bits(std::byte* memory) { return reinterpret_cast<std::uint64_t*>(memory); }
    static std::uint64_t const* bits(std::byte const* memory) { return reinterpret_cast<std::uint64_t const*>(memory); }
    static T* values(std::byte* memory) { return reinterpret_cast<T*>(memory + 8 * bitmap_words); }
    static T const* values(std::byte const* memory) { return reinterpret_cast<T const*>(memory + 8 * bitmap_words); }

    /// B^T into w.bits and w.values_b. By rows: counted and scattered. By diagonals: each is another one, rotated.
    static void flip(std::byte const* b, int, workspace<T>& w) {
        if constexpr (is_by_rows) {
            std::memset(w.bits, 0, sizeof w.bits);
            std::memset(w.starts, 0, sizeof w.starts);
            visit(b, 0, [&](int row, int column, T) {
                ++w.starts[column + 1];
                w.bits[2 * column + row / 64] |= std::uint64_t{1} << (row % 64);
            });
            for (int d = 0; d < dimension; ++d) w.starts[d + 1] += w.starts[d];
            visit(b, 0, [&](int, int column, T v) { w.values_b[w.starts[column]++] = v; });
        } else {
            int before = 0;
            for (int d = 0; d < dimension; ++d) {
                w.starts[d] = before;
                before += detail::bit_count(bits(b)[2 * d]) + detail::bit_count(bits(b)[2 * d + 1]);
            }
            w.starts[dimension] = before;
            T* to = w.values_b;
            for (int d = 0; d < dimension; ++d) {
                int const from = -d & position_mask;
                std::uint64_t const low = bits(b)[2 * from], high = bits(b)[2 * from + 1];
                rotate(low, high, from, &w.bits[2 * d]);
                int const stay = dimension - from;  // rows below it move down, the others begin anew at row 0
                int const staying = stay >= 64 ? detail::bit_count(low) +
                                                     (stay == 64 ? 0 : detail::bit_count(high << (dimension - stay)))
                                               : detail::bit_count(low << (64 - stay));
                T const* const first = values(b) + w.starts[from];
                T const* const last = values(b) + w.starts[from + 1];
                to = std::copy(first + staying, last, to);
                to = std::copy(first, first + staying, to);
            }
        }
    }
    /// 128 bits, each to the place `by` further, modulo 128; 0 <= by < 128.
    static void rotate(std::uint64_t low, std::uint64_t high, int by, std::uint64_t* to) {
        if (by >= 64) std::swap(low, high);
        int const shift = by % 64;
        to[0] = shift == 0 ? low : low << shift | high >> (64 - shift);
        to[1] = shift == 0 ? high : high << shift | low >> (64 - shift);
    }
};

}  // namespace copse::bench::leaves
