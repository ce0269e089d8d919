// copse: for_each_entry<T>: the tree has values of another type; call it without <T>
#include "prelude.hpp"

struct reads_floats : visits_nodes {
    template <class Worker>
    void operator()(item n, Worker& w) const {
        copse::for_each_entry<float>(w, tree, n, [](std::int64_t, std::int64_t, float) {});
    }
};

void use(copse::EXECUTOR& executor, copse::hisparse<double> const& a) {
    copse::run(executor, copse::seed_root<reads_floats>(a), reads_floats{{a.tree()}});
}
