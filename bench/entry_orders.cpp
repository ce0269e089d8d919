#include "bench/entry_orders.hpp"

#include <algorithm>
#include <array>
#include <copse/algebra/add.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "bench/queued_product.hpp"
#include "bench/harness/addition.hpp"
#include "bench/harness/product.hpp"

namespace copse::bench {
namespace {

struct named_order {
    entry_order order;
    char const* name;
};
/// The library's own first, and once more behind the others: what differs is noise.
constexpr std::array<named_order, 4> orders{{{entry_order::by_diagonals, "by diagonals"},
                                             {entry_order::by_rows, "by rows"},
                                             {entry_order::by_columns, "by columns"},
                                             {entry_order::by_diagonals, "by diagonals"}}};

/// In place: the leaf is in a copy that nobody else has.
template <class T>
void sort_entries(sparse_leaf_view<T> const& leaf, entry_order order, int dimension) {
    struct entry {
        std::uint8_t row, column;
        T value;
    };
    std::vector<entry> entries;
    for (int i = 0; i < leaf.count; ++i) entries.push_back({leaf.rows[i], leaf.columns[i], leaf.values[i]});
    auto const key = [&](entry const& e) {
        if (order == entry_order::by_rows) return std::pair<int, int>(e.row, e.column);
        if (order == entry_order::by_columns) return std::pair<int, int>(e.column, e.row);
        return std::pair<int, int>((e.column - e.row) & (dimension - 1), e.row);
    };
    std::sort(entries.begin(), entries.end(), [&](entry const& x, entry const& y) { return key(x) < key(y); });
    auto* const rows = const_cast<std::uint8_t*>(leaf.rows);
    auto* const columns = const_cast<std::uint8_t*>(leaf.columns);
    auto* const values = const_cast<T*>(leaf.values);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        rows[i] = entries[i].row;
        columns[i] = entries[i].column;
        values[i] = entries[i].value;
    }
}

/// What all races have in common.
template <class T>
struct order_field {
    std::string const& name;
    target& where;
    std::shared_ptr<gpu_clock> clock;
    int repeats;
};

template <class T>
tuning_race start_race(order_field<T> const& f, char const* operation, csr<T> const& a) {
    return {std::string("entry order, ") + operation,
            f.name,
            type_name<T>,
            f.where.on(),
            a.row_count,
            a.entry_count(),
            {},
            0};
}

/// entrants: those of `orders`.
template <class Entrants>
void finish_race(tuning_race& race, Entrants const& entrants) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
        auto const& r = entrants[i]->record;
        if (!r.has_times())
            throw error(race.format + ", " + orders[i].name + ": " +
                        (r.failure.empty() ? "the result is wrong" : r.failure));
        if (i + 1 < orders.size())
            race.sizes.push_back({orders[i].name, i == 0, r.m.seconds, static_cast<double>(r.m.bytes)});
        else
            race.default_again = r.m.seconds;
    }
}

template <class T>
tuning_race race_products(order_field<T> const& f, csr<T> const& a, std::vector<hisparse<T>> const& in_orders,
                          bool transposed) {
    problem<T> const what{f.name, a, transposed};
    auto race = start_race(f, transposed ? "A^T x" : "A x", a);
    products<T> entrants;
    for (auto const& one : in_orders) {
        auto const plan =
            f.where.with([&](auto& executor) { return spmv_plan<T>(executor, transposed ? one.transposed() : one); });
        auto r = describe(what, race.format, one.bytes(), f.where.threads());
        if (f.clock)
            entrants.push_back(queued_product<T>(f.clock, what, std::move(r),
                                                 [plan](gpu& executor, vector_view<T const> x, vector_view<T> y) {
                                                     spmv_async(executor, T(1), plan, x, T(0), y);
                                                 }));
        else
            entrants.push_back(product_on(f.where, what, std::move(r), plan));
    }
    run_race(entrants, on_cpu(f.repeats, f.clock == nullptr));
    finish_race(race, entrants);
    return race;
}

/// A + op(B). Conversions want leaves in the library's order: the sum's are put there before it is checked.
template <class T>
class sum_in_order final : public addition<T> {
  public:
    sum_in_order(race_record r, sum_problem<T> const& what, target& where, hisparse<T> a, hisparse<T> b)
        : addition<T>(std::move(r), what), where_(where), a_(std::move(a)), b_(std::move(b)) {}

    void add() override {
        where_.with([&](auto& executor) { c_ = copse::add(executor, T(1), a_, T(1), b_); });
    }
    void forget(int) override { c_.reset(); }
    csr<T> result() const override { return to_csr(with_entries(*c_, entry_order::by_diagonals, host_memory())); }
    std::int64_t result_bytes() const override { return c_->content()->reachable_bytes; }

  private:
    target& where_;
    hisparse<T> a_;
    hisparse<T> b_;
    std::optional<hisparse<T>> c_;
};

template <class T>
tuning_race race_sums(order_field<T> const& f, csr<T> const& a, csr<T> const& b,
                      std::vector<hisparse<T>> const& a_in_orders, std::vector<hisparse<T>> const& b_in_orders,
                      bool transposed) {
    sum_problem<T> const what{{f.name, a, false}, {f.name, b, transposed}};
    auto race = start_race(f, transposed ? "A + B^T" : "A + B", a);
    additions<T> all;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        auto const& b_stored = b_in_orders[i];
        auto const bytes = a_in_orders[i].bytes() + b_stored.bytes();
        all.push_back(std::make_unique<sum_in_order<T>>(describe(what, race.format, bytes, f.where.threads()), what,
                                                        f.where, a_in_orders[i],
                                                        transposed ? b_stored.transposed() : b_stored));
    }
    run_race(all, on_cpu(f.repeats, false));
    finish_race(race, all);
    return race;
}

}  // namespace

template <class T>
hisparse<T> with_entries(hisparse<T> const& a, entry_order order, std::shared_ptr<memory> const& where) {
    auto copy = detail::copy_tree(*a.content(), sizeof(T), false);
    copy.notes = std::make_shared<structure_notes>();
    detail::host_tree const tree(copy, sizeof(T));
    std::unordered_set<std::uintptr_t> seen;
    auto const sort = [&](child_reference node) {
        if (node.is_leaf() && node.kind() == node_kind::sparse)
            sort_entries(tree.view().template sparse_leaf<T>({node, 0, 0}), order, a.node_dimension());
    };
    detail::for_each_node(tree, copy.root, seen, sort);
    return hisparse<T>(std::make_shared<hisparse_content>(detail::place(std::move(copy), where)));
}

template <class T>
std::vector<tuning_race> race_orders(std::string const& name, csr<T> const& a, target& where,
                                     std::shared_ptr<gpu_clock> const& clock, int repeats) {
    order_field<T> const f{name, where, clock, repeats};
    auto const moved_by = [&](std::int64_t seed) { return to_csr(moved(to_coo(a), 10, seed)); };
    csr<T> const moved_a = moved_by(1), moved_b = moved_by(2);
    auto const in_orders = [&](csr<T> const& m) {
        hisparse<T> const stored(host_memory(), m);
        auto const& memory = where.with([](auto& executor) -> decltype(auto) { return executor.memory(); });
        std::vector<hisparse<T>> all;
        for (auto const& one : orders) all.push_back(with_entries(stored, one.order, memory));
        return all;
    };
    auto const all_a = in_orders(moved_a), all_b = in_orders(moved_b);
    std::vector<tuning_race> races;
    for (bool transposed : {false, true}) races.push_back(race_products(f, moved_a, all_a, transposed));
    for (bool transposed : {false, true})
        if (!transposed || a.row_count == a.column_count)
            races.push_back(race_sums(f, moved_a, moved_b, all_a, all_b, transposed));
    return races;
}

#define COPSE_INSTANTIATE(T)                                                                            \
    template hisparse<T> with_entries(hisparse<T> const&, entry_order, std::shared_ptr<memory> const&); \
    template std::vector<tuning_race> race_orders(std::string const&, csr<T> const&, target&,  \
                                                  std::shared_ptr<gpu_clock> const&, int);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse::bench
