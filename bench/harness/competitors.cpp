#include "bench/harness/competitors.hpp"

#include <copse/formats/statistics.hpp>

#include "bench/harness/addition.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench::measure {

template <class T>
measurement describe(problem<T> const& what, std::string format, std::int64_t bytes, int threads) {
    measurement m;
    m.transpose = what.transpose;
    m.matrix = what.matrix;
    m.format = std::move(format);
    m.on = "cpu";
    m.type = type_name<T>;
    m.threads = threads;
    m.rows = what.a.row_count;
    m.columns = what.a.column_count;
    m.entries = what.a.entry_count();
    m.bytes = bytes;
    auto const y_read = what.v.beta == T(0) ? 0 : std::ssize(what.v.y);
    auto const vector_bytes = (m.rows + m.columns + y_read) * static_cast<std::int64_t>(sizeof(T));
    m.moved_bytes = bytes + vector_bytes;
    m.csr_moved_bytes = csr_bytes(m.rows, m.entries, sizeof(T)) + vector_bytes;
    return m;
}

namespace {

/// a: csr or coo. A tree takes about what its entries do, and nothing for rows without any.
template <class T, class Matrix>
converted<hisparse<T>> make_tree(target& where, std::string const& matrix, Matrix const& a, int node_dimension) {
    auto const make = [&] {
        return where.with([&](auto& executor) { return hisparse<T>(executor, a, {.node_dimension = node_dimension}); });
    };
    std::optional<hisparse<T>> tree;
    double const seconds = seconds_of([&] {
        tree = within_memory("converting '" + matrix + "' to HiSparse",
                             static_cast<double>(a.entry_count() * static_cast<std::int64_t>(4 + sizeof(T))), make);
    });
    return {*std::move(tree), seconds};
}

}  // namespace

template <class T>
converted<hisparse<T>> convert(target& where, std::string const& matrix, csr<T> const& a, int node_dimension) {
    return make_tree<T>(where, matrix, a, node_dimension);
}

template <class T>
converted<hisparse<T>> convert(target& where, std::string const& matrix, coo<T> const& a, int node_dimension) {
    return make_tree<T>(where, matrix, a, node_dimension);
}

template <class T>
converted<spmv_plan<T>> make_plan(target& where, std::string const& matrix, hisparse<T> const& tree) {
    auto const make = [&] { return where.with([&](auto& executor) { return spmv_plan<T>(executor, tree); }); };
    std::optional<spmv_plan<T>> plan;
    double const seconds = seconds_of([&] {
        plan = within_memory("making a plan for '" + matrix + "'", static_cast<double>(tree.bytes()), make);
    });
    return {*std::move(plan), seconds};
}

template <class T, class S>
measurement describe_tree(problem<T> const& what, converted<hisparse<S>> const& tree, std::int64_t bytes,
                          target const& where) {
    auto m = describe(what, "hisparse", bytes, where.threads());
    m.on = where.on();
    if (auto const controller = where.controller()) m.controller = name_of(*controller);
    m.convert_seconds = tree.seconds;
    m.node_dimension = tree.matrix.node_dimension();
    return m;
}

template <class T>
competitor<T> hisparse_competitor(problem<T> const& what, converted<hisparse<T>> const& tree, target& where) {
    return {describe_tree(what, tree, tree.matrix.bytes(), where),
            hisparse_product(where, what.transpose ? tree.matrix.transposed() : tree.matrix, what.v)};
}

template <class T, class S>
competitor<T> plan_competitor(problem<T> const& what, converted<hisparse<S>> const& tree,
                              converted<spmv_plan<S>> const& plan, target& where) {
    auto m = describe_tree(what, tree, tree.matrix.bytes() + plan.matrix.bytes(), where);
    m.mode = "plan";
    m.plan_seconds = plan.seconds;
    auto const op = what.transpose ? plan.matrix.transposed() : plan.matrix;
    m.moved_bytes += op.list_bytes() - plan.matrix.bytes();
    return {std::move(m), plan_product(where, op, what.v)};
}

template <class T>
competitor<T> csr_competitor(problem<T> const& what, int threads) {
    return {describe(what, "csr", bytes_of(what.a), threads), csr_product(threads, what.a, what.transpose, what.v)};
}

template <class T>
competitor<T> csr_of_transpose_competitor(problem<T> const& what, converted<csr<T>> const& transposed, int threads) {
    auto m = describe(what, "csr-of-transpose", bytes_of(transposed.matrix), threads);
    m.convert_seconds = transposed.seconds;
    return {std::move(m), csr_product(threads, transposed.matrix, false, what.v)};
}

template measurement describe(problem<float> const&, std::string, std::int64_t, int);
template measurement describe(problem<double> const&, std::string, std::int64_t, int);
template converted<hisparse<float>> convert(target&, std::string const&, csr<float> const&, int);
template converted<hisparse<double>> convert(target&, std::string const&, csr<double> const&, int);
template converted<hisparse<float>> convert(target&, std::string const&, coo<float> const&, int);
template converted<hisparse<double>> convert(target&, std::string const&, coo<double> const&, int);
template competitor<float> hisparse_competitor(problem<float> const&, converted<hisparse<float>> const&, target&);
template competitor<double> hisparse_competitor(problem<double> const&, converted<hisparse<double>> const&, target&);
template converted<spmv_plan<float>> make_plan(target&, std::string const&, hisparse<float> const&);
template converted<spmv_plan<double>> make_plan(target&, std::string const&, hisparse<double> const&);
template competitor<float> plan_competitor(problem<float> const&, converted<hisparse<float>> const&,
                                           converted<spmv_plan<float>> const&, target&);
template competitor<double> plan_competitor(problem<double> const&, converted<hisparse<double>> const&,
                                            converted<spmv_plan<double>> const&, target&);
template competitor<double> plan_competitor(problem<double> const&, converted<hisparse<float>> const&,
                                            converted<spmv_plan<float>> const&, target&);
template competitor<float> csr_competitor(problem<float> const&, int);
template competitor<double> csr_competitor(problem<double> const&, int);
template competitor<float> csr_of_transpose_competitor(problem<float> const&, converted<csr<float>> const&, int);
template competitor<double> csr_of_transpose_competitor(problem<double> const&, converted<csr<double>> const&, int);

}  // namespace copse::bench::measure
