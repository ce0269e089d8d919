// copse: a task's resident_blocks must be at least 1
#include "prelude.hpp"

struct crowded_out : blameless {
    static constexpr int resident_blocks = 0;
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<crowded_out>(0), crowded_out{});
}
