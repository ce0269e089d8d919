// The steps by which a GPU converts to a flat format and back, taken by the host, in every form of the format: the rows
// come back. CMakeLists.txt registers it for every format of the list.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/flat/flat_makers.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <vector>

namespace copse::tests {

template <class Matrix>
void check_flat_steps() {
    if constexpr (converted_format<Matrix>) {
        using make = makes<Matrix>;
        auto const same = [](csr<double> const& found, csr<double> const& wanted) {
            EXPECT_EQ(found.row_offsets, wanted.row_offsets);
            EXPECT_EQ(found.column_indices, wanted.column_indices);
            EXPECT_EQ(found.values, wanted.values);
        };
        detail::host_steps steps;
        for (battery_case const& c : small_battery()) {
            csr<double> const a = to_csr(c.matrix);
            for (auto const& forms : {make::main_forms(), make::other_forms()})
                for (make const& form : forms) {
                    SCOPED_TRACE(c.name + std::string(", ") + form.name());
                    csr_matrix<double> const rows(host_memory(), a);
                    auto const made = content_on(host_memory(), rows, form.without_limit(), steps);
                    same(made->to_rows(), a);
                    same(rows_by_steps(*made, steps)->to_rows(), a);
                }
        }
    }
}

}  // namespace copse::tests
