// copse: scratch_bytes times the workers in a block (128 / width) must be at most 40 KiB
#include "prelude.hpp"

struct greedy : blameless {
    static constexpr std::size_t scratch_bytes = 4096;  // times 128 workers
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<greedy>(0), greedy{});
}
