// copse: a task's width must be a power of two from 1 to 128
#include "prelude.hpp"

struct wide : blameless {
    static constexpr int width = 256;
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<wide>(0), wide{});
}
