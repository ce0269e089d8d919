#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <formats/tree/prune_suite.hpp>
#include <limits>

namespace copse::tests {
namespace {

template <class T>
class prune_of : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(prune_of, value_types);

TYPED_TEST(prune_of, drops_zeros_on_a_cpu) {
    check_prune<TypeParam>(cpu(3), 700, 600);
}

TYPED_TEST(prune_of, drops_zeros_in_lanes) {
    check_prune<TypeParam>(emulated(), 90, 140);
}

TYPED_TEST(prune_of, drops_what_the_scale_makes_zero) {
    TypeParam const least = std::numeric_limits<TypeParam>::denorm_min();
    coo<TypeParam> const a{3, 3, {0, 1, 2}, {1, 2, 0}, {least, TypeParam(4), least}};
    cpu core(2);
    emulated lanes;
    EXPECT_EQ(prune(core, hisparse<TypeParam>(core, a).scaled(TypeParam(0.25))).entry_count(), 1);
    EXPECT_EQ(prune(lanes, hisparse<TypeParam>(lanes, a).scaled(TypeParam(0.25))).entry_count(), 1);
}

TEST(prune, keeps_what_is_not_a_number) {
    double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    coo<double> const a{2, 2, {0, 0, 1}, {0, 1, 1}, {nan, 0, -inf}};
    cpu core(1);
    emulated lanes;
    EXPECT_EQ(prune(core, hisparse<double>(core, a)).entry_count(), 2);
    EXPECT_EQ(prune(lanes, hisparse<double>(lanes, a)).entry_count(), 2);
}

TEST(prune, takes_matrices_with_far_more_rows_than_entries) {
    std::int64_t const n = std::int64_t{1} << 31;
    std::int32_t const last = std::numeric_limits<std::int32_t>::max();
    coo<double> const a{n, n, {0, 5, last}, {last, 5, 0}, {0, 2, 3}};
    coo<double> const kept{n, n, {5, last}, {5, 0}, {2, 3}};
    cpu core(2);
    emulated lanes;
    expect_entries_of(prune(core, hisparse<double>(core, a)), kept);
    expect_entries_of(prune(lanes, hisparse<double>(core, a)), kept);
}

TEST(prune, takes_matrices_without_entries) {
    coo<double> const none{4, 9, {}, {}, {}};
    cpu core(1);
    emulated lanes;
    expect_entries_of(prune(core, hisparse<double>(core, none)), none);
    expect_entries_of(prune(lanes, hisparse<double>(lanes, none)), none);
}

}  // namespace
}  // namespace copse::tests
