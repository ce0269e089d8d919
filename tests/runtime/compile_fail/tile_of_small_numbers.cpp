// copse: min, max and exchange_if are for integers of 4 and 8 bytes, float and double
#include "prelude.hpp"

struct root : blameless {
    unsigned short* least;  // min_of_small_numbers.cpp has short
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.tile(least, 3, copse::max_op()).add(0, 1);
    }
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed<root>(0), root{});
}
