// Products over another semiring, y_i <- min over j of (a_ij + x_j), or max: once by a task, whose tiles take the
// semiring's addition, and again and again by a plan, for shortest ways.
#include <cmath>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/for_each_row.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/visit_rows.hpp>
#include <copse/runtime/run.hpp>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

struct min_plus {
    using plus = copse::min_op;
    static constexpr double zero = std::numeric_limits<double>::infinity();  // where a row has no entry
    COPSE_HOST_DEVICE static double times(double a, double b) { return a + b; }
};
struct max_plus {
    using plus = copse::max_op;
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    COPSE_HOST_DEVICE static double times(double a, double b) { return a + b; }
};

template <class Semiring>
struct multiply {
    static constexpr std::size_t scratch_bytes = 128 * sizeof(double);
    double const* x;
    double* y;

    COPSE_HOST_DEVICE void operator()(auto& w, copse::tree_view<double> const& tree, copse::node leaf) const {
        copse::for_each_tiled_block(w, tree, leaf, [&](copse::node block) {
            auto const rows = tree.rows_of(block);
            auto sums = w.tile(y + rows.first, static_cast<int>(rows.count), typename Semiring::plus());
            copse::for_each_entry_together(w, tree, block, [&](copse::tree_entry<double> const& e) {
                sums.add(e ? static_cast<int>(e.row - rows.first) : -1, e ? Semiring::times(e.value, x[e.column]) : 0);
            });
        });
    }
};

/// A x
template <class Semiring, class Executor>
std::vector<double> product(Executor& executor, copse::hisparse<double> const& a, std::vector<double> const& x) {
    copse::buffer<double> const x_there(executor, x), y(executor, a.row_count(), Semiring::zero);
    copse::for_each_leaf(executor, a, multiply<Semiring>{x_there.data(), y.data()});
    return y.to_host();
}

struct way_from {
    double const* distances;
    COPSE_HOST_DEVICE double operator()(std::int64_t, std::int64_t column, double length) const {
        return length + distances[column];
    }
};
struct keep_shorter {
    double const* distances;
    double* next;
    COPSE_HOST_DEVICE void operator()(std::int64_t row, double found) const {
        next[row] = copse::min_op()(distances[row], found);
    }
};

/// The lengths of the shortest ways to all nodes. a_ij: length of the edge from j to i; d: 0 at the first node,
/// infinity elsewhere. d <- min(d, A d) until nothing changes; row i of the plan has one owner, which writes next[i].
template <class Executor>
std::vector<double> shortest_ways(Executor& executor, copse::hisparse<double> const& a, std::vector<double> d) {
    copse::spmv_plan<double> const plan(executor, a);
    for (std::vector<double> before; d != before;) {
        before = d;
        copse::buffer<double> const x(executor, d), y(executor, plan.row_count());
        copse::for_each_row(executor, plan, min_plus::zero, way_from{x.data()}, copse::min_op(),
                            keep_shorter{x.data(), y.data()});
        d = y.to_host();
    }
    return d;
}

template <class Executor>
bool is_right(Executor& executor, std::size_t side) {
    auto entries = copse::generate<double>("poisson2d:" + std::to_string(side));
    for (double& v : entries.values) v = std::abs(v);  // a grid with edges of length 1, and loops of length 4
    copse::hisparse<double> const a(executor, entries);
    std::size_t const n = side * side;

    std::vector<double> x(n), least(n, min_plus::zero), largest(n, max_plus::zero);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        auto const i = static_cast<std::size_t>(entries.rows[k]);
        double const term = entries.values[k] + x[static_cast<std::size_t>(entries.columns[k])];
        least[i] = std::min(least[i], term);
        largest[i] = std::max(largest[i], term);
    }
    std::vector<double> from_corner(n, min_plus::zero), ways(n);
    from_corner[0] = 0;
    for (std::size_t i = 0; i < n; ++i) ways[i] = static_cast<double>(i / side + i % side);
    return product<min_plus>(executor, a, x) == least && product<max_plus>(executor, a, x) == largest &&
           shortest_ways(executor, a, from_corner) == ways;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    bool const on_cpu = is_right(cpu, 40), in_lanes = is_right(lanes, 12);
    std::printf("min-plus and max-plus products: %s on cpu, %s in lanes\n", on_cpu ? "right" : "wrong",
                in_lanes ? "right" : "wrong");
    return on_cpu && in_lanes ? 0 : 1;
}
