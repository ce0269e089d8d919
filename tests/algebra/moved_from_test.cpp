// Every public type that owns something, after it was moved from: a matrix is an empty 0 x 0 one, an executor or a plan
// throws one error that says so. `owning` lists the types; the last test finds types in the headers that it lacks.
#include <gtest/gtest.h>

#include <algebra/moved_from_executors.hpp>
#include <algebra/moved_from_matrices.hpp>
#include <algorithm>
#include <copse/runtime/gpu.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using owning = testing::Types<coo<double>, csr<double>, hisparse<double>, csr_matrix<double>, csr5<double>,
                              sellp<double>, cmrs<double>, spmv_plan<double>, flat_plan<csr5<double>>, sum_plan<double>,
                              tuned_plan<double>, cpu, emulated, buffer<double>, edits<double>, run_options>;
/// By name.
template <class... X>
std::set<std::string> names_of(testing::Types<X...>) {
    return {moving::use_of<X>::name...};
}

template <class X>
class moved_from : public testing::Test {
    static_assert(std::is_nothrow_move_constructible_v<X> && std::is_nothrow_move_assignable_v<X>);
};
static_assert(std::is_nothrow_move_constructible_v<gpu> && std::is_nothrow_move_assignable_v<gpu>);

TYPED_TEST_SUITE(moved_from, owning);

TYPED_TEST(moved_from, is_empty_or_says_so) {
    using use = moving::use_of<TypeParam>;
    TypeParam first = use::make();
    TypeParam second(std::move(first));
    use::expect_usable(second);
    use::expect_moved_from(first);
    TypeParam third = use::make();
    third = std::move(second);
    use::expect_usable(third);
    use::expect_moved_from(second);
    std::swap(first, third);
    use::expect_usable(first);
    use::expect_moved_from(third);
    // As good as any other, again.
    third = std::move(second);
    use::expect_moved_from(third);
    third = use::make();
    use::expect_usable(third);
}

TYPED_TEST(moved_from, leaves_what_it_was_moved_to_right) {
    using use = moving::use_of<TypeParam>;
    TypeParam first = use::make();
    TypeParam& self = first;
    first = std::move(self);
    if constexpr (requires { use::expect_valid(first); })
        use::expect_valid(first);
    else
        use::expect_usable(first);
    if constexpr (std::is_copy_assignable_v<TypeParam>) {
        first = use::make();
        first = self;
        use::expect_usable(first);
    }
    std::vector<TypeParam> many;
    for (int k = 0; k < 5; ++k) many.push_back(use::make());
    TypeParam const gone(std::move(many[0]));
    many.erase(many.begin());
    many.insert(many.begin() + 1, use::make());
    ASSERT_EQ(many.size(), 5u);
    for (TypeParam& one : many) use::expect_usable(one);
}

TEST(moved_from, plans_of_a_vector_stay_apart) {
    auto const a = moving::use_of<hisparse<double>>::make();
    std::vector<spmv_plan<double>> plans;
    for (int k = 0; k < 20; ++k) plans.emplace_back(moving::host(), scaled(a, k));
    plans.erase(plans.begin());
    std::swap(plans[4], plans[7]);
    std::vector<double> y(2);
    spmv(moving::host(), 1.0, plans[4], moving::ones, 0.0, y);
    EXPECT_EQ(y, (std::vector<double>{8, 16}));
}

/// Adds the names of the classes of namespace copse that a header defines with members, or a base, that own something.
void find_owning(std::filesystem::path const& header, std::set<std::string>& names) {
    static std::regex const text(R"("(\\.|[^"\\])*"|'(\\.|[^'\\])*'|//.*)");
    static std::regex const opens_namespace(R"(^(inline )?namespace ([\w:]*) *\{)");
    static std::regex const opens_class(R"(^(class|struct) (alignas\(\w+\) )?(\w+)[^;]*$)");
    static std::regex const owning_base(": public flat_matrix<");
    static std::regex const owning_member(
        R"(^ +(mutable )?(std::(unique_ptr|shared_ptr|vector|map|string|function|tuple)\b|buffer<)"
        R"(|detail::(shared_content|format_plan)<)[^()]*;)");
    std::ifstream file(header);
    std::vector<std::string> spaces;
    std::string name;  // of the class that the line is in
    std::size_t depth = 0;
    for (std::string line; std::getline(file, line);) {
        line = std::regex_replace(line, text, "");
        std::smatch found;
        if (depth == spaces.size()) {
            if (std::regex_search(line, found, opens_namespace)) spaces.push_back(found[2]);
            if (std::regex_search(line, found, opens_class)) name = found[3];
        }
        if (spaces == std::vector<std::string>{"copse"} && !name.empty() && depth <= 2 &&
            std::regex_search(line, depth == 2 ? owning_member : owning_base))
            names.insert(name);
        depth += static_cast<std::size_t>(std::count(line.begin(), line.end(), '{'));
        depth -= static_cast<std::size_t>(std::count(line.begin(), line.end(), '}'));
        while (depth < spaces.size()) spaces.pop_back();
        if (depth == spaces.size()) name.clear();
    }
}

// A new public type that owns something belongs to `owning`. `others` need no promise: contents, which matrices share
// as const, records of members that the standard library leaves valid, and what cannot be moved.
TEST(moved_from, is_tested_of_all_public_types) {
    std::set<std::string> const others{"hisparse_content", "flat_content",  "csr_content",    "csr5_content",
                                       "sellp_content",    "cmrs_content",  "arena",          "flat_matrix",
                                       "queue_report",     "run_report",    "gpu_properties", "generator_info",
                                       "format_error",     "queue_full",    "task_error",     "seed_entry",
                                       "seed_list",        "tree_building", "spy_picture",    "trace",
                                       "traced_run",       "access_line",   "access_total",   "access_profile",
                                       "format_verdict",   "host_view"};
    std::set<std::string> tested = names_of(owning());
    tested.insert("gpu");  // of which there is none on every machine: tests/gpu/gpu_test.cpp
    std::set<std::string> found;
    for (char const* room : {"runtime", "formats", "cpu", "algebra"})
        for (auto const& file : std::filesystem::directory_iterator(std::filesystem::path(COPSE_SOURCE_DIR) / room))
            if (file.path().extension() == ".hpp") find_owning(file.path(), found);
    for (std::string const& name : found)
        EXPECT_NE(tested.contains(name), others.contains(name)) << name << ": what is it when it was moved from?";
    for (std::string const& name : tested) EXPECT_TRUE(found.contains(name)) << name;
}

}  // namespace
}  // namespace copse::tests
