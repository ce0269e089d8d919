// copse: push<Task>: this task type is not among those given to run(); add it to the call
#include "prelude.hpp"

struct other : blameless {};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<other>(0), blameless{});
}
