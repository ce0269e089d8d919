// From the leaves up: how many entries are below each inner node. A node's record counts down the children that are
// not yet done; the last one to be done hands the sum on to the parent.
#include <copse/formats/generators.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <vector>

namespace {

struct node_record {
    std::int64_t parent;
    std::int64_t entries;
    std::int64_t pending;  // children that are not yet done
};
struct visit_below {
    copse::node n;
    std::int64_t parent;  // number of its record; the root's is -1
};

struct count_entries {
    using item = visit_below;
    static constexpr int width = 1;
    copse::tree_view<double> tree;
    node_record* records;
    std::int64_t* record_count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& below, Worker& w) const {
        if (!tree.is_leaf(below.n)) {
            std::int64_t const mine = w.fetch_add(record_count, 1);
            records[mine] = {below.parent, 0, below.n.reference.entries()};
            for (int i = 0; i < tree.child_count(below.n); ++i)
                if (auto const child = tree.child(below.n, i)) w.template push<count_entries>({child, mine});
            return;
        }
        std::int64_t entries = 0;
        copse::for_each_entry(w, tree, below.n, [&](std::int64_t, std::int64_t, double) { ++entries; });
        for (std::int64_t to = below.parent; to >= 0; to = records[to].parent) {
            w.add(&records[to].entries, entries);
            if (!w.count_down(&records[to].pending)) return;
            entries = records[to].entries;  // of all children: the others added before they counted down
        }
    }
};

/// The entries below each inner node; the root's are the first.
template <class Executor>
std::vector<std::int64_t> entries_below(Executor& executor, copse::hisparse<double> const& a) {
    copse::buffer<node_record> const records(executor, a.census().inner_nodes());
    copse::buffer<std::int64_t> const count(executor, std::vector<std::int64_t>{0});
    copse::run(executor, copse::run_options().capacity<count_entries>(a.census().nodes()),
               copse::seed<count_entries>({visit_below{a.root(), -1}}),
               count_entries{a.tree(), records.data(), count.data()});
    std::vector<std::int64_t> entries;
    for (node_record const& r : records.to_host()) entries.push_back(r.entries);
    return entries;
}

template <class Executor>
bool is_right(Executor& executor, char const* matrix) {
    copse::hisparse<double> const a(executor, copse::generate<double>(matrix), {.node_dimension = 64});
    auto const entries = entries_below(executor, a);
    std::int64_t in_others = 0;
    for (std::size_t i = 1; i < entries.size(); ++i) in_others += entries[i];
    std::printf("%lld entries below the root, %lld below %zu other inner nodes\n", static_cast<long long>(entries[0]),
                static_cast<long long>(in_others), entries.size() - 1);
    return entries[0] == a.entry_count() && in_others == a.entry_count();  // three levels: each has all entries
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    return is_right(cpu, "poisson3d:24") && is_right(lanes, "poisson3d:18") ? 0 : 1;
}
