// copse: push<Task>: the task's item cannot hold all numbers of the type that is pushed; convert
#include "prelude.hpp"

struct root : blameless {
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.template push<root>(3.5);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
