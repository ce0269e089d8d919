// A plan's product with several columns, on the cpu: part by part, as cpu_plan.cpp has it for one column, and each part
// by block rows. A block row's sums stay in the first cache; its leaves follow one another.
//
//   part    | block row 0 | block row 1 | ...      streaks of one value, which go through the part, are swept through
//                                                  one after the other
#include <algorithm>
#include <atomic>
#include <copse/algebra/columns/columns_cpu.hpp>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/plan_threads.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <memory>
#include <vector>

namespace copse::detail {
namespace {

template <class T, class V>
class columns_replay {
  public:
    columns_replay(cpu& executor, plan_direction const& lists, replay<T, V> const& product)
        : executor_(executor),
          lists_(lists),
          product_(product),
          left_(std::make_unique<std::atomic<std::int32_t>[]>(static_cast<std::size_t>(lists.split_count))) {}

    void run(column_rows<V> const& x, column_output<V> const& y) {
        x_ = x;
        y_ = y;
        step_ = sums_step<V>(x.columns);
        slots_ = {host_memory(), (lists_.slot_count << product_.tree.dimension_log2()) * step_};
        for (std::int64_t i = 0; i < lists_.split_count; ++i)
            left_[static_cast<std::size_t>(i)].store(product_.splits[i].slots, std::memory_order_relaxed);
        bool const alone = runs_alone(executor_, lists_, x.columns);
        work_portions portions = portions_of(lists_.work_before, alone ? 1 : executor_.threads());
        on_threads(executor_, alone, [&](int thread, std::atomic<bool> const& stopped) {
            workplace own;
            own.sums = {host_memory(), product_.tree.dimension() * step_};
            portions.for_each(thread, 1, [&](std::int64_t part, std::int64_t) {
                if (!stopped.load(std::memory_order_relaxed)) replay_part(part, own);
            });
        });
    }

  private:
    static constexpr std::int32_t rows_of_streaks = 16;  // divides d

    /// What a thread has.
    struct workplace {
        buffer<V> sums;  // of a block row
        streak_sweep<T, V> sweep;
        std::vector<leaf_piece> pieces, items;  // of a part: as the plan has them, by block rows
        std::vector<std::int32_t> ends;         // of block rows, in items
        leaf_fetch fetch;
    };

    void replay_part(std::int64_t index, workplace& own) {
        plan_part const& part = product_.parts[index];
        std::int64_t first = part.first_item, end = product_.parts[index + 1].first_item;
        own.sweep.begin(nullptr, 0);
        if (product_.streak_ranges && product_.reads_matrix) {
            streak_range_of_part const streaks = product_.streak_ranges[index];
            own.sweep.begin(product_.streaks + streaks.first, streaks.count);
            first += streaks.items;
        }
        sort_items(part, first, product_.reads_matrix ? end : first, own);
        int const d = product_.tree.dimension();
        std::int32_t before = 0;
        for (std::int32_t begin = 0; begin < part.rows;) {
            V* const sums = part.split < 0 ? own.sums.data() : slot(part.slot);
            std::int32_t const last = own.ends[static_cast<std::size_t>(begin / d)];
            // Without leaves row by row nearly: memory then writes and reads at the same time.
            std::int32_t const wanted = last == before && part.split < 0 ? rows_of_streaks : d,
                               rows = std::min(wanted, part.rows - begin);
            bool const has_leaves = last > before, begun = own.sweep.count > 0 || !has_leaves;
            if (begun) begin_with_streaks(own.sweep, begin, begin + rows, x_, sums, step_);
            column_output<V> const y = y_.from(part.first_row + begin);
            if (has_leaves)
                add_leaf_columns<T, V>(product_.tree, own.items.data() + before, last - before, x_,
                                       {sums, step_, rows, begun}, own.fetch, part.split < 0 ? &y : nullptr);
            else if (part.split < 0)
                write_columns(y, sums, step_, rows);
            before = last;
            begin += rows;
        }
        if (part.split < 0) return flush_columns();
        // Acquires and releases: the thread that comes last reads the sums of all.
        auto& left = left_[static_cast<std::size_t>(part.split)];
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) write_split(product_.splits[part.split]);
    }

    /// Items first .. end - 1 of the part, by block rows; those of wide leaves are cut where a block row ends. Stable.
    void sort_items(plan_part const& part, std::int64_t first, std::int64_t end, workplace& own) const {
        int const log2 = product_.tree.dimension_log2();
        auto const block_row_of = [&](leaf_piece const& item) {
            return static_cast<std::size_t>((item.leaf.row - part.first_row) >> log2);
        };
        own.ends.assign(static_cast<std::size_t>((part.rows + (1 << log2) - 1) >> log2), 0);
        own.pieces.clear();
        for (std::int64_t i = first; i < end; ++i) {
            listed_leaf const& item = product_.items[i];
            if (!item.leaf.reference.is_wide_leaf()) {
                own.pieces.push_back({item.leaf, item.first, item.last});
                continue;
            }
            auto const leaf = product_.tree.template wide_leaf<T>(item.leaf);
            int const block_of_item = leaf.rows[item.first] >> log2;
            for_each_block_row(leaf.rows, item.first, item.last, log2, [&](int block, int from, int to) {
                own.pieces.push_back({item.leaf, from, to});
                own.pieces.back().leaf.row += static_cast<std::uint32_t>(block - block_of_item) << log2;
            });
        }
        for (leaf_piece const& piece : own.pieces) ++own.ends[block_row_of(piece)];
        std::int32_t before = 0;
        for (std::int32_t& count : own.ends) before += std::exchange(count, before);
        own.items.resize(own.pieces.size());
        for (leaf_piece const& piece : own.pieces)
            own.items[static_cast<std::size_t>(own.ends[block_row_of(piece)]++)] = piece;
        own.fetch = fetch_ahead<T>(own.items.data(), own.items.size(), own.ends.size());
    }

    void write_split(plan_split const& split) {
        V* const sums = slot(split.first_slot);
        for (int k = 1; k < split.slots; ++k) {
            V const* const other = slot(split.first_slot + k);
            for (std::int64_t i = 0; i < split.rows * step_; ++i) sums[i] += other[i];
        }
        write_columns(y_.from(split.first_row), sums, step_, split.rows);
        flush_columns();
    }
    V* slot(std::int64_t i) const { return slots_.data() + (i << product_.tree.dimension_log2()) * step_; }

    cpu& executor_;
    plan_direction const& lists_;
    replay<T, V> const& product_;
    std::unique_ptr<std::atomic<std::int32_t>[]> left_;  // parts of each split that are not done
    column_rows<V> x_ = {};
    column_output<V> y_ = {};
    std::int64_t step_ = 0;
    buffer<V> slots_;
};

}  // namespace

template <class T, class V>
void replay_columns_on_cpu(cpu& executor, V alpha, spmv_plan<T> const& plan, dense_view<V const> const& x, V beta,
                           dense_view<V> const& y) {
    nvtx_range const range(nvtx_room::algebra, "copse replay columns", plan.matrix().entry_count());
    plan_direction const& lists = direction_of(executor, plan);
    auto const product = replay_of<T, V>(plan, alpha, {}, beta, {});
    columns_replay<T, V> replay(executor, lists, product);
    for (std::int64_t c = 0; c < y.column_count(); c += columns_together<V>) {
        int const columns = static_cast<int>(std::min<std::int64_t>(columns_together<V>, y.column_count() - c));
        rows_of_columns<V> const of_x(executor, x, c, product.reads_matrix ? columns : 0);
        replay.run({of_x.rows().x, of_x.rows().x_step, columns},
                   {product.factor, beta, y.data() + c * y.column_step(), y.row_step(), y.column_step(), columns,
                    y.extent() * static_cast<std::int64_t>(sizeof(V)) >= bytes_past_caches});
    }
}

template void replay_columns_on_cpu(cpu&, float, spmv_plan<float> const&, dense_view<float const> const&, float,
                                    dense_view<float> const&);
template void replay_columns_on_cpu(cpu&, double, spmv_plan<double> const&, dense_view<double const> const&, double,
                                    dense_view<double> const&);
template void replay_columns_on_cpu(cpu&, double, spmv_plan<float> const&, dense_view<double const> const&, double,
                                    dense_view<double> const&);

}  // namespace copse::detail
