// New matrices from pairs of entries, on the executors of the host; map_entries_gpu_test.cu has the GPU.
#include <algebra/map_entries_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>

namespace copse::tests {
namespace {

TEST(map_entry_pairs, make_what_a_conversion_makes) {
    cpu threads(3);
    check_mapped_pairs(threads);
}

TEST(map_entry_pairs, make_what_a_conversion_makes_in_lanes) {
    emulated lanes;
    check_mapped_pairs(lanes, !COPSE_ADDRESS_SANITIZER);
}

TEST(map_entry_pairs, want_matrices_that_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, empty_matrix(3, 4)), b(executor, empty_matrix(4, 3));
    EXPECT_THROW(map_entry_pairs<pairs::both>(executor, a, b, chosen_pairs()), shape_error);
    EXPECT_EQ(map_entry_pairs<pairs::both>(executor, a, transposed(b), chosen_pairs()).column_count(), 4);
}

}  // namespace
}  // namespace copse::tests
