// The picture of a matrix, as data for matplotlib.
#include "matrix.hpp"
#include "module.hpp"

#include <nanobind/ndarray.h>
#include <copse/formats/statistics.hpp>
#include <string>
#include <vector>

namespace copse::python {
namespace {

/// An array of Python that owns `values`.
template <class T>
nb::object array_of(std::vector<T> values, std::size_t rows, std::size_t columns) {
    auto* const kept = new std::vector<T>(std::move(values));
    nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), {rows, columns}, owner));
}

/// {"cell": rows of a cell, "entries": by cell, "boxes": [(row, column, rows, columns, level, kind, entries)],
/// "bytes": {kind: bytes}}.
nb::dict picture(matrix const& m, int most_cells, double least_cells) {
    spy_picture p;
    {
        nb::gil_scoped_release const release;
        p = m.visit_tree(
            "spy", [&](auto const& h) { return spy(h.a, {.most_cells = most_cells, .least_cells = least_cells}); });
    }
    auto const rows = static_cast<std::size_t>(p.grid_rows), columns = static_cast<std::size_t>(p.grid_columns);
    std::vector<std::int64_t> entries(rows * columns);
    for (auto const& of_kind : p.entries_by_kind)
        for (std::size_t k = 0; k < of_kind.size(); ++k) entries[k] += of_kind[k];
    nb::list boxes;
    for (spy_box const& b : p.boxes)
        boxes.append(
            nb::make_tuple(b.row, b.column, b.rows, b.columns, b.level, std::string(name_of(b.kind)), b.entries));
    nb::dict bytes;
    for (int kind = 0; kind < node_kind_count; ++kind) {
        auto const k = static_cast<node_kind>(kind);
        if (p.bytes_of(k) > 0) bytes[std::string(name_of(k)).c_str()] = p.bytes_of(k);
    }
    nb::dict result;
    result["cell"] = p.cell;
    result["entries"] = array_of(std::move(entries), rows, columns);
    result["boxes"] = boxes;
    result["bytes"] = bytes;
    return result;
}

}  // namespace

void add_spy(nb::class_<matrix>& c) {
    using namespace nb::literals;
    c.def("picture", &picture, "most_cells"_a = 480, "least_cells"_a = 4.0,
          "Entries by cell of a grid, boxes of nodes, bytes by kind.");
}

}  // namespace copse::python
