// copse: takes_leaves: a wide leaf is at level 1; say takes_inner_nodes<node_kind::wide>
#include "prelude.hpp"

struct visits_wide : visits_nodes, copse::takes_leaves<copse::node_kind::wide> {
    template <class Worker>
    void operator()(copse::node n, Worker& w) const {
        copse::push_children<visits_wide>(w, tree, n);
    }
};

void use(copse::EXECUTOR& executor, copse::hisparse<double> const& a) {
    copse::run(executor, copse::seed_root<visits_wide>(a), visits_wide{{a.tree()}, {}});
}
