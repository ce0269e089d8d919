// Leaves with runs along diagonals: a run of six entries or more is its first position and its length.
//
//   | runs, others (2 bytes each) | rows[q] | columns[q] of the others | first row, first column, length - 1 [runs] |
//   | values of the others [q] | values of the runs |          everything ascends by diagonals; values at 16 bytes
//
// Counted in bytes as a coordinate list or a dense leaf where that is smaller, as the library does.
#pragma once

#include <bench/leaves/coordinate_list.hpp>
#include <bit>

namespace copse::bench::leaves {

inline constexpr int fewest_in_run = 6;

/// The positions of one diagonal: bit r is row r.
__extension__ typedef unsigned __int128 diagonal_bits;

inline int lowest(diagonal_bits b) {
    auto const low = static_cast<std::uint64_t>(b);
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(b >> 64));
}
inline diagonal_bits ones(int count) {
    return count >= 128 ? ~diagonal_bits{0} : (diagonal_bits{1} << count) - 1;
}
inline diagonal_bits of_words(std::uint64_t const* words) {
    return static_cast<diagonal_bits>(words[1]) << 64 | words[0];
}

inline int count_bits(diagonal_bits b) {
    return std::popcount(static_cast<std::uint64_t>(b)) + std::popcount(static_cast<std::uint64_t>(b >> 64));
}

/// f(members of runs) for both parts of a diagonal, above and below the main one, as far as they have runs.
template <class F>
void for_each_part_with_runs(diagonal_bits all, int diagonal, F f) {
    static_assert(fewest_in_run == 6);
    if (all == 0) return;
    diagonal_bits const above = ones(dimension - diagonal);
    for (diagonal_bits part : {all & above, all & ~above}) {
        diagonal_bits const two = part & part >> 1;
        diagonal_bits const six = two & two >> 2 & two >> 4;  // where six begin
        if (six == 0) continue;
        diagonal_bits const pairs = six | six << 1;
        f(pairs | pairs << 2 | pairs << 4);
    }
}

/// f(first row, length) for each run among the members of one part.
template <class F>
void for_each_run(diagonal_bits members, F f) {
    while (members != 0) {
        int const first = lowest(members);
        diagonal_bits const gaps = ~(members >> first);
        int const length = gaps == 0 ? 128 : lowest(gaps);
        f(first, length);
        members &= ~(ones(length) << first);
    }
}

template <class T>
struct runs_or_csr;

template <class T>
struct runs {
    using value_type = T;
    static constexpr char const* name = "runs along diagonals";

    struct counts {
        int runs = 0;
        int in_runs = 0;
    };

    /// What the library makes of these entries.
    static detail::leaf_shape shape(std::span<entry const> all, std::int64_t value_bytes) {
        counts const c = count_runs(all);
        return detail::smallest_leaf(static_cast<std::int64_t>(all.size()), c.runs, c.in_runs, dimension, value_bytes);
    }
    static std::int64_t bytes(std::span<entry const> all) {
        return detail::leaf_bytes(shape(all, sizeof(T)), dimension, sizeof(T));
    }
    /// As it is stored here.
    static std::int64_t room(std::span<entry const> all) {
        counts const c = count_runs(all);
        return bytes_of(static_cast<std::int64_t>(all.size()), c.runs, c.in_runs);
    }
    /// Of any n entries, at most.
    static std::int64_t most_room(std::int64_t n) { return 64 + detail::list_leaf::list_bytes(n, sizeof(T)); }

    static void write(std::span<entry const> all, std::byte* memory) {
        workspace<T>& w = scratch();
        std::memset(w.bits, 0, sizeof w.bits);
        for (entry const& e : all) set(w.bits, by_diagonals::key(e.row, e.column));
        parts const p = lay_out(w, memory, static_cast<int>(all.size()), count(w.bits));
        for (entry const& e : all) place(w, p, by_diagonals::key(e.row, e.column)) += static_cast<T>(e.value);
    }

    static void multiply(std::byte const* memory, int n, T const* x, T* y) {
        parts const p(const_cast<std::byte*>(memory), n);
        product(p, p.rows, p.columns, p.first_rows, p.first_columns, x, y);
    }
    static void multiply_transposed(std::byte const* memory, int n, T const* x, T* y) {
        parts const p(const_cast<std::byte*>(memory), n);
        product(p, p.columns, p.rows, p.first_columns, p.first_rows, x, y);
    }
    template <class F>
    static void visit(std::byte const* memory, int n, F f) {
        parts const p(const_cast<std::byte*>(memory), n);
        for (int i = 0; i < p.others; ++i) f(p.rows[i], p.columns[i], p.values[i]);
        T const* value = p.run_values;
        for (int k = 0; k < p.run_count; ++k)
            for (int i = 0; i <= p.last[k]; ++i) f(p.first_rows[k] + i, p.first_columns[k] + i, *value++);
    }

    /// A set of positions, and the number of members before each: neither side is sorted. A run lies within a run of
    /// the union, so its values are added side by side.
    static united unite(std::byte const* a, int na, std::byte const* b, int nb, bool transpose_b, std::byte* out,
                        workspace<T>& w) {
        parts const pa(const_cast<std::byte*>(a), na);
        parts pb(const_cast<std::byte*>(b), nb);
        if (transpose_b) {
            std::swap(pb.rows, pb.columns);
            std::swap(pb.first_rows, pb.first_columns);
        }
        std::memset(w.bits, 0, sizeof w.bits);
        insert(w, pa);
        insert(w, pb);
        int n = 0;
        for (std::uint64_t word : w.bits) n += std::popcount(word);
        parts const result = lay_out(w, out, n, count(w.bits));
        add(w, result, pa);
        add(w, result, pb);
        return {n, bytes_of(n, result.run_count, n - result.others)};
    }

  private:
    friend struct runs_or_csr<T>;

    static std::int64_t bytes_of(std::int64_t entries, int runs, std::int64_t in_runs) {
        return detail::run_leaf::bytes(detail::run_leaf::shape(entries, runs, in_runs), dimension, sizeof(T));
    }

    struct parts {
        std::uint8_t *rows, *columns, *first_rows, *first_columns, *last;
        T *values, *run_values;
        int run_count, others;

        parts(std::byte* memory, int) : parts(memory, header(memory)[0], header(memory)[1]) {}
        parts(std::byte* memory, std::uint16_t more_runs, std::uint16_t more_others)
            : run_count(more_runs), others(more_others) {
            auto const q = detail::padded_entries(others);
            rows = reinterpret_cast<std::uint8_t*>(memory + 4);
            columns = rows + q;
            first_rows = columns + q;
            first_columns = first_rows + run_count;
            last = first_columns + run_count;
            values = reinterpret_cast<T*>(memory + detail::run_leaf::values_offset(run_count, others));
            run_values = values + q;
        }
        static std::uint16_t* header(std::byte* memory) { return reinterpret_cast<std::uint16_t*>(memory); }
    };

    static workspace<T>& scratch() {
        static workspace<T> one;
        return one;
    }
    static void set(std::uint64_t* bits, int key) { bits[key / 64] |= std::uint64_t{1} << (key % 64); }
    static counts count_runs(std::span<entry const> all) {
        std::uint64_t bits[2 * dimension]{};
        for (entry const& e : all) set(bits, by_diagonals::key(e.row, e.column));
        return count(bits);
    }
    static counts count(std::uint64_t const* bits) {
        counts c;
        for (int d = 0; d < dimension; ++d)
            for_each_part_with_runs(of_words(bits + 2 * d), d, [&](diagonal_bits members) {
                c.runs += count_bits(members & ~(members << 1));
                c.in_runs += count_bits(members);
            });
        return c;
    }
    static void insert(workspace<T>& w, parts const& p) {
        for (int i = 0; i < p.others; ++i) set(w.bits, by_diagonals::key(p.rows[i], p.columns[i]));
        for (int k = 0; k < p.run_count; ++k) {
            int const key = by_diagonals::key(p.first_rows[k], p.first_columns[k]);
            diagonal_bits const run = ones(p.last[k] + 1) << (key % dimension);
            w.bits[key / dimension * 2] |= static_cast<std::uint64_t>(run);
            w.bits[key / dimension * 2 + 1] |= static_cast<std::uint64_t>(run >> 64);
        }
    }
    /// Everything but the values, which become zero; prepares place(): keys_a and keys_b are the numbers of entries in
    /// runs, and of others, before each word.
    static parts lay_out(workspace<T>& w, std::byte* memory, int n, counts c) {
        parts::header(memory)[0] = static_cast<std::uint16_t>(c.runs);
        parts::header(memory)[1] = static_cast<std::uint16_t>(n - c.in_runs);
        parts const p(memory, n);
        int run = 0, in_runs = 0, others = 0;
        for (int d = 0; d < dimension; ++d) {
            diagonal_bits members = 0;
            for_each_part_with_runs(of_words(w.bits + 2 * d), d, [&](diagonal_bits part) {
                members |= part;
                for_each_run(part, [&](int first, int length) {
                    p.first_rows[run] = static_cast<std::uint8_t>(first);
                    p.first_columns[run] = static_cast<std::uint8_t>((first + d) & position_mask);
                    p.last[run++] = static_cast<std::uint8_t>(length - 1);
                });
            });
            for (int half = 0; half < 2; ++half) {
                int const word = 2 * d + half;
                w.in_runs[word] = static_cast<std::uint64_t>(members >> (64 * half));
                w.keys_a[word] = static_cast<std::uint16_t>(in_runs);
                w.keys_b[word] = static_cast<std::uint16_t>(others);
                in_runs += std::popcount(w.in_runs[word]);
                for (std::uint64_t rest = w.bits[word] & ~w.in_runs[word]; rest != 0; rest &= rest - 1) {
                    int const key = 64 * word + std::countr_zero(rest);
                    p.rows[others] = static_cast<std::uint8_t>(by_diagonals::row(key));
                    p.columns[others++] = static_cast<std::uint8_t>(by_diagonals::column(key));
                }
            }
        }
        std::fill(p.values, p.run_values + c.in_runs, T(0));
        return p;
    }
    static T& place(workspace<T> const& w, parts const& p, int key) {
        int const word = key / 64;
        std::uint64_t const below = (std::uint64_t{1} << (key % 64)) - 1;
        std::uint64_t const in_runs = w.in_runs[word];
        if ((in_runs >> (key % 64) & 1) != 0) return p.run_values[w.keys_a[word] + std::popcount(in_runs & below)];
        return p.values[w.keys_b[word] + std::popcount(w.bits[word] & ~in_runs & below)];
    }
    static void add(workspace<T> const& w, parts const& result, parts const& p) {
        for (int i = 0; i < p.others; ++i) place(w, result, by_diagonals::key(p.rows[i], p.columns[i])) += p.values[i];
        T const* value = p.run_values;
        for (int k = 0; k < p.run_count; ++k) {
            T* const to = &place(w, result, by_diagonals::key(p.first_rows[k], p.first_columns[k]));
            for (int i = 0; i <= p.last[k]; ++i) to[i] += value[i];
            value += p.last[k] + 1;
        }
    }
    static void product(parts const& p, std::uint8_t const* rows, std::uint8_t const* columns,
                        std::uint8_t const* first_rows, std::uint8_t const* first_columns, T const* x, T* y) {
        for (int i = 0; i < p.others; ++i) y[rows[i]] += p.values[i] * x[columns[i]];
        T const* value = p.run_values;
        for (int k = 0; k < p.run_count; ++k) {
            T const* const from = x + first_columns[k];
            T* const to = y + first_rows[k];
            int const length = p.last[k] + 1;
            for (int i = 0; i < length; ++i) to[i] += value[i] * from[i];
            value += length;
        }
    }
};

}  // namespace copse::bench::leaves
