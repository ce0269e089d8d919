// copse: min, max and exchange_if are for integers of 4 and 8 bytes, float and double
#include "prelude.hpp"

struct root : blameless {
    short* least;
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.min(least, 3);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
