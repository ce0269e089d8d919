#include "bench/harness/flat_competitor.hpp"

#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <optional>

#include "bench/harness/addition.hpp"
#include "bench/harness/flat_formats.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/product_on.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench::measure {
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

/// The record of a product with a matrix that takes `bytes`.
template <class T, class Matrix>
measurement describe_flat(problem<T> const& what, std::string const& format, converted<Matrix> const& a,
                          target const& where) {
    auto m = describe(what, format, a.matrix.bytes(), where.threads());
    m.on = where.on();
    if (auto const controller = where.controller()) m.controller = name_of(*controller);
    m.convert_seconds = a.seconds;
    return m;
}

template <class T, class Matrix>
flat_entrant<T> make_entrant(target& where, std::string const& matrix, csr<T> const& rows, std::string const& format,
                             bool by_plan, flat_options const& options) {
    auto const bytes = converted_bytes(rows, format);
    auto const a = timed<Matrix>(where, "converting '" + matrix + "' to " + format, bytes,
                                 [&](auto& executor) { return make_flat<Matrix>(executor, rows, options); });
    if (!by_plan)
        return [=, &where](problem<T> const& what) {
            return competitor<T>{describe_flat(what, format, a, where),
                                 make_product(where, what.transpose ? a.matrix.transposed() : a.matrix, what.v)};
        };

    auto const plan = timed<flat_plan<Matrix>>(where, "making a plan for '" + matrix + "'", bytes,
                                               [&](auto& executor) { return flat_plan<Matrix>(executor, a.matrix); });
    return [=, &where](problem<T> const& what) {
        auto m = describe_flat(what, format, a, where);
        m.mode = "plan";
        m.plan_seconds = plan.seconds;
        m.bytes += plan.matrix.bytes();
        return competitor<T>{std::move(m),
                             make_product(where, what.transpose ? plan.matrix.transposed() : plan.matrix, what.v)};
    };
}

}  // namespace

template <class T>
flat_entrant<T> make_flat_entrant(target& where, std::string const& matrix, csr<T> const& a, std::string const& format,
                                  bool by_plan, flat_options const& options) {
    return with_flat_format<T>(format, [&]<class Matrix>(std::type_identity<Matrix>) {
        return make_entrant<T, Matrix>(where, matrix, a, format, by_plan, options);
    });
}

template flat_entrant<float> make_flat_entrant(target&, std::string const&, csr<float> const&, std::string const&, bool,
                                               flat_options const&);
template flat_entrant<double> make_flat_entrant(target&, std::string const&, csr<double> const&, std::string const&,
                                                bool, flat_options const&);

}  // namespace copse::bench::measure
