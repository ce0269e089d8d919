// copse: a tree_view<T> has values of type T only; ask without <...>, the tree knows its type
#include "prelude.hpp"

struct reads_floats : visits_nodes {
    template <class Worker>
    void operator()(item n, Worker&) const {
        tree.sparse_leaf<float>(n);
    }
};

void use(copse::EXECUTOR& executor, copse::hisparse<double> const& a) {
    copse::run(executor, copse::seed_root<reads_floats>(a), reads_floats{{a.tree()}});
}
