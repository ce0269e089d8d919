// copse: push_range needs a task whose item can be made from std::int64_t
#include "prelude.hpp"

struct pair_of_ints {
    int a, b;
};
struct by_pair : blameless {
    using item = pair_of_ints;
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.template push_range<by_pair>(0, 10);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<by_pair>({1, 2}), by_pair{});
}
