// Products with vectors, by plans. The GIL is released while they run.
#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

#include <chrono>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <optional>
#include <type_traits>

namespace copse::python {
namespace {

/// y <- alpha A x + beta y, with vectors of V.
template <class V, class Matrix>
void multiply_as(held<Matrix> const& h, double alpha, array_in const& x, double beta, array_out const& y) {
    auto const from = values_of<V>("x", x, h.where);
    auto const to = values_of<V>("y", y, h.where);
    nb::gil_scoped_release const release;
    auto const product = [&](auto& e) { spmv(e, static_cast<V>(alpha), h.plan(e), from, static_cast<V>(beta), to); };
    if constexpr (is_tree<Matrix>)
        on(h.where, product);
    else
        product(executor());
}

/// y <- alpha A x + beta y.
void multiply(matrix const& m, double alpha, array_in const& x, double beta, array_out const& y) {
    m.visit([&]<class Matrix>(held<Matrix> const& h) {
        using T = value_type_of<Matrix>;
        if constexpr (is_tree<Matrix> && sizeof(T) == 4)
            if (holds<double>(y)) return multiply_as<double>(h, alpha, x, beta, y);
        multiply_as<T>(h, alpha, x, beta, y);
    });
}

/// Y <- alpha A X + beta Y, both by rows.
void multiply_columns(matrix const& m, double alpha, columns_in const& x, double beta, columns_out const& y) {
    m.visit_tree("multiply_columns", [&]<class T>(held<hisparse<T>> const& h) {
        auto const with_columns_of = [&]<class V>(std::type_identity<V>) {
            auto const from = columns_of<V const>("x", x, h.where);
            auto const to = columns_of<V>("y", y, h.where);
            nb::gil_scoped_release const release;
            on(h.where, [&](auto& e) { spmm(e, static_cast<V>(alpha), h.plan(e), from, static_cast<V>(beta), to); });
        };
        if (sizeof(T) == 4 && holds<double>(y))
            with_columns_of(std::type_identity<double>());
        else
            with_columns_of(std::type_identity<T>());
    });
}

/// y <- A x, z <- A^T w.
void both(matrix const& m, array_in const& x, array_out const& y, array_in const& w, array_out const& z) {
    m.visit_tree("both", [&]<class T>(held<hisparse<T>> const& h) {
        auto const of_x = values_of<T>("x", x, h.where), of_w = values_of<T>("w", w, h.where);
        auto const to_y = values_of<T>("y", y, h.where), to_z = values_of<T>("z", z, h.where);
        nb::gil_scoped_release const release;
        on(h.where, [&](auto& e) { spmv_both(e, h.plan(e), T(1), of_x, T(0), to_y, T(1), of_w, T(0), to_z); });
    });
}

/// z <- A^T (d .* (A x)); without d, A^T A x.
void normal(matrix const& m, array_in const& x, std::optional<array_in> const& d, array_out const& z) {
    m.visit_tree("normal", [&]<class T>(held<hisparse<T>> const& h) {
        check_on_cpu("normal", h.where);
        auto const from = values_of<T>("x", x);
        auto const to = values_of<T>("z", z);
        vector_view<T const> factors;
        if (d) {
            factors = values_of<T>("d", *d);
            if (factors.size() != h.a.row_count())
                throw shape_error("normal: A is " + std::to_string(h.a.row_count()) + " x " +
                                  std::to_string(h.a.column_count()) + ", so d must have " +
                                  std::to_string(h.a.row_count()) + " elements; it has " +
                                  std::to_string(factors.size()));
        }
        nb::gil_scoped_release const release;
        auto const plan = h.plan(executor());
        if (d)
            normal_product(
                executor(), plan, from, [&](std::int64_t i, T& t) { t *= factors.data()[i]; }, T(0), to);
        else
            normal_product(
                executor(), plan, from, [](std::int64_t, T&) {}, T(0), to);
    });
}

/// u <- A v + alpha u, z <- A^T u; returns u^T u. A step of Golub and Kahan's bidiagonalization (Paige and Saunders,
/// 1982), with A read once.
double bidiagonal_step(matrix const& m, array_in const& v, double alpha, array_out const& u, array_out const& z) {
    return m.visit_tree("bidiagonal_step", [&]<class T>(held<hisparse<T>> const& h) -> double {
        check_on_cpu("bidiagonal_step", h.where);
        auto const from = values_of<T>("v", v);
        auto const rows = values_of<T>("u", u), to = values_of<T>("z", z);
        if (rows.size() != h.a.row_count())
            throw shape_error("bidiagonal_step: u must have " + std::to_string(h.a.row_count()) + " elements; it has " +
                              std::to_string(rows.size()));
        nb::gil_scoped_release const release;
        T const factor = static_cast<T>(alpha);
        auto const step = [&](std::int64_t i, T& t) {
            if (factor != 0) t += factor * rows.data()[i];
            rows.data()[i] = t;
            return static_cast<double>(t) * static_cast<double>(t);
        };
        return normal_product(executor(), h.plan(executor()), from, step, T(0), to);
    });
}

/// The mean time of y <- A x, called from C++: what benchmarks compare Python's calls with.
double seconds_of_product(matrix const& m, array_in const& x, array_out const& y, int calls) {
    return m.visit([&]<class Matrix>(held<Matrix> const& h) {
        using T = value_type_of<Matrix>;
        check_on_cpu("seconds_of_product", h.where);
        auto const from = values_of<T>("x", x);
        auto const to = values_of<T>("y", y);
        nb::gil_scoped_release const release;
        auto const plan = h.plan(executor());
        auto const start = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; ++k) spmv(executor(), T(1), plan, from, T(0), to);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
    });
}

}  // namespace

void add_products(nb::class_<matrix>& c) {
    using namespace nb::literals;
    c.def("multiply", &multiply, "alpha"_a, nb::arg("x").noconvert(), "beta"_a, nb::arg("y").noconvert(),
          "y <- alpha A x + beta y. A matrix of float32 in HiSparse takes vectors of float64, too.");
    c.def("multiply_columns", &multiply_columns, "alpha"_a, nb::arg("x").noconvert(), "beta"_a,
          nb::arg("y").noconvert(), "Y <- alpha A X + beta Y, X and Y by rows. HiSparse only; types as in multiply().");
    c.def("both", &both, nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("w").noconvert(),
          nb::arg("z").noconvert(), "y <- A x and z <- A^T w, with A read once.");
    c.def("normal", &normal, nb::arg("x").noconvert(), nb::arg("d").noconvert() = nb::none(), nb::arg("z").noconvert(),
          "z <- A^T (d * (A x)), with A read once.");
    c.def("bidiagonal_step", &bidiagonal_step, nb::arg("v").noconvert(), "alpha"_a, nb::arg("u").noconvert(),
          nb::arg("z").noconvert(), "u <- A v + alpha u, z <- A^T u; returns u^T u. A is read once.");
    c.def("seconds_of_product", &seconds_of_product, nb::arg("x").noconvert(), nb::arg("y").noconvert(), "calls"_a,
          "The mean time of y <- A x, called from C++.");
}

}  // namespace copse::python
