// Matrices in flat formats with options, as competitors of one race.
#pragma once

#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/generators/random.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench/harness/addition.hpp"
#include "bench/harness/competitors.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/product_on.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

/// For y <- A x: x of values in [-1, 1), so that sums cancel as they do in practice.
template <class T>
measure::operands<T> signed_operands(csr<T> const& a) {
    detail::random_sequence const random(2017, 0);
    std::vector<T> x(static_cast<std::size_t>(a.column_count));
    for (std::int64_t i = 0; i < a.column_count; ++i) x[i] = static_cast<T>(random.signed_unit(i));
    return {T(1), std::move(x), T(0), std::vector<T>(static_cast<std::size_t>(a.row_count))};
}

/// `a` as Matrix in the memory of `where`, and the seconds of the conversion. Throws what the conversion throws, and
/// error when memory runs out.
template <class Matrix, class T, class Options>
measure::converted<Matrix> convert_flat(measure::target& where, std::string const& name, csr<T> const& a,
                                        Options const& options) {
    std::optional<Matrix> made;
    double const seconds = measure::seconds_of([&] {
        made = measure::within_memory("converting '" + name + "'", static_cast<double>(measure::bytes_of(a)), [&] {
            return where.with([&](auto& executor) { return Matrix(executor, a, options); });
        });
    });
    return {*std::move(made), seconds};
}

/// A x by `a`, which `where` made and which the entrant keeps alive. `where` and what.v must outlive it.
template <class T, class Matrix>
measure::competitor<T> flat_entrant(measure::problem<T> const& what, std::string format,
                                    measure::converted<Matrix> const& a, measure::target& where) {
    auto m = measure::describe(what, std::move(format), a.matrix.bytes(), where.threads());
    m.on = where.on();
    if (auto const controller = where.controller()) m.controller = measure::name_of(*controller);
    m.convert_seconds = a.seconds;
    return {std::move(m), measure::make_product(where, a.matrix, what.v)};
}

/// The same by a plan, which also holds A^T.
template <class T, class Matrix>
measure::competitor<T> planned_entrant(measure::problem<T> const& what, std::string format,
                                       measure::converted<Matrix> const& a, measure::target& where) {
    std::optional<flat_plan<Matrix>> plan;
    double const seconds = measure::seconds_of(
        [&] { plan = where.with([&](auto& executor) { return flat_plan<Matrix>(executor, a.matrix); }); });
    auto entrant = flat_entrant(what, std::move(format), a, where);
    entrant.record.mode = "plan";
    entrant.record.plan_seconds = seconds;
    entrant.what = measure::make_product(where, *plan, what.v);
    return entrant;
}

}  // namespace copse::bench
