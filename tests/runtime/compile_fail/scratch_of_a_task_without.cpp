// copse: scratch: the task has none; give it `static constexpr std::size_t scratch_bytes`
#include "prelude.hpp"

struct careless : blameless {
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.template scratch<int>(1)[0] = 1;
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<careless>(0), careless{});
}
