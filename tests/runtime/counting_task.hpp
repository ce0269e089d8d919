// A task that counts, to see whether an executor works.
#pragma once

#include <atomic>
#include <copse/runtime/run_options.hpp>
#include <numeric>
#include <vector>

namespace copse::tests {

struct counting_task {
    using item = int;
    static constexpr int width = 32;
    std::int64_t* sum;

    template <class Worker>
    void operator()(int i, Worker& w) const {
        if (w.rank() == 0) w.add(sum, i);
        if (w.rank() == 0 && i > 500) w.template push<counting_task>(i - 500);
    }
};

/// Whether a run does all that it should.
template <class Executor>
bool works(Executor& executor) {
    std::vector<int> items(1000);
    std::iota(items.begin(), items.end(), 1);
    std::int64_t sum = 0;
    run(executor, seed<counting_task>(items), counting_task{&sum});
    return sum == 1000 * 1001 / 2 + 500 * 501 / 2;
}

}  // namespace copse::tests
