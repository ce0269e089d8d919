// New matrices from entries, on the executors of the host; map_entries_gpu_test.cu has the GPU.
#include <algebra/map_entries_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>

namespace copse::tests {
namespace {

TEST(map_entries, makes_what_a_conversion_makes_on_a_cpu) {
    cpu executor(3);
    check_mapped<double>(executor, 64);
    check_mapped<float>(executor, 128);
    check_mapped_pairs(executor);
}

TEST(map_entries, makes_what_a_conversion_makes_in_lanes) {
    emulated executor;
    check_mapped<double>(executor, 64);
    check_mapped_pairs(executor);
    for (std::uint64_t seed : {1, 2, 3}) {  // whose child is the last to be written
        emulated other({.mode = emulation::explore, .seed = seed});
        check_mapped<double>(other, 64, false);
    }
    emulated threads({.mode = emulation::stress});
    check_mapped<double>(threads, 128, false);
}

TEST(map_entries, wants_matrices_that_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, empty_matrix(3, 4)), b(executor, empty_matrix(4, 3));
    EXPECT_THROW(map_entry_pairs<pairs::both>(executor, a, b, chosen_pairs()), shape_error);
    EXPECT_EQ(map_entry_pairs<pairs::both>(executor, a, transposed(b), chosen_pairs()).column_count(), 4);
}

}  // namespace
}  // namespace copse::tests
