// copse: a task's item must be trivially copyable: it travels through a queue
#include "prelude.hpp"

struct by_name : blameless {
    using item = std::string;
    template <class Worker>
    void operator()(item const&, Worker&) const {}
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<by_name>("a"), by_name{});
}
