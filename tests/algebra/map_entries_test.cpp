// New matrices from entries, on the executors of the host; map_entries_gpu_test.cu has the GPU.
#include <algebra/map_entries_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::tests {
namespace {

TEST(map_entries, makes_what_a_conversion_makes_on_a_cpu) {
    cpu executor(3);
    check_mapped<double>(executor, 64);
    check_mapped<float>(executor, 128);
}

TEST(map_entries, makes_what_a_conversion_makes_in_lanes) {
    emulated executor;
    check_mapped<double>(executor, 64, !COPSE_ADDRESS_SANITIZER);
}

TEST(map_entries, makes_what_a_conversion_makes_in_lanes_that_are_threads) {
    emulated executor({.mode = emulation::stress});
    check_mapped<double>(executor, 128, false);
}

}  // namespace
}  // namespace copse::tests
