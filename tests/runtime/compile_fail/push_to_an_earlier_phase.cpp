// copse: push<Task>: a task cannot push to an earlier phase
#include "prelude.hpp"

struct late : blameless {
    static constexpr int phase = 2;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        w.template push<blameless>(i);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<late>(0), late{}, blameless{});
}
