// copse: copy_bulk: the task has no copies; give it `static constexpr int bulk_copies`
#include "prelude.hpp"

struct forgetful : blameless {
    std::byte* to;
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.copy_bulk(0, to, to, 16);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<forgetful>(0), forgetful{});
}
