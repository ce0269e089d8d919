// Fewer cases where a sanitizer makes each of them take ten times as long, and where nothing is optimised.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/config.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::tests {

#ifdef COPSE_TESTS_ONCE
inline constexpr bool takes_all_cases = false;
#else
inline constexpr bool takes_all_cases = !(COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER);
#endif

/// With a sanitizer, or tests/run --once, a test takes one of every 16 cases.
inline constexpr std::size_t sanitized_one_of = takes_all_cases ? 1 : 16;

/// All cases. Where fewer are taken, one of each `apart`, from one that the test's name decides.
/// The tests of an operation, for its executors and types, should see them all together; nothing checks that.
template <class Case>
std::vector<Case> some_of(std::vector<Case> cases, std::size_t apart = sanitized_one_of) {
    testing::TestInfo const* const test = testing::UnitTest::GetInstance()->current_test_info();
    if (takes_all_cases || !test || cases.empty()) return cases;
    std::size_t place = 0;
    for (std::string_view const part : {test->test_suite_name(), test->name()})
        for (char const letter : part) place = place * 31 + static_cast<unsigned char>(letter);
    std::vector<Case> some;
    apart = std::min(apart, cases.size());
    for (place %= apart; place < cases.size(); place += apart) some.push_back(std::move(cases[place]));
    return some;
}
/// All cases. Where fewer are taken, one.
template <class Case>
std::vector<Case> one_of(std::vector<Case> cases) {
    std::size_t const all = cases.size();
    return some_of(std::move(cases), all);
}

}  // namespace copse::tests
