// A x and A^T w with A read once, on the cpu: part by part, the second product from the cache (column_groups.hpp).
#include <algorithm>
#include <cmath>
#include <copse/algebra/plans/both_products.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/plan_threads.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <vector>

namespace copse::detail {
namespace {

/// Columns that are finished together.
constexpr std::int64_t columns_at_once = 8192;

template <class T, class V>
class both_replay {
  public:
    /// what.y and what.w: empty where rows only go through `rows`.
    both_replay(cpu& executor, plan_direction const& lists, replay<T, V> const& product, both_products<V> const& what,
                V factor)
        : executor_(executor),
          lists_(lists),
          product_(product),
          what_(what),
          factor_(factor),
          halos_(host_memory(), groups().back().first_halo) {}

    void run() {
        for_each_index(executor_, lists_, std::ssize(groups()) - 1,
                       [&](std::int64_t g) { replay_group(static_cast<std::size_t>(g)); });
        std::int64_t const n = what_.z.size();
        for_each_index(executor_, lists_, (n + columns_at_once - 1) / columns_at_once, [&](std::int64_t piece) {
            std::int64_t const first = piece * columns_at_once, last = std::min(n, first + columns_at_once);
            finish(first, last);
            if (what_.columns_done) what_.columns_done(piece, first, last);
        });
    }

  private:
    std::vector<column_group> const& groups() const { return lists_.columns.groups; }
    V* halo_of(column_group const& group) const { return halos_.data() + group.first_halo; }

    void replay_group(std::size_t g) {
        column_group const& group = groups()[g];
        V* const z = what_.z.data();
        V* const halo = halo_of(group);
        std::int64_t const d = product_.tree.dimension(), room = (lists_.most_rows + d - 1) / d * d;
        buffer<V> const own(host_memory(), 2 * room);
        V* const sums = own.data();
        V* const own_w = sums + room;
        image_sums<V> to{nullptr,
                         group.own_first,
                         group.own_last,
                         halo - group.first,
                         z,
                         halo - group.first - (group.own_last - group.own_first)};
        std::int64_t begun = group.first;  // columns before it have sums
        for (std::int64_t p = group.first_part; p < groups()[g + 1].first_part; ++p) {
            plan_part const& part = product_.parts[p];
            for (std::int64_t const end = lists_.columns.ends[static_cast<std::size_t>(p)]; begun < end;) {
                bool const is_own = group.owns(begun);
                std::int64_t const until = is_own                    ? group.own_last
                                           : begun < group.own_first ? group.own_first
                                                                     : group.last;
                std::int64_t const count = std::min(end, until) - begun;
                begin_rows(is_own ? what_.delta : V(0), to.at(begun), count);
                begun += count;
            }
            sum_part(product_, p, sums);
            to.w = rows_of(p, part, sums, own_w);
            sum_images_of_part(product_, p, to);
        }
    }

    /// Finishes the part's rows. Returns what A^T is multiplied with in them.
    V const* rows_of(std::int64_t p, plan_part const& part, V const* sums, V* own_w) const {
        std::int64_t const first = part.first_row;
        V* const rows = what_.y.size() > 0 ? what_.y.data() + first : own_w;
        write_rows(product_.factor, sums, product_.beta, rows, part.rows);
        if (what_.rows_done) what_.rows_done(p, first, first + part.rows, rows);
        V const* const w = what_.w.size() > 0 ? what_.w.data() + first : rows;
        if (factor_ == V(1)) return w;
        for (std::int64_t i = 0; i < part.rows; ++i) own_w[i] = factor_ * w[i];
        return own_w;
    }

    /// Adds up the columns that no group owns: several groups meet them, or none does.
    void finish(std::int64_t first, std::int64_t last) const {
        V* const z = what_.z.data();
        while (first < last) {
            std::int64_t until = last;
            bool is_own = false;
            for (std::size_t g = 0; g + 1 < groups().size(); ++g) {
                column_group const& group = groups()[g];
                is_own = is_own || group.owns(first);
                for (std::int64_t const edge : {group.first, group.own_first, group.own_last, group.last})
                    if (edge > first) until = std::min(until, edge);
            }
            if (!is_own) {
                begin_rows(what_.delta, z + first, until - first);
                for (std::size_t g = 0; g + 1 < groups().size(); ++g) {
                    column_group const& group = groups()[g];
                    if (!group.meets(first)) continue;
                    V const* const halo = halo_of(group) + group.in_halo(first);
                    for (std::int64_t i = 0; i < until - first; ++i) z[first + i] += halo[i];
                }
            }
            first = until;
        }
    }

    cpu& executor_;
    plan_direction const& lists_;
    replay<T, V> const& product_;
    both_products<V> const& what_;
    V factor_;  // of A^T w, the matrix's scale included
    buffer<V> halos_;
};

/// One product after the other.
template <class T, class V>
void replay_one_by_one(cpu& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    buffer<V> own_rows;
    if (what.y.size() == 0) own_rows = {executor.memory(), plan.row_count()};
    vector_view<V> const y = what.y.size() > 0 ? what.y : own_rows.view();
    auto const& done = what.rows_done;
    rows_done const on_rows = [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
        done(piece, first, last, y.data() + first);
    };
    replay_on_cpu<T, V>(executor, what.alpha, plan, what.x, what.beta, y, done ? on_rows : rows_done());
    replay_on_cpu<T, V>(executor, what.gamma, plan.transposed(), what.w.size() > 0 ? what.w : vector_view<V const>(y),
                        what.delta, what.z, what.columns_done);
}

/// gamma with the matrix's scale.
template <class T, class V>
V factor_of_second(spmv_plan<T> const& plan, both_products<V> const& what) {
    return product_factor(what.gamma, static_cast<V>(plan.matrix().scale()));
}
/// Whether A is read once: the lists of A^T are not looked at then.
template <class T, class V>
bool reads_once(cpu const& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    return !direction_of(executor, plan).columns.groups.empty() && what.alpha != V(0) && what.gamma != V(0) &&
           std::isfinite(factor_of_second(plan, what));
}

}  // namespace

template <class T, class V>
void replay_both_on_cpu(cpu& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    nvtx_range const range(nvtx_room::algebra, "copse replay both", 2 * plan.matrix().entry_count());
    if (!reads_once(executor, plan, what)) return replay_one_by_one(executor, plan, what);
    replay<T, V> const product = replay_of<T, V>(plan, what.alpha, what.x, what.beta, what.y);
    both_replay<T, V>(executor, direction_of(plan), product, what, factor_of_second(plan, what)).run();
}

template <class T, class V>
std::int64_t most_pieces_of_both(cpu const& executor, spmv_plan<T> const& plan, both_products<V> const& what) {
    bool const once = reads_once(executor, plan, what);
    std::int64_t const of_z =
        once ? (plan.column_count() + columns_at_once - 1) / columns_at_once : piece_count(executor, plan.transposed());
    return std::max(piece_count(plan), of_z);
}

template void replay_both_on_cpu(cpu&, spmv_plan<float> const&, both_products<float> const&);
template void replay_both_on_cpu(cpu&, spmv_plan<double> const&, both_products<double> const&);
template void replay_both_on_cpu(cpu&, spmv_plan<float> const&, both_products<double> const&);
template std::int64_t most_pieces_of_both(cpu const&, spmv_plan<float> const&, both_products<float> const&);
template std::int64_t most_pieces_of_both(cpu const&, spmv_plan<double> const&, both_products<double> const&);
template std::int64_t most_pieces_of_both(cpu const&, spmv_plan<float> const&, both_products<double> const&);

}  // namespace copse::detail
