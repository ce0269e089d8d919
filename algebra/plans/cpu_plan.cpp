// Products with plans on the cpu.
#include <algorithm>
#include <atomic>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/plan_threads.hpp>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/work_portions.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <memory>

namespace copse {
namespace {

/// A product on its way, on the cpu.
template <class T, class V>
class cpu_replay {
  public:
    cpu_replay(cpu& executor, detail::plan_direction const& lists, detail::replay<T, V> const& product,
               detail::rows_done const& done)
        : executor_(executor), lists_(lists), product_(product), done_(done) {
        slots_ = {host_memory(), lists.slot_count << product.tree.dimension_log2()};
        left_ = std::make_unique<std::atomic<std::int32_t>[]>(static_cast<std::size_t>(lists.split_count));
        for (std::int64_t i = 0; i < lists.split_count; ++i)
            left_[static_cast<std::size_t>(i)].store(product.splits[i].slots, std::memory_order_relaxed);
    }

    void run() {
        bool const alone = detail::runs_alone(executor_, lists_);
        detail::work_portions portions = detail::portions_of(lists_.work_before, alone ? 1 : executor_.threads());
        detail::on_threads(executor_, alone, [&](int thread, std::atomic<bool> const& stopped) {
            std::int64_t const d = product_.tree.dimension();
            buffer<V> const sums(host_memory(), (lists_.most_rows + d - 1) / d * d);
            portions.for_each(thread, 1, [&](std::int64_t part, std::int64_t) {
                if (!stopped.load(std::memory_order_relaxed)) replay_part(part, sums.data());
            });
        });
    }

  private:
    void replay_part(std::int64_t index, V* sums) {
        detail::plan_part const& part = product_.parts[index];
        V* const own = part.split < 0 ? sums : slot(part.slot);
        detail::sum_part(product_, index, own);
        if (part.split < 0) return write(index, part.first_row, part.rows, own);
        // Acquires and releases: the thread that comes last reads the sums of all.
        auto& left = left_[static_cast<std::size_t>(part.split)];
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) write_split(part.split);
    }
    void write_split(std::int64_t index) {
        detail::plan_split const& split = product_.splits[index];
        V* const sums = slot(split.first_slot);
        for (int k = 1; k < split.slots; ++k)
            for (int i = 0; i < split.rows; ++i) sums[i] += slot(split.first_slot + k)[i];
        write(lists_.part_count + index, split.first_row, split.rows, sums);
    }
    void write(std::int64_t piece, std::int64_t first, std::int64_t count, V const* sums) {
        detail::write_rows(product_.factor, sums, product_.beta, product_.y + first, count);
        if (done_) done_(piece, first, first + count);
    }
    V* slot(std::int64_t i) const { return slots_.data() + (i << product_.tree.dimension_log2()); }

    cpu& executor_;
    detail::plan_direction const& lists_;
    detail::replay<T, V> const& product_;
    detail::rows_done const& done_;
    buffer<V> slots_;                                    // aligned, as all buffers are
    std::unique_ptr<std::atomic<std::int32_t>[]> left_;  // parts of each split that are not done
};

/// A product by a mirrored plan. A thread works on a group's parts in order: the rows of y to which a part adds begin
/// with beta * y, and get sums as they come. What a group adds behind its last row is its halo; it is added to y when
/// all groups are done, in their order. A factor that is neither 1 nor -1 multiplies whole sums: they are formed apart.
template <class T, class V>
class mirrored_replay {
  public:
    mirrored_replay(cpu& executor, detail::plan_direction const& lists, detail::replay<T, V> const& product,
                    detail::rows_done const& done)
        : executor_(executor), lists_(lists), product_(product), done_(done) {
        halos_ = {host_memory(), groups().back().first_halo};
        if (!adds_to_y()) apart_ = {host_memory(), groups().back().first_row};
    }

    void run() {
        detail::for_each_index(executor_, lists_, std::ssize(groups()) - 1,
                               [&](std::int64_t group) { replay_group(static_cast<std::size_t>(group)); });
        if (groups().back().first_halo == 0 && adds_to_y() && !done_) return;
        detail::for_each_index(executor_, lists_, lists_.part_count, [&](std::int64_t part) { finish_part(part); });
    }

  private:
    std::vector<detail::mirrored_group> const& groups() const { return lists_.mirrored.groups; }
    bool adds_to_y() const { return product_.factor == V(1) || product_.factor == V(-1); }

    void replay_group(std::size_t g) {
        detail::mirrored_group const& group = groups()[g];
        std::int64_t const end_row = groups()[g + 1].first_row, d = product_.tree.dimension();
        V const factor = adds_to_y() ? product_.factor : V(1), beta = adds_to_y() ? product_.beta : V(0);
        V* const y = adds_to_y() ? product_.y : apart_.data();
        V* const halo = halo_of(g);
        std::fill_n(halo, group.halo_rows, V(0));
        std::int64_t const room = (lists_.most_rows + d - 1) / d * d;
        buffer<V> const own(host_memory(), 2 * room);
        V* const sums = own.data();
        V* const own_x = sums + room;
        std::int64_t begun = group.first_row;  // rows before it have sums
        for (std::int64_t p = group.first_part; p < groups()[g + 1].first_part; ++p) {
            detail::plan_part const& part = product_.parts[p];
            detail::mirrored_part const& mirrored = lists_.mirrored.parts[static_cast<std::size_t>(p)];
            if (mirrored.end_row > begun) {
                detail::begin_rows(beta, y + begun, mirrored.end_row - begun);
                begun = mirrored.end_row;
            }
            V const* x = product_.x + part.first_row;
            if (factor != V(1) && mirrored.has_images_behind) {
                std::int64_t const count = std::min<std::int64_t>(part.rows, product_.x_size - part.first_row);
                for (std::int64_t i = 0; i < count; ++i) own_x[i] = -x[i];
                x = own_x;
            }
            std::int64_t const first = mirrored.first_item;
            detail::sum_mirrored_part(
                product_, p,
                {lists_.mirrored.items.data() + first,
                 lists_.mirrored.parts[static_cast<std::size_t>(p) + 1].first_item - first, end_row, y, halo, x},
                sums);
            detail::write_rows(factor, sums, V(1), y + part.first_row, part.rows);
        }
    }
    V* halo_of(std::size_t g) const { return halos_.data() + groups()[g].first_halo; }
    /// Adds the halos of the groups before the part's to its rows.
    void finish_part(std::int64_t p) {
        detail::plan_part const& part = product_.parts[p];
        std::int64_t const first = part.first_row, end = first + part.rows;
        V* const y = adds_to_y() ? product_.y : apart_.data();
        for (std::size_t g = 0; g + 1 < groups().size() && groups()[g + 1].first_row <= first; ++g) {
            detail::mirrored_group const& group = groups()[g];
            std::int64_t const halo_row = groups()[g + 1].first_row;
            V const* const halo = halo_of(g) - halo_row;
            for (std::int64_t i = first; i < std::min(end, halo_row + group.halo_rows); ++i) y[i] += halo[i];
        }
        if (!adds_to_y()) detail::write_rows(product_.factor, y + first, product_.beta, product_.y + first, part.rows);
        if (done_) done_(p, first, end);
    }

    cpu& executor_;
    detail::plan_direction const& lists_;
    detail::replay<T, V> const& product_;
    detail::rows_done const& done_;
    buffer<V> halos_;
    buffer<V> apart_;  // whole sums, where the factor is neither 1 nor -1
};

}  // namespace

template <class T>
spmv_plan<T> spmv_plan<T>::updated(hisparse<T> const& edited) const {
    nvtx_range const range(nvtx_room::algebra, "copse update plan", edited.entry_count());
    auto const shape_of = [](hisparse_content const& a) {
        return std::to_string(a.row_count) + " x " + std::to_string(a.column_count) + " with nodes of " +
               std::to_string(1 << a.dimension_log2);
    };
    hisparse_content const &planned = *content()->matrix, &wanted = *edited.content();
    if (shape_of(planned) != shape_of(wanted))
        throw shape_error("update: the plan is for a matrix that is stored " + shape_of(planned) +
                          ", but the edited matrix is " + shape_of(wanted) + "; make a plan for it");
    detail::check_space("update", edited.space(), "the edited matrix", content()->where->space());
    return {detail::update_plan(*content(), edited.content()), edited};
}

template <class T>
std::int64_t spmv_plan<T>::bytes() const {
    return content()->bytes();
}

template <class T>
std::int64_t spmv_plan<T>::list_bytes() const {
    auto const* const made = content()->directions[matrix_.is_transposed()].made();
    return made ? made->lists->bytes_read() : 0;
}

template <class T>
std::int64_t piece_count(spmv_plan<T> const& plan) {
    return detail::direction_of(plan).part_count + detail::direction_of(plan).split_count;
}
template std::int64_t piece_count(spmv_plan<float> const&);
template std::int64_t piece_count(spmv_plan<double> const&);

namespace detail {

/// Parts of about a quarter of a megabyte: long enough to be read at full speed, and short enough that threads end
/// together. Few entries in a row: more rows, as long as their sums fit the second cache. Wide leaves: eight parts for
/// a thread, because a part uses each element of x that it fetches once for every wide leaf in its rows that needs it
/// (uniform:1000000,16 16.5 to 13.0 ms, lp:100000,6000000 90 to 70; parts of twice and four times as many rows the
/// same). Streaks of one value each go across leaves, in parts as long as these.
template <class T>
plan_shape cpu_shape(hisparse<T> const& a, int threads) {
    std::int64_t const entries = a.entry_count(), m = a.row_count(), n = a.column_count();
    std::int64_t const portion = entries / (16 * static_cast<std::int64_t>(threads));
    std::int64_t const most_entries = std::max<std::int64_t>(8 * portion, 65536);
    auto const rows = [](std::int64_t wanted) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, 2048, 16384));
    };
    if (2 * a.census().wide_entries() > entries)
        return {.most_rows = rows(std::min(m, n) / (8 * static_cast<std::int64_t>(threads))),
                .join_entries = std::max<std::int64_t>(2 * portion, 32768),
                .most_entries = most_entries};
    return {.most_rows = rows(16384 * std::max(m, n) / std::max<std::int64_t>(entries, 1)),
            .join_entries = std::clamp<std::int64_t>(portion, 4096, 32768),
            .most_entries = most_entries,
            .has_streaks = true,
            .most_groups = threads};
}

template <class T>
std::int64_t piece_count(cpu const& executor, spmv_plan<T> const& plan) {
    direction_of(executor, plan);
    return copse::piece_count(plan);
}

template <class T, class V>
void replay_on_cpu(cpu& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta, vector_view<V> y,
                   rows_done const& done) {
    nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
    check_replay(plan, x, y, executor.memory()->space());
    auto const product = make_replay<T, V>(executor, alpha, plan, x, beta, y);
    if (direction_of(plan).mirrored.groups.empty() || !product.reads_matrix)
        cpu_replay<T, V>(executor, direction_of(plan), product, done).run();
    else
        mirrored_replay<T, V>(executor, direction_of(plan), product, done).run();
}

template void replay_on_cpu(cpu&, float, spmv_plan<float> const&, vector_view<float const>, float, vector_view<float>,
                            rows_done const&);
template void replay_on_cpu(cpu&, double, spmv_plan<double> const&, vector_view<double const>, double,
                            vector_view<double>, rows_done const&);
template void replay_on_cpu(cpu&, double, spmv_plan<float> const&, vector_view<double const>, double,
                            vector_view<double>, rows_done const&);
template plan_shape cpu_shape(hisparse<float> const&, int);
template plan_shape cpu_shape(hisparse<double> const&, int);
template std::int64_t piece_count(cpu const&, spmv_plan<float> const&);
template std::int64_t piece_count(cpu const&, spmv_plan<double> const&);

}  // namespace detail

template class spmv_plan<float>;
template class spmv_plan<double>;

}  // namespace copse
