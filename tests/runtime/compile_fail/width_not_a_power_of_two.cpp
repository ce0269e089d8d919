// copse: a task's width must be a power of two from 1 to 128
#include "prelude.hpp"

struct odd : blameless {
    static constexpr int width = 24;
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<odd>(0), odd{});
}
