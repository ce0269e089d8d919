// The steps by which a GPU converts to CSR5, taken by the host: they give what the host's own conversion gives.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr5_steps.hpp>
#include <cstring>
#include <formats/host_steps.hpp>

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
    auto const values =
        detail::in_tiles_by_steps(found.layout, buffer<double>(host_memory(), a.values), primitives).to_host();
    EXPECT_EQ(values, wanted.values.to_host());
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

}  // namespace
}  // namespace copse::tests
