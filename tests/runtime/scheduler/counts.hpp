// Counts of visits in an executor's memory, and lists of numbers, for the suites of runs.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <numeric>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <vector>

namespace copse::tests {

template <class Executor>
buffer<count_t> zero_counts(Executor& executor, std::int64_t size) {
    return buffer<count_t>(executor, std::vector<count_t>(static_cast<std::size_t>(size), 0));
}

inline std::vector<count_t> ones(std::int64_t size) {
    return std::vector<count_t>(static_cast<std::size_t>(size), 1);
}

inline std::vector<std::int64_t> numbers_below(std::int64_t size) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

}  // namespace copse::tests
