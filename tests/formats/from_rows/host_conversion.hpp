// What the gpu executor does with a matrix, on the executors that work in host memory.
#pragma once

#include <bit>
#include <copse/formats/from_rows/tree_maker.hpp>
#include <formats/steps/steps_on.hpp>

namespace copse::tests {

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
auto converter_of(Executor& executor, detail::conversion_choices choices = {}) {
    return [&executor, choices](auto const& a, hisparse_options options) {
        return detail::convert_on(executor, host_steps(), entries_of(a),
                                  std::countr_zero(static_cast<unsigned>(options.node_dimension)), choices);
    };
}

}  // namespace copse::tests
