#include "bench/harness/addition.hpp"

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/cpu/csr_add.hpp>
#include <copse/cpu/shapes.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/statistics.hpp>
#include <optional>
#include <utility>

namespace copse::bench::measure {
namespace {

template <class T>
class csr_addition final : public addition<T> {
  public:
    csr_addition(sum_problem<T> const& what, int threads) : what_(what), threads_(threads) {}

    void prepare() override { c_ = csr<T>(); }
    void run() override {
        auto const& [alpha, a, beta, b] = what_;
        c_ = add<T>(threads_, alpha, a.matrix, a.transpose, beta, b.matrix, b.transpose);
    }
    csr<T> result() const override { return c_; }
    std::int64_t result_bytes() const override { return bytes_of(c_); }

  private:
    sum_problem<T> const& what_;
    int threads_;
    csr<T> c_;
};

template <class T>
class hisparse_addition final : public addition<T> {
  public:
    /// rows: of result(); null: all.
    hisparse_addition(target& where, T alpha, hisparse<T> a, T beta, hisparse<T> b, row_numbers const* rows = nullptr)
        : where_(where), alpha_(alpha), a_(std::move(a)), beta_(beta), b_(std::move(b)), rows_(rows) {}

    void prepare() override { c_.reset(); }
    void run() override {
        where_.with([&](auto& executor) { c_ = add(executor, alpha_, a_, beta_, b_); });
    }
    csr<T> result() const override { return rows_ ? rows_->compress(to_coo(*c_)) : to_csr(*c_); }
    std::int64_t result_bytes() const override { return c_->content()->reachable_bytes; }
    /// A and B were converted one by one: no node is both's.
    std::int64_t shared_bytes() const override { return copse::shared_bytes(a_, *c_) + copse::shared_bytes(b_, *c_); }

  private:
    target& where_;
    T alpha_;
    hisparse<T> a_;
    T beta_;
    hisparse<T> b_;
    row_numbers const* rows_;
    std::optional<hisparse<T>> c_;
};

template <class T>
void check_shapes(sum_problem<T> const& what) {
    auto const& a = what.a.matrix;
    auto const& b = what.b.matrix;
    check_sum_shapes(a.row_count, a.column_count, what.a.transpose, b.row_count, b.column_count, what.b.transpose);
}

template <class T>
measurement describe_trees(sum_problem<T> const& what, converted<hisparse<T>> const& a, converted<hisparse<T>> const& b,
                           target const& where) {
    auto m = describe(what, "hisparse", a.matrix.bytes() + b.matrix.bytes(), where.threads());
    m.on = where.on();
    if (auto const controller = where.controller()) m.controller = name_of(*controller);
    m.convert_seconds = a.seconds + b.seconds;
    m.node_dimension = a.matrix.node_dimension();
    return m;
}

}  // namespace

template <class T>
measurement describe(sum_problem<T> const& what, std::string format, std::int64_t bytes, int threads) {
    auto const& a = what.a.matrix;
    auto const& b = what.b.matrix;
    measurement m;
    m.op = "add";
    m.transpose = what.a.transpose;
    m.matrix = what.a.name;
    m.format = std::move(format);
    m.on = "cpu";
    m.type = type_name<T>;
    m.threads = threads;
    m.rows = a.row_count;
    m.columns = a.column_count;
    m.entries = a.entry_count();
    m.bytes = bytes;
    m.plus = {what.b.name, what.b.transpose, b.row_count, b.column_count, b.entry_count(), 0, 0};
    return m;
}

template <class T>
adder<T> csr_adder(sum_problem<T> const& what, int threads) {
    check_shapes(what);
    auto const bytes = bytes_of(what.a.matrix) + bytes_of(what.b.matrix);
    return {describe(what, "csr", bytes, threads), std::make_unique<csr_addition<T>>(what, threads)};
}

template <class T>
adder<T> hisparse_adder(sum_problem<T> const& what, converted<hisparse<T>> const& a, converted<hisparse<T>> const& b,
                        target& where) {
    check_shapes(what);
    auto const op = [](hisparse<T> const& tree, bool transpose) { return transpose ? tree.transposed() : tree; };
    return {describe_trees(what, a, b, where),
            std::make_unique<hisparse_addition<T>>(where, what.alpha, op(a.matrix, what.a.transpose), what.beta,
                                                   op(b.matrix, what.b.transpose))};
}

template <class T>
adder<T> hisparse_adder(sum_problem<T> const& what, converted<hisparse<T>> const& a, converted<hisparse<T>> const& b,
                        target& where, row_numbers const& rows) {
    auto m = describe_trees(what, a, b, where);
    // As stored.
    auto const shape = [](hisparse<T> const& tree, auto& transpose, auto& row_count, auto& column_count) {
        transpose = tree.is_transposed();
        row_count = transpose ? tree.column_count() : tree.row_count();
        column_count = transpose ? tree.row_count() : tree.column_count();
    };
    shape(a.matrix, m.transpose, m.rows, m.columns);
    shape(b.matrix, m.plus->transpose, m.plus->rows, m.plus->columns);
    return {std::move(m),
            std::make_unique<hisparse_addition<T>>(where, what.alpha, a.matrix, what.beta, b.matrix, &rows)};
}

template <class T>
reference::sum<T> expect(sum_problem<T> const& what) {
    auto const& [alpha, a, beta, b] = what;
    return reference::add<T>(alpha, a.matrix, a.transpose, beta, b.matrix, b.transpose);
}

template <class T>
void run_in_turn(std::vector<adder<T>>& adders, reference::sum<T> const& expected, int repeats,
                 memory_probe const& probe) {
    auto const& c = expected.c;
    bool const some_drop_zeros =
        std::any_of(adders.begin(), adders.end(), [](adder<T> const& one) { return one.what->drops_zeros(); });
    auto const nonzero = some_drop_zeros ? reference::without_zeros(expected) : reference::sum<T>();
    std::vector<entrant> entrants;
    for (auto& one : adders) {
        auto& record = one.record;
        record.plus->result_entries = c.entry_count();
        record.csr_moved_bytes = csr_bytes(record.rows, record.entries, sizeof(T)) +
                                 csr_bytes(record.plus->rows, record.plus->entries, sizeof(T)) +
                                 csr_bytes(record.transpose ? record.columns : record.rows, c.entry_count(), sizeof(T));
        auto const& its_expected = one.what->drops_zeros() ? nonzero : expected;
        auto const error = [&record, &its_expected, &what = *one.what] {
            record.plus->result_bytes = what.result_bytes();
            // What C shares is in A or B and in C, and stays where it is. (That its inner nodes are read once, to be
            // counted, is left out, as is the second look at C's own.)
            record.moved_bytes = record.bytes + record.plus->result_bytes - 2 * what.shared_bytes();
            return reference::max_error(what.result(), its_expected);
        };
        entrants.push_back({record, *one.what, error});
    }
    take_turns(entrants, repeats, checks::first_and_last, probe);
}

template <class T>
std::int64_t bytes_of(csr<T> const& a) {
    return a.entry_count() * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T)) +
           std::ssize(a.row_offsets) * static_cast<std::int64_t>(sizeof(std::int64_t));
}

template <class T>
std::int64_t bytes_of(coo<T> const& a) {
    return coo_bytes(a.entry_count(), sizeof(T));
}

template measurement describe(sum_problem<float> const&, std::string, std::int64_t, int);
template measurement describe(sum_problem<double> const&, std::string, std::int64_t, int);
template adder<float> csr_adder(sum_problem<float> const&, int);
template adder<double> csr_adder(sum_problem<double> const&, int);
template adder<float> hisparse_adder(sum_problem<float> const&, converted<hisparse<float>> const&,
                                     converted<hisparse<float>> const&, target&);
template adder<double> hisparse_adder(sum_problem<double> const&, converted<hisparse<double>> const&,
                                      converted<hisparse<double>> const&, target&);
template adder<float> hisparse_adder(sum_problem<float> const&, converted<hisparse<float>> const&,
                                     converted<hisparse<float>> const&, target&, row_numbers const&);
template adder<double> hisparse_adder(sum_problem<double> const&, converted<hisparse<double>> const&,
                                      converted<hisparse<double>> const&, target&, row_numbers const&);
template reference::sum<float> expect(sum_problem<float> const&);
template reference::sum<double> expect(sum_problem<double> const&);
template void run_in_turn(std::vector<adder<float>>&, reference::sum<float> const&, int, memory_probe const&);
template void run_in_turn(std::vector<adder<double>>&, reference::sum<double> const&, int, memory_probe const&);
template std::int64_t bytes_of(csr<float> const&);
template std::int64_t bytes_of(csr<double> const&);
template std::int64_t bytes_of(coo<float> const&);
template std::int64_t bytes_of(coo<double> const&);

}  // namespace copse::bench::measure
