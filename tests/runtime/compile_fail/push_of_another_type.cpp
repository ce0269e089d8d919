// copse: push<Task>: what is pushed does not convert to the task's item
#include "prelude.hpp"

struct root : blameless {
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.template push<root>("one");
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
