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
    std::int64_t parent, entries, pending;  // pending: children that are not yet done
};

struct count_entries {
    struct item {
        copse::node n;
        std::int64_t parent;  // number of its record; the root's is -1
    };
    static constexpr int width = 1;
    copse::tree_view<double> tree;
    node_record* records;
    std::int64_t* record_count;

    COPSE_HOST_DEVICE void operator()(item const& below, auto& w) const {
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

/// Records with the entries below each inner node; the root's is the first.
std::vector<node_record> entries_below(copse::any_executor auto& executor, copse::hisparse<double> const& a) {
    copse::buffer<node_record> const records(executor, a.census().inner_nodes());
    copse::buffer<std::int64_t> const count(executor, std::vector<std::int64_t>{0});
    copse::run(executor, copse::run_options().capacity<count_entries>(a.census().nodes()),
               copse::seed<count_entries>({a.root(), -1}), count_entries{a.tree(), records.data(), count.data()});
    return records.to_host();
}

bool is_right(copse::any_executor auto& executor, char const* matrix) {
    copse::hisparse<double> const a(executor, copse::generate<double>(matrix), {.node_dimension = 64});
    std::vector<node_record> const records = entries_below(executor, a);
    std::int64_t below_root = records[0].entries, in_others = 0;
    for (std::size_t i = 1; i < records.size(); ++i) in_others += records[i].entries;
    std::printf("%lld entries below the root, %lld below %zu other inner nodes\n", static_cast<long long>(below_root),
                static_cast<long long>(in_others), records.size() - 1);
    return below_root == a.entry_count() && in_others == a.entry_count();  // three levels: each has all entries
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    return is_right(cpu, "poisson3d:24") && is_right(lanes, "poisson3d:18") ? 0 : 1;
}
