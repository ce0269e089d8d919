// copse: a task's item must have at most 64 bytes; let it hold an index or a pointer
#include "prelude.hpp"

struct large {
    char bytes[65];
};
struct of_large : blameless {
    using item = large;
    template <class Worker>
    void operator()(item const&, Worker&) const {}
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<of_large>(large{}), of_large{});
}
