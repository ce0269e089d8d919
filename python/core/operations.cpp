// Sums, element-wise products, new values, edits, parts.
#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

#include <copse/algebra/add.hpp>
#include <copse/algebra/map_entries.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <string>

namespace copse::python {
namespace {

/// What f(executor) makes at that place.
template <class T, class F>
matrix placed(place where, F const& f) {
    return matrix(held<hisparse<T>>{on(where, f), where});
}

/// alpha A + beta B.
matrix sum(matrix const& m, double alpha, matrix const& other, double beta) {
    return m.visit_tree("add", [&]<class T>(held<hisparse<T>> const& h) {
        auto const& b = other.tree<T>("add", h.where);
        nb::gil_scoped_release const release;
        return watched(h.a.entry_count() + b.entry_count(), [&] {
            return placed<T>(h.where,
                             [&](auto& e) { return add(e, static_cast<T>(alpha), h.a, static_cast<T>(beta), b); });
        });
    });
}

/// A .* B.
matrix element_product(matrix const& m, matrix const& other) {
    return m.visit_tree("multiply", [&]<class T>(held<hisparse<T>> const& h) {
        check_on_cpu("multiply", h.where);
        auto const& b = other.tree<T>("multiply", h.where);
        nb::gil_scoped_release const release;
        auto const times = [](std::int64_t, std::int64_t, T x, T y) { return x * y; };
        return watched(h.a.entry_count() + b.entry_count(),
                       [&] { return matrix(map_entry_pairs<pairs::both>(executor(), h.a, b, times)); });
    });
}

/// A matrix that takes the plans of `h` along, if it has its structure.
template <class T>
matrix with_plans(held<hisparse<T>> const& h, hisparse<T> other) {
    bool const alike = other.is_transposed() == h.a.is_transposed();
    held<hisparse<T>> result{std::move(other), h.where};
    if (alike) result.plans = h.plans->updated(result.stored());
    return matrix(std::move(result));
}

matrix with_data(matrix const& m, array_in const& data) {
    return m.visit_tree("with_data", [&]<class T>(held<hisparse<T>> const& h) {
        auto const values = values_of<T>("data", data, h.where);
        nb::gil_scoped_release const release;
        return watched(values.size(), [&] {
            return with_plans(h, on(h.where, [&](auto& e) { return with_values(e, h.a, values); }));
        });
    });
}

/// kind: "set", "add" or "erase".
matrix edited(matrix const& m, array_in const& rows, array_in const& columns, array_in const& values,
              std::string const& kind) {
    auto const of_row = indices_of("rows", rows), of_column = indices_of("cols", columns);
    return m.visit_tree("edited", [&]<class T>(held<hisparse<T>> const& h) {
        auto const value = values_of<T>("vals", values);
        if (of_row.size() != of_column.size() || of_row.size() != value.size())
            throw shape_error("edited: rows, cols and vals must have as many elements; they have " +
                              std::to_string(of_row.size()) + ", " + std::to_string(of_column.size()) + " and " +
                              std::to_string(value.size()));
        std::int64_t const m_rows = h.a.row_count(), n = h.a.column_count();
        nb::gil_scoped_release const release;
        edits<T> changes;
        for (std::int64_t k = 0; k < value.size(); ++k) {
            std::int64_t const i = of_row[k], j = of_column[k];
            if (i < 0 || i >= m_rows || j < 0 || j >= n)
                throw nb::index_error(("edited: (" + std::to_string(i) + ", " + std::to_string(j) +
                                       ") is outside of A, " + std::to_string(m_rows) + " x " + std::to_string(n))
                                          .c_str());
            T const v = value.data()[k];
            if (kind == "set")
                changes.set(i, j, v);
            else if (kind == "add")
                changes.add(i, j, v);
            else
                changes.erase(i, j);
        }
        return with_plans(h, edit(h.a, changes));
    });
}

matrix pruned(matrix const& m) {
    return m.visit_tree("pruned", [&]<class T>(held<hisparse<T>> const& h) {
        nb::gil_scoped_release const release;
        return watched(h.a.entry_count(), [&] { return placed<T>(h.where, [&](auto& e) { return prune(e, h.a); }); });
    });
}

matrix part(matrix const& m, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    return m.visit_tree("part", [&]<class T>(held<hisparse<T>> const& h) {
        nb::gil_scoped_release const release;
        return watched(h.a.entry_count(), [&] {
            return placed<T>(h.where, [&](auto& e) { return sub_matrix(e, h.a, {row, rows}, {column, columns}); });
        });
    });
}

}  // namespace

void add_operations(nb::class_<matrix>& c) {
    using namespace nb::literals;
    c.def("sum", &sum, "alpha"_a, "other"_a, "beta"_a, "alpha A + beta B; both are read as they are stored.");
    c.def("element_product", &element_product, "other"_a, "A .* B, with an entry where both have one.");
    c.def("with_data", &with_data, nb::arg("data").noconvert(), "A with other values, row by row.");
    c.def("edited", &edited, nb::arg("rows").noconvert(), nb::arg("cols").noconvert(), nb::arg("vals").noconvert(),
          "kind"_a, "A with entries set, added to or erased; shares all nodes without an edit.");
    c.def("pruned", &pruned, "A without its entries of value 0.");
    c.def("part", &part, "row"_a, "rows"_a, "column"_a, "columns"_a, "A[row : row + rows, column : column + columns].");
}

}  // namespace copse::python
