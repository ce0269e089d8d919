// copse: push<Task>: the task's item cannot hold all numbers of the type that is pushed; convert
#include "prelude.hpp"

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<blameless>(0.5), blameless{});
}
