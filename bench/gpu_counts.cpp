// What a GPU would have to do, counted on the host where there is none.
//
//   copse_gpu_counts [generator ...]
//
// For each matrix, double, d = 128, two tables:
//
//   plans         entries that are in lists (not in runs or dense leaves); of the lanes of a warp that add together, how
//                 many have an entry, and how many rounds they need where some want the same row: in turns, or joined in
//                 pairs; instructions for each entry of a list, by what nvcc makes of either for sm_90
//   conversions   bytes to HiSparse by pieces of rows, for each entry, beside those of one product by CSR
#include <fmt/format.h>

#include <algorithm>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/products/list_leaf.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/from_rows/tree_key.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

constexpr int warp = 32;

/// One of the lanes, alone: for loops in which lanes do not wait for each other.
struct lone_lane {
    int lane;

    int rank() const { return lane; }
    static constexpr int size() { return warp; }
    template <class T>
    T load_stream(T const* p) const {
        return *p;
    }
    template <int N, class T>
    std::array<T, N> load_stream_vector(T const* p) const {
        std::array<T, N> values;
        std::copy_n(p, N, values.begin());
        return values;
    }
};

struct conflict_count {
    double entries = 0;
    double groups = 0;  // of lanes that add together
    double turns = 0;
    double joins = 0;
    std::int64_t at_least_8 = 0;  // groups in which so many want one row

    /// Rows of the lanes; -1: none.
    void add(std::vector<int> rows) {
        std::sort(rows.begin(), rows.end());
        auto const first = std::lower_bound(rows.begin(), rows.end(), 0);
        if (first == rows.end()) return;
        int most = 1, same = 1, steps = 0;
        for (auto row = first + 1; row < rows.end(); ++row) {
            same = *row == *(row - 1) ? same + 1 : 1;
            most = std::max(most, same);
        }
        while (1 << steps < most) ++steps;
        entries += static_cast<double>(rows.end() - first);
        ++groups;
        turns += most;
        joins += steps;
        at_least_8 += most >= 8;
    }
    /// Instructions of runtime/scheduler/add_in_order.hpp, read from the disassembler.
    double by_turns() const { return (9 * groups + 10 * turns) / entries; }
    double by_joins() const { return (22 * groups + 19 * joins) / entries; }
};

class plan_counter {
  public:
    plan_counter(tree_view const& tree, detail::plan_direction const& lists)
        : tree_(tree), items_(lists.items.to_host()), parts_(lists.parts.to_host()), x_(std::size_t{1} << 14) {}

    conflict_count count() {
        for (std::size_t p = 0; p + 1 < parts_.size(); ++p) {
            auto next = parts_[p].first_item;
            auto const& small = parts_[p].small;
            next = count_side_by_side<detail::list_leaf>(next, small[0], 4, 1);
            next = count_side_by_side<detail::list_leaf>(next, small[1], 8, 4);
            next = count_side_by_side<detail::wide_leaf>(next, small[2], 4, 1);
            next = count_side_by_side<detail::wide_leaf>(next, small[3], 8, 4);
            for (; next < parts_[p + 1].first_item; ++next) count_item(items_[static_cast<std::size_t>(next)]);
        }
        return found_;
    }

  private:
    /// As add_side_by_side() shares `count` items among the lanes. The item behind them.
    template <class Leaf>
    std::int64_t count_side_by_side(std::int64_t first, int count, int lanes_each, int entries_each) {
        auto const end = first + count;
        for (auto i = first; i < end; i += warp / lanes_each)
            for (int k = 0; k < entries_each; ++k) {
                std::vector<int> rows(warp, -1);
                for (int lane = 0; lane < warp && i + lane / lanes_each < end; ++lane) {
                    auto const& item = items_[static_cast<std::size_t>(i + lane / lanes_each)];
                    auto const leaf = tree_.view_of<Leaf, double>(item.leaf);
                    int const entry = item.first / entries_each * entries_each + lane % lanes_each * entries_each + k;
                    int const row =
                        static_cast<int>(item.leaf.row) -
                        (Leaf::kind == node_kind::wide ? detail::row_in_leaf(item, tree_.dimension_log2()) : 0);
                    if (item.first <= entry && entry < item.last)
                        rows[static_cast<std::size_t>(lane)] = row + leaf.rows[entry];
                }
                found_.add(rows);
            }
        return end;
    }
    void count_item(detail::plan_item const& item) {
        switch (item.leaf.reference.kind()) {
            case node_kind::sparse: {
                auto const leaf = tree_.list_leaf<double>(item.leaf);
                return count_list(leaf, 0, leaf.count);
            }
            case node_kind::diagonal: {
                auto const leaf = tree_.run_leaf<double>(item.leaf).others;
                return count_list(leaf, 0, leaf.count);
            }
            case node_kind::wide:
                return count_list(tree_.wide_leaf<double>(item.leaf), item.first, item.last);
            case node_kind::dense:
                break;
        }
    }
    template <class Leaf>
    void count_list(Leaf const& leaf, int first, int last) {
        if (first == last) return;
        std::vector<std::vector<int>> calls;
        for (int rank = 0; rank < warp; ++rank) {
            lone_lane w{rank};
            std::size_t call = 0;
            detail::for_each_product(leaf, first, last, x_.data(), w, [&](bool mine, int row, double) {
                if (calls.size() == call) calls.emplace_back(warp, -1);
                if (mine) calls[call][static_cast<std::size_t>(rank)] = row;
                ++call;
            });
        }
        for (auto& rows : calls) found_.add(std::move(rows));
    }

    tree_view tree_;
    std::vector<detail::plan_item> items_;
    std::vector<detail::plan_part> parts_;
    std::vector<double> x_;
    conflict_count found_;
};

std::string plan_line(std::string const& name, csr<double> const& a) {
    cpu executor;
    hisparse<double> const tree(executor, a);
    auto const plan =
        detail::plan_on(executor, tree, detail::replay_shape, [&](auto const&... run_of) { run(executor, run_of...); });
    std::string lines;
    for (int direction : {0, 1}) {
        auto const c = plan_counter(plan->tree(), *plan->directions[static_cast<std::size_t>(direction)]).count();
        lines += fmt::format("{:<24} {:<5} {:>8.1f} % {:>6.1f} {:>6.2f} {:>6.2f} {:>9.1f} % {:>9.2f} {:>9.2f}\n", name,
                             direction == 0 ? "A x" : "A^T x", 100 * c.entries / static_cast<double>(a.entry_count()),
                             c.entries / c.groups, c.turns / c.groups, c.joins / c.groups,
                             100 * static_cast<double>(c.at_least_8) / c.groups, c.by_turns(), c.by_joins());
    }
    return lines;
}

/// Bytes as formats/from_rows/conversion_run.hpp moves them: 31 for an entry (its column read three times, a mark
/// written and read, its value read and written), 104 for a piece and 24 for each of the sort's passes over 8 bits.
std::string conversion_line(std::string const& name, csr<double> const& a) {
    int constexpr log2 = 7;
    std::int64_t pieces = 0;
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        auto const of_row = static_cast<std::size_t>(row);
        for (auto k = a.row_offsets[of_row]; k < a.row_offsets[of_row + 1]; ++k) {
            auto const i = static_cast<std::size_t>(k);
            if (k == a.row_offsets[of_row] || a.column_indices[i] >> log2 != a.column_indices[i - 1] >> log2) ++pieces;
        }
    }
    auto const entries = static_cast<double>(a.entry_count()), per_entry = static_cast<double>(pieces) / entries;
    int const passes = (detail::tree_key(a.row_count, a.column_count, log2).node_bits(0) + 7) / 8;
    double const bytes = 31 + per_entry * (104 + 24 * passes);
    double const product =
        12 + (16 * static_cast<double>(a.row_count) + 8 * static_cast<double>(a.column_count)) / entries;
    return fmt::format("{:<24} {:>8.2f} {:>8} {:>12.0f} {:>10.1f} {:>8.1f}\n", name, per_entry, passes, bytes, product,
                       bytes / product);
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    try {
        std::vector<std::string> names(argv + 1, argv + argc);
        if (names.empty())
            names = {"dense:3000",         "banded:200000,30", "elasticity:48",    "qcd:12",
                     "stencil27:72",       "poisson2d:1500",   "poisson3d:120",    "trefethen:300000",
                     "uniform:500000,16",  "rmat:19,20",       "lp:20000,1000000", "circuit:1000000",
                     "permutation:2000000"};
        std::string plans, conversions;
        for (std::string const& name : names) {
            auto const a = copse::to_csr(copse::generate<double>(name));
            plans += copse::bench::plan_line(name, a);
            conversions += copse::bench::conversion_line(name, a);
        }
        fmt::print("{:<30} {:>10} {:>6} {:>6} {:>6} {:>11} {:>9} {:>9}\n{}\n", "plans: instructions per entry",
                   "in lists", "lanes", "turns", "joins", "8 and more", "in turns", "joined", plans);
        fmt::print("{:<24} {:>8} {:>8} {:>12} {:>10} {:>8}\n{}", "conversions, per entry", "pieces", "passes", "bytes",
                   "a product's", "ratio", conversions);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_gpu_counts [generator ...]: {}\n", e.what());
        return 1;
    }
}
