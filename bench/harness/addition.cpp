#include "bench/harness/addition.hpp"

#include <copse/algebra/add.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <optional>
#include <utility>

namespace copse::bench {
namespace {

template <class T>
class hisparse_addition_on final : public addition<T> {
  public:
    hisparse_addition_on(race_record r, sum_problem<T> const& what, target& where, hisparse<T> const& a,
                         hisparse<T> const& b)
        : addition<T>(std::move(r), what),
          where_(where),
          a_(what.a.transpose ? a.transposed() : a),
          b_(what.b.transpose ? b.transposed() : b) {}

    void add() override {
        where_.with([&](auto& executor) { c_ = copse::add(executor, T(1), a_, T(1), b_); });
    }
    void forget(int) override { c_.reset(); }
    csr<T> result() const override { return to_csr(*c_); }
    std::int64_t result_bytes() const override { return c_->content()->reachable_bytes; }
    /// A and B were converted one by one: no node is both's.
    std::int64_t shared_bytes() const override { return copse::shared_bytes(a_, *c_) + copse::shared_bytes(b_, *c_); }

  private:
    target& where_;
    hisparse<T> a_, b_;
    std::optional<hisparse<T>> c_;
};

/// Values only: where they go was recorded before.
template <class T>
class planned_addition final : public addition<T> {
  public:
    planned_addition(race_record r, sum_problem<T> const& what, target& where, hisparse<T> const& a,
                     hisparse<T> const& b, sum_plan<T> plan)
        : addition<T>(std::move(r), what), where_(where), a_(a), b_(b), plan_(std::move(plan)) {}

    void add() override {
        where_.with([&](auto& executor) { c_ = copse::add(executor, plan_, T(1), a_, T(1), b_); });
    }
    void forget(int) override { c_.reset(); }
    csr<T> result() const override { return to_csr(*c_); }
    std::int64_t result_bytes() const override { return c_->content()->reachable_bytes; }
    double largest_error(int set) override {
        double const error = addition<T>::largest_error(set);
        auto const values = a_.entry_count() + b_.entry_count() + c_->entry_count();
        this->record.m.moved_bytes = values * static_cast<std::int64_t>(sizeof(T)) + plan_.bytes() - c_->bytes();
        return error;
    }

  private:
    target& where_;
    hisparse<T> a_, b_;
    sum_plan<T> plan_;
    std::optional<hisparse<T>> c_;
};

}  // namespace

template <class T>
double addition<T>::largest_error(int) {
    auto& m = record.m;
    m.plus->result_bytes = result_bytes();
    // What C shares is in A or B and in C, and stays where it is. (That its inner nodes are read once, to be counted,
    // is left out, as is the second look at C's own.)
    m.moved_bytes = m.bytes + m.plus->result_bytes - 2 * shared_bytes();
    return drops_zeros() ? reference::max_error(result(), reference::without_zeros(what_.expected))
                         : reference::max_error(result(), what_.expected);
}

template <class T>
race_record describe(sum_problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds) {
    auto const &a = what.a.matrix, &b = what.b.matrix;
    race_record r;
    auto& m = r.m;
    m.op = "add";
    m.transpose = what.a.transpose;
    m.matrix = what.a.name;
    m.format = r.variant = std::move(format);
    m.on = "cpu";
    m.type = type_name<T>;
    m.threads = threads;
    m.rows = a.row_count;
    m.columns = a.column_count;
    m.entries = a.entry_count();
    m.bytes = bytes;
    m.convert_seconds = convert_seconds;
    auto const& c = what.expected.c;
    m.plus = {what.b.name, what.b.transpose, b.row_count, b.column_count, b.entry_count(), c.entry_count(), 0};
    m.csr_moved_bytes = csr_bytes(a.row_count, a.entry_count(), sizeof(T)) +
                        csr_bytes(b.row_count, b.entry_count(), sizeof(T)) +
                        csr_bytes(c.row_count, c.entry_count(), sizeof(T));
    return r;
}

template <class T>
std::unique_ptr<addition<T>> csr_addition(sum_problem<T> const& what, int threads) {
    auto const bytes = bytes_of(what.a.matrix) + bytes_of(what.b.matrix);
    return sum_by(
        describe(what, "csr", bytes, threads), what,
        [=, a = what.a, b = what.b] {
            return copse::add<T>(threads, 1, a.matrix, a.transpose, 1, b.matrix, b.transpose);
        },
        [](csr<T> const& c) { return c; }, [](csr<T> const& c) { return bytes_of(c); });
}

template <class T>
std::unique_ptr<addition<T>> hisparse_addition(sum_problem<T> const& what, converted<hisparse<T>> const& a,
                                               converted<hisparse<T>> const& b, target& where) {
    auto r = describe(what, "hisparse", a.matrix.bytes() + b.matrix.bytes(), where.threads(), a.seconds + b.seconds);
    r.m.on = where.on();
    r.m.node_dimension = a.matrix.node_dimension();
    return std::make_unique<hisparse_addition_on<T>>(std::move(r), what, where, a.matrix, b.matrix);
}

template <class T>
std::unique_ptr<addition<T>> planned_hisparse_addition(sum_problem<T> const& what, converted<hisparse<T>> const& a,
                                                       converted<hisparse<T>> const& b, target& where) {
    hisparse<T> const op_a = what.a.transpose ? a.matrix.transposed() : a.matrix;
    hisparse<T> const op_b = what.b.transpose ? b.matrix.transposed() : b.matrix;
    auto plan = timed([&] { return where.with([&](auto& executor) { return sum_plan<T>(executor, op_a, op_b); }); });
    auto r = describe(what, "hisparse", a.matrix.bytes() + b.matrix.bytes() + plan.matrix.bytes(), where.threads(),
                      a.seconds + b.seconds);
    r.m.on = where.on();
    r.m.node_dimension = a.matrix.node_dimension();
    r.m.mode = "plan";
    r.m.plan_seconds = plan.seconds;
    return std::make_unique<planned_addition<T>>(std::move(r), what, where, op_a, op_b, std::move(plan.matrix));
}

#define COPSE_INSTANTIATE(T)                                                                                      \
    template class addition<T>;                                                                                   \
    template race_record describe(sum_problem<T> const&, std::string, std::int64_t, int, double);                 \
    template std::unique_ptr<addition<T>> csr_addition(sum_problem<T> const&, int);                               \
    template std::unique_ptr<addition<T>> hisparse_addition(sum_problem<T> const&, converted<hisparse<T>> const&, \
                                                            converted<hisparse<T>> const&, target&);              \
    template std::unique_ptr<addition<T>> planned_hisparse_addition(                                              \
        sum_problem<T> const&, converted<hisparse<T>> const&, converted<hisparse<T>> const&, target&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse::bench
