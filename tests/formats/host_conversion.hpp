// What the gpu executor does with a matrix, on the executors that work in host memory. What conversion_run.hpp asks of
// the machine comes in the plainest way.
#pragma once

#include <algorithm>
#include <bit>
#include <copse/formats/conversion_run.hpp>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace copse::tests {

class host_primitives {
  public:
    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        for (std::int64_t i = 0; i < count; ++i) f(i);
    }

    void sort(detail::sort_arrays& arrays, std::int64_t count, int begin_bit, int end_bit) const {
        std::uint64_t const mask = ((std::uint64_t{1} << end_bit) - 1) >> begin_bit << begin_bit;
        std::vector<std::uint32_t> positions(static_cast<std::size_t>(count));
        std::iota(positions.begin(), positions.end(), 0u);
        std::stable_sort(positions.begin(), positions.end(), [&](std::uint32_t a, std::uint32_t b) {
            return (arrays.keys[a] & mask) < (arrays.keys[b] & mask);
        });
        for (std::size_t i = 0; i < positions.size(); ++i) {
            arrays.other_keys[i] = arrays.keys[positions[i]];
            arrays.other_order[i] = arrays.order[positions[i]];
        }
        std::swap(arrays.keys, arrays.other_keys);
        std::swap(arrays.order, arrays.other_order);
    }

    std::int64_t select_starts(std::uint64_t const* keys, std::int64_t count, int shift, std::uint32_t* to) const {
        std::int64_t found = 0;
        for (std::int64_t i = 0; i < count; ++i)
            if (i == 0 || keys[i] >> shift != keys[i - 1] >> shift) to[found++] = static_cast<std::uint32_t>(i);
        return found;
    }

    void sum_before(std::int64_t count, detail::sum_terms const& terms, std::uint64_t* to) const {
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            std::uint64_t const term = terms(i);
            to[i] = sum;
            sum += term;
        }
    }
};

template <class T>
detail::matrix_entries<T> entries_of(coo<T> const& a) {
    return {a.row_count, a.column_count, a.entry_count(), nullptr, a.rows.data(), a.columns.data(), a.values.data()};
}
template <class T>
detail::matrix_entries<T> entries_of(csr<T> const& a) {
    return {a.row_count, a.column_count,          a.entry_count(), a.row_offsets.data(),
            nullptr,     a.column_indices.data(), a.values.data()};
}

/// What the gpu executor does, on another.
template <class Executor>
auto converter_of(Executor& executor) {
    return [&](auto const& a, hisparse_options options) {
        return detail::convert_on(executor, host_primitives(), entries_of(a),
                                  std::countr_zero(static_cast<unsigned>(options.node_dimension)));
    };
}

}  // namespace copse::tests
