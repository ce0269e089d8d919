#include "cli/flat_competitor.hpp"

#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <optional>

#include "cli/addition.hpp"
#include "cli/flat_formats.hpp"
#include "cli/load.hpp"
#include "cli/product_on.hpp"
#include "cli/timing.hpp"

namespace copse::measure {
namespace {

/// make(executor), and the seconds that it took.
template <class Matrix, class Make>
converted<Matrix> timed(target& where, std::string const& doing, double bytes, Make const& make) {
    std::optional<Matrix> made;
    double const seconds = seconds_of([&] {
        made = within_memory(doing, bytes, [&] { return where.with([&](auto& executor) { return make(executor); }); });
    });
    return {*std::move(made), seconds};
}

template <class T, class Matrix>
competitor<T> make_competitor(problem<T> const& what, std::string const& format, bool by_plan, target& where) {
    auto const bytes = static_cast<double>(bytes_of(what.a));
    auto const a = timed<Matrix>(where, "converting '" + what.matrix + "' to " + format, bytes,
                                 [&](auto& executor) { return Matrix(executor, what.a); });
    auto m = describe(what, format, a.matrix.bytes(), where.threads());
    m.on = where.on();
    if (auto const controller = where.controller()) m.controller = name_of(*controller);
    m.convert_seconds = a.seconds;
    if (!by_plan) return {std::move(m), make_product(where, what.transpose ? a.matrix.transposed() : a.matrix, what.v)};

    auto const plan = timed<flat_plan<Matrix>>(where, "making a plan for '" + what.matrix + "'", bytes,
                                               [&](auto& executor) { return flat_plan<Matrix>(executor, a.matrix); });
    m.mode = "plan";
    m.plan_seconds = plan.seconds;
    m.bytes += plan.matrix.bytes();
    return {std::move(m), make_product(where, what.transpose ? plan.matrix.transposed() : plan.matrix, what.v)};
}

}  // namespace

template <class T>
competitor<T> flat_competitor(problem<T> const& what, std::string const& format, bool by_plan, target& where) {
    return with_flat_format<T>(format, [&]<class Matrix>(std::type_identity<Matrix>) {
        return make_competitor<T, Matrix>(what, format, by_plan, where);
    });
}

template competitor<float> flat_competitor(problem<float> const&, std::string const&, bool, target&);
template competitor<double> flat_competitor(problem<double> const&, std::string const&, bool, target&);

}  // namespace copse::measure
