// copse: push<Task>: this task type is not among those given to run(); add it to the call
#include "prelude.hpp"

struct root : blameless {
    template <class Worker>
    void operator()(item i, Worker& w) const {
        w.template push<blameless>(i);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
