// A function of Python for each leaf.
#include <algorithm>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/visit_entries.hpp>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

namespace copse::python {
namespace {

/// An array of Python over `values`, read only; `owner` keeps them.
template <class T>
nb::object array_over(std::vector<T> const& values, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, T const>(values.data(), {values.size()}, owner));
}

/// The entries of a leaf.
template <class T>
struct leaf_entries {
    std::vector<std::int64_t> rows, columns;
    std::vector<T> values;
};

template <class T>
nb::object call(nb::handle f, leaf_entries<T> entries) {
    auto* const kept = new leaf_entries<T>(std::move(entries));
    nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<leaf_entries<T>*>(p); });
    return f(array_over(kept->rows, owner), array_over(kept->columns, owner), array_over(kept->values, owner));
}

/// [f(rows, columns, values) for each leaf], in the order of the leaves' first rows and columns. The entries are listed
/// by all threads, before the calling thread calls f: f may use copse itself.
nb::list map_leaves(matrix const& m, nb::callable const& f) {
    return m.visit_tree("map_leaves", [&]<class T>(held<hisparse<T>> const& h) {
        check_on_cpu("map_leaves", h.where);
        using corner = std::pair<std::int64_t, std::int64_t>;
        std::vector<std::pair<corner, leaf_entries<T>>> leaves;
        {
            nb::gil_scoped_release const release;
            std::mutex mutex;
            for_each_leaf(executor(), h.a, [&](auto& w, tree_view<T> const& tree, node leaf) {
                leaf_entries<T> entries;
                for_each_entry(w, tree, leaf, [&](std::int64_t row, std::int64_t column, T value) {
                    entries.rows.push_back(row);
                    entries.columns.push_back(column);
                    entries.values.push_back(value);
                });
                std::scoped_lock const lock(mutex);
                leaves.emplace_back(corner(leaf.row, leaf.column), std::move(entries));
            });
            std::sort(leaves.begin(), leaves.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        }
        nb::list results;
        for (auto& [at, entries] : leaves) results.append(call<T>(f, std::move(entries)));
        return results;
    });
}

}  // namespace

void add_leaves(nb::class_<matrix>& c) {
    c.def("map_leaves", &map_leaves, nb::arg("f"), "[f(rows, columns, values) for each leaf].");
}

}  // namespace copse::python
