// copse: a task's phase must be 0, 1, 2 or 3
#include "prelude.hpp"

struct last : blameless {
    static constexpr int phase = 4;
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<last>(0), last{});
}
