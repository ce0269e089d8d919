// copse: push<Task>: this task type is not among those given to run(); add it to the call
#include "prelude.hpp"

struct root : blameless {
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.template push_n<blameless>(3, [](std::uint32_t k) { return static_cast<int>(k); });
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
