// What a matrix says of itself, its state, its plans.
#include "matrix.hpp"

#include "module.hpp"
#include "watched.hpp"

#include <algorithm>
#include <copse/algebra/tuned_plan.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/formats/suitable_format.hpp>
#include <map>
#include <optional>
#include <utility>

namespace copse::python {
namespace {

std::pair<std::int64_t, std::int64_t> shape(matrix const& m) {
    return m.visit([](auto const& h) { return std::pair(h.a.row_count(), h.a.column_count()); });
}

char const* dtype(matrix const& m) {
    return m.visit(
        []<class Matrix>(held<Matrix> const&) { return sizeof(value_type_of<Matrix>) == 4 ? "float32" : "float64"; });
}

std::string format(matrix const& m) {
    return m.visit([]<class Matrix>(held<Matrix> const&) { return std::string(format_name<Matrix>()); });
}

matrix transposed(matrix const& m) {
    return m.visit([](auto const& h) { return matrix(h.with(h.a.transposed())); });
}

matrix scaled(matrix const& m, double factor) {
    return m.visit([&]<class Matrix>(held<Matrix> const& h) {
        return matrix(h.with(h.a.scaled(static_cast<value_type_of<Matrix>>(factor))));
    });
}

void make_plan(matrix const& m) {
    nb::gil_scoped_release const release;
    m.visit([]<class Matrix>(held<Matrix> const& h) {
        if constexpr (is_tree<Matrix>)
            on(h.where, [&](auto& e) { h.plan(e); });
        else
            h.plan(executor());
    });
}

std::int64_t plan_bytes(matrix const& m) {
    nb::gil_scoped_release const release;  // who makes a plan meanwhile wants the GIL
    return m.visit([](auto const& h) { return h.plans->bytes(); });
}

/// Tries formats that asformat() knows, and returns the one whose product with A and product with A^T take the least
/// time together. If nothing was tried, returns what the rule says for A.
std::string tuned_format(matrix const& m, std::int64_t products) {
    nb::gil_scoped_release const release;
    return m.visit([&](auto const& h) {
        auto const rows = to_csr(h.a);
        auto& on = executor();
        auto const verdict = watched(rows.entry_count(), [&] { return tune(on, rows, {.products = products}); });
        std::map<matrix_format, std::pair<int, double>> times;  // directions, seconds
        for (format_trial const& trial : verdict.trials) {
            auto& [directions, seconds] = times[trial.format];
            ++directions;
            seconds += trial.seconds;
        }
        std::erase_if(times, [](auto const& one) { return one.second.first < 2 || is_of_plans(one.first); });
        auto const least = std::min_element(
            times.begin(), times.end(), [](auto const& a, auto const& b) { return a.second.second < b.second.second; });
        auto const rule = suitable_format(profile_of(rows), {.formats_of_plans = false}).format;
        return std::string(name_of(least == times.end() ? rule : least->first));
    });
}

/// Bytes of nodes that two trees share.
std::int64_t bytes_shared(matrix const& m, matrix const& other) {
    return m.visit_tree("shared_bytes", [&]<class T>(held<hisparse<T>> const& h) {
        return shared_bytes(h.a, other.tree<T>("shared_bytes", h.where));
    });
}

}  // namespace

void add_matrix(nb::module_& m, nb::class_<matrix>& c) {
    m.def("use_threads", &use_threads, nb::arg("threads"),
          "Calls of this thread run on that many threads from now on; 0: one for each usable processor. Returns the "
          "previous number.");
    m.def(
        "thread_count", [] { return executor().threads(); }, "How many threads calls of this thread run on.");
    m.def(
        "why_not",
        [](std::string const& device) -> std::optional<std::string> {
            place const where = place_of(device);
            std::string why;
            if (where.kind != place_kind::gpu || gpu::usable(&why, where.device)) return std::nullopt;
            return COPSE_PYTHON_CUDA ? why : "this build of copse has no GPU code: install the wheel copse-cuda13";
        },
        nb::arg("device"), "The reason why a device cannot be used; None if it can.");
    c.def_prop_ro("shape", &shape);
    c.def_prop_ro("dtype", &dtype);
    c.def_prop_ro("format", &format);
    c.def_prop_ro("device", [](matrix const& a) { return a.visit([](auto const& h) { return h.where.name(); }); });
    c.def_prop_ro("nnz", [](matrix const& a) { return a.visit([](auto const& h) { return h.a.entry_count(); }); });
    c.def_prop_ro("nbytes", [](matrix const& a) { return a.visit([](auto const& h) { return h.a.bytes(); }); });
    c.def_prop_ro("is_transposed",
                  [](matrix const& a) { return a.visit([](auto const& h) { return h.a.is_transposed(); }); });
    c.def_prop_ro("scale", [](matrix const& a) {
        return a.visit([](auto const& h) { return static_cast<double>(h.a.scale()); });
    });
    c.def("transposed", &transposed, "A^T; shares the content and the plans. O(1).");
    c.def(
        "stored", [](matrix const& a) { return a.visit([](auto const& h) { return matrix(h.with(h.stored())); }); },
        "The content without the state: neither transposed nor scaled.");
    c.def("scaled", &scaled, nb::arg("factor"), "factor A; shares the content and the plans. O(1).");
    c.def("make_plan", &make_plan,
          "Makes the plan of products for this thread's number of threads, unless there is one.");
    c.def_prop_ro("plan_bytes", &plan_bytes, "Bytes of the plans made so far.");
    c.def("tuned_format", &tuned_format, nb::arg("products"), "The format that a trial for so many products takes.");
    c.def("shared_bytes", &bytes_shared, nb::arg("other"), "Bytes of nodes that two matrices in HiSparse share.");
}

}  // namespace copse::python
