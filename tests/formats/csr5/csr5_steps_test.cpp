// The steps by which a GPU converts to CSR5, taken by the host: they give what the host's own conversion gives.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr5/steps.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstring>
#include <formats/steps/steps_on.hpp>

namespace copse::tests {
namespace {

void check_steps(coo<double> const& matrix, int omega, int sigma) {
    csr<double> const a = to_csr(matrix);
    csr5<double> const made(host_memory(), a, {.omega = omega, .sigma = sigma});
    csr5_content<double> const& wanted = *made.content();
    csr5_content<double> found;
    static_cast<flat_content&>(found) = wanted;
    found.layout = wanted.layout;
    found.row_offsets = {host_memory(), a.row_offsets};
    host_steps primitives;
    detail::make_tiles_by_steps(found, primitives);
    EXPECT_EQ(found.tile_pointers.to_host(), wanted.tile_pointers.to_host());
    EXPECT_EQ(found.tile_descriptors.to_host(), wanted.tile_descriptors.to_host());
    EXPECT_EQ(found.empty_offset_pointers.to_host(), wanted.empty_offset_pointers.to_host());
    EXPECT_EQ(found.empty_offsets.to_host(), wanted.empty_offsets.to_host());
    EXPECT_EQ(found.has_empty_rows, wanted.has_empty_rows);
    buffer<double> values(host_memory(), a.values);
    detail::to_tiles_by_steps(found.layout, values, primitives);
    EXPECT_EQ(values.to_host(), wanted.values.to_host());
    detail::from_tiles_by_steps(found.layout, values, primitives);
    EXPECT_EQ(values.to_host(), a.values);
    bool has_empty_rows = false;
    for (std::int64_t i = 0; i < a.row_count; ++i)
        has_empty_rows = has_empty_rows || a.row_offsets[i] == a.row_offsets[i + 1];
    EXPECT_EQ(wanted.has_empty_rows, has_empty_rows && a.entry_count() > 0);
}

TEST(csr5_steps, give_what_the_hosts_conversion_gives) {
    for (battery_case const& c : small_battery()) {
        if (c.matrix.values.empty()) continue;
        SCOPED_TRACE(c.name);
        check_steps(c.matrix, 4, 1);
        check_steps(c.matrix, 8, 16);
        check_steps(c.matrix, 32, 7);
        check_steps(c.matrix, 32, 40);
    }
}

TEST(csr5_steps, convert_in_place_there_and_back) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        csr5_options const options{.omega = 8, .sigma = 5};
        csr5<double> const wanted(host_memory(), a, options);
        csr_matrix<double> const rows(cpu(1), a);
        host_steps primitives;
        auto const* const values = rows.content()->values.data();
        auto const* const columns = rows.content()->column_indices.data();
        csr5<double> const tiles(detail::make_csr5_by_steps(detail::taken(rows.content()), options, primitives));
        EXPECT_EQ(tiles.content()->values.data(), values);
        EXPECT_EQ(tiles.content()->column_indices.data(), columns);
        EXPECT_EQ(tiles.content()->column_indices.to_host(), wanted.content()->column_indices.to_host());
        EXPECT_EQ(tiles.content()->values.to_host(), wanted.content()->values.to_host());
        EXPECT_EQ(tiles.content()->tile_descriptors.to_host(), wanted.content()->tile_descriptors.to_host());
        auto const back = detail::rows_in_place_by_steps(detail::taken(tiles.content()), primitives);
        EXPECT_EQ(back->values.data(), values);
        EXPECT_EQ(back->row_offsets.to_host(), a.row_offsets);
        EXPECT_EQ(back->column_indices.to_host(), a.column_indices);
        EXPECT_EQ(back->values.to_host(), a.values);
    }
}

}  // namespace
}  // namespace copse::tests
