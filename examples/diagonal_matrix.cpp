// A matrix that no other matrix is behind: tasks make the diagonal matrix of a vector. An inner node is opened with the
// children on its diagonal; who writes the last of them joins them.
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdio>
#include <vector>

namespace {

/// What a node is made from: the first of its rows and columns.
struct diagonal_block {
    std::uint32_t first;
};

struct write_diagonal {
    using item = copse::node_source<diagonal_block>;
    static constexpr int width = 64;
    static constexpr std::size_t scratch_bytes = copse::tree_writer<double>::leaf_scratch_bytes;
    double const* values;
    std::int64_t n;
    std::int64_t dimension;
    copse::tree_writer<double> out;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        std::int64_t const first = i.from.first;
        if (i.to.level() == 0)
            return out.write_leaf(w, i.to, [&](auto put) {
                for (std::int64_t k = first + w.rank(); k < n && k < first + dimension; k += w.size())
                    put(k, k, values[k]);
            });
        std::int64_t below = dimension;  // rows of a child
        for (int level = 1; level < i.to.level(); ++level) below *= dimension;
        out.open<write_diagonal>(w, i.to, [&](auto child) {
            for (std::int64_t k = w.rank(); k < dimension && first + k * below < n; k += w.size()) {
                auto const begin = static_cast<std::uint32_t>(first + k * below);
                child(begin, begin, diagonal_block{begin});
            }
        });
    }
};

template <class Executor>
copse::hisparse<double> diagonal_matrix(Executor& executor, std::vector<double> const& values) {
    auto const n = static_cast<std::int64_t>(values.size());
    int constexpr dimension = 64;
    std::int64_t const leaves = n / dimension + 1, inner_nodes = leaves / (dimension - 1) + 6;  // of all levels
    copse::buffer<double> const there(executor, values);
    copse::tree_building<double> made(executor, "diagonal_matrix", n, n, dimension, {leaves, inner_nodes, n});
    copse::run(executor, made.seed<write_diagonal>(diagonal_block{0}),
               write_diagonal{there.data(), n, dimension, made.writer()});
    return made.finish();
}

template <class Executor>
bool is_right(Executor& executor, std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i) + 0.5;
    auto const d = diagonal_matrix(executor, values);
    auto const entries = copse::to_coo(d);
    std::printf("%lld entries in %lld leaves, %lld bytes\n", static_cast<long long>(d.entry_count()),
                static_cast<long long>(d.census().leaves()), static_cast<long long>(d.bytes()));
    bool ascends = entries.values == values && entries.rows == entries.columns;
    for (std::size_t i = 0; i < n && ascends; ++i) ascends = entries.rows[i] == static_cast<std::int32_t>(i);
    return ascends;
}

}  // namespace

int main() {
    copse::cpu cpu;
    copse::emulated lanes;
    return is_right(cpu, 1'442'897) && is_right(lanes, 5000) ? 0 : 1;  // four levels, two
}
