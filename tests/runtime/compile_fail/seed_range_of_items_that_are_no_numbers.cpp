// copse: seed_range: items of a range are numbers; this task's item is not made from std::int64_t
#include "prelude.hpp"

struct pair_of_numbers {
    int a, b;
};
struct takes_pairs : blameless {
    using item = pair_of_numbers;
    template <class Worker>
    void operator()(item, Worker&) const {}
};

void use(copse::EXECUTOR& executor) {
    copse::run(executor, copse::seed_range<takes_pairs>(0, 10), takes_pairs{});
}
