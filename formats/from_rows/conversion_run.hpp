// Conversion to HiSparse where the executor works (hisparse §3.2), in its memory:
//
//   1  entries row by row; where pieces of rows begin; the pieces sorted by leaf (row_stretches.hpp)
//   2  where keys begin to differ, nodes of all levels begin (node_starts.hpp, tree_skeleton.hpp); tasks measure the
//      leaves (conversion_tasks.hpp), so that kinds, sizes and places are known
//   3  one allocation
//   4  steps write inner nodes and wide leaves (node_steps.hpp), tasks the leaves
//
// The same bytes as build_tree() makes on the host. Included where run() for the executor is compiled.
//
// The host waits for the number of pieces, of nodes, of leaves for tasks, for the bytes, and for two runs; of a coo for
// the number of unique entries, too.
//
// primitives: csr_matrix/steps.hpp; select(count, which, to, found): the i < count, ascending, for which which(i), and
// how many; the same without `found` returns how many, and waits.
#pragma once

#include <algorithm>
#include <copse/formats/from_rows/conversion_choices.hpp>
#include <copse/formats/from_rows/conversion_tasks.hpp>
#include <copse/formats/from_rows/node_starts.hpp>
#include <copse/formats/from_rows/node_steps.hpp>
#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::detail {

/// Entries, pieces and nodes of a conversion have numbers of 32 bits: there are fewer than this. Tests take less.
inline constexpr std::int64_t most_numbers = std::numeric_limits<std::uint32_t>::max();

template <class T, class Executor, class Primitives>
class converter {
  public:
    converter(Executor& executor, Primitives& primitives, matrix_entries<T> const& a, int dimension_log2,
              conversion_choices const& choices, std::int64_t most)
        : executor_(executor),
          primitives_(primitives),
          choices_(choices),
          most_numbers_(most),
          a_(a),
          key_(a.row_count, a.column_count, dimension_log2),
          entries_{a.row_count,
                   a.column_count,
                   a.entry_count,
                   a.row_offsets,
                   a.columns,
                   nullptr,
                   {std::max(bits_to_sort(a.column_count - 1), dimension_log2)}},
          values_{a.values, nullptr, nullptr} {}

    /// Null where this is not the way: see convert_on().
    std::shared_ptr<hisparse_content const> convert() {
        if (!(a_.is_csr() ? find_pieces() : order_entries())) return nullptr;
        sort_pieces();
        if (!form_tree()) return nullptr;
        list_leaves();
        bool const has_wide_leaves = tree_.listed_count < tree_.leaf_count();
        choices_.fill_first && !has_wide_leaves ? fill_first() : measure();
        place_nodes();
        return fill();
    }

  private:
    template <class U>
    buffer<U> room_for(std::int64_t count) const {
        return {primitives_.temporary(), count};
    }
    /// What steps tell the host.
    struct found_entries {
        std::int64_t count;
        std::uint32_t broken;
    };

    /// Of a coo: sorts its entries, adds those at one place. False when an entry is not what it must be.
    bool order_entries() {
        nvtx_range const range(nvtx_room::formats, "copse order entries", a_.entry_count);
        std::int64_t const n = a_.entry_count;
        keys_ = room_for<std::uint64_t>(n);
        order_ = room_for<std::uint32_t>(n);
        auto const told = room_for<found_entries>(1);
        primitives_.zero(&told.data()->broken, 1);
        primitives_.for_each(n, key_entries{a_.row_count, a_.column_count, a_.rows, a_.columns, entries_.key,
                                            keys_.data(), order_.data(), &told.data()->broken});
        primitives_.sort_pairs(keys_, order_, 0, bits_to_sort(a_.row_count - 1) + entries_.key.column_bits);
        auto const firsts = room_for<std::uint32_t>(n);
        primitives_.select(n, begins_anew{nullptr, keys_.data(), 0}, firsts.data(), &told.data()->count);
        auto const [unique, broken] = told.to_host().front();
        if (broken != 0) return false;
        if (unique < n) {
            equals_ = room_for<std::uint32_t>(unique + 1);
            auto unique_keys = room_for<std::uint64_t>(unique);
            primitives_.for_each(unique + 1, keep_first_of_equals{keys_.data(), firsts.data(), unique, n,
                                                                  unique_keys.data(), equals_.data()});
            keys_ = std::move(unique_keys);
        }
        values_ = {a_.values, order_.data(), equals_.data()};
        entries_.keys = keys_.data();
        entries_.count = unique;
        piece_begins_ = room_for<std::uint32_t>(unique);
        tree_.piece_count = static_cast<std::uint32_t>(primitives_.select(
            unique, begins_anew{nullptr, keys_.data(), key_.dimension_log2()}, piece_begins_.data()));
        return true;
    }

    /// Of a csr. False when an entry is not what it must be.
    bool find_pieces() {
        nvtx_range const range(nvtx_room::formats, "copse find pieces", a_.entry_count);
        std::int64_t const n = a_.entry_count;
        auto const marks = room_for<std::uint32_t>((n + 3) / 4);
        auto const told = room_for<found_entries>(1);
        primitives_.zero(&told.data()->broken, 1);
        mark_pieces const mark{entries_, key_.dimension_log2(), marks.data(), &told.data()->broken};
        primitives_.for_each(a_.row_count, check_row_offsets{a_.row_count, n, a_.row_offsets, &told.data()->broken});
        primitives_.for_each(mark.quads().indices(), mark);
        piece_begins_ = room_for<std::uint32_t>(n);
        primitives_.select(n, begins_anew{reinterpret_cast<std::uint8_t const*>(marks.data()), nullptr, 0},
                           piece_begins_.data(), &told.data()->count);
        auto const [pieces, broken] = told.to_host().front();
        tree_.piece_count = static_cast<std::uint32_t>(pieces);
        return broken == 0;
    }

    void sort_pieces() {
        nvtx_range const range(nvtx_room::formats, "copse sort pieces");
        std::int64_t const n = tree_.piece_count;
        piece_keys_ = room_for<std::uint64_t>(n);
        auto begins = room_for<std::uint32_t>(n);
        key_pieces const make{entries_, key_, n, piece_begins_.data(), piece_keys_.data(), begins.data()};
        primitives_.for_each(make.pieces().indices(), make);
        // The rows of a leaf are in order, and the sort keeps it.
        if (int const bits = key_.node_bits(0); bits > 0)
            primitives_.sort_pairs(piece_keys_, begins, key_.level_bits(), key_.level_bits() + bits);
        piece_begins_ = std::move(begins);
        entries_before_ = room_for<std::int64_t>(n + 1);
        primitives_.for_each(n + 1,
                             count_entries{{key_.dimension_log2()}, piece_keys_.data(), n, entries_before_.data()});
        primitives_.sum_before(entries_before_.data(), n + 1);
    }

    void reserve_nodes() {
        std::size_t const nodes = tree_.node_count(), leaves = tree_.leaf_count();
        auto const lay_out = [&](std::byte* base) {
            memory_cursor cursor(base);
            tree_.numbers = cursor.take<std::uint64_t>(nodes);
            tree_.offsets = cursor.take<std::int64_t>(nodes + 1);
            tree_.streaks = cursor.take<std::uint64_t>(leaves);
            tree_.first = cursor.take<std::uint32_t>(nodes + 1);
            tree_.parents = cursor.take<std::uint32_t>(nodes);
            tree_.leaf_of = cursor.take<std::uint32_t>(tree_.piece_count);
            tree_.listed = cursor.take<std::uint32_t>(leaves);
            return static_cast<std::int64_t>(cursor.bytes());
        };
        node_memory_ = room_for<std::byte>(lay_out(nullptr));
        lay_out(node_memory_.data());
    }

    /// The nodes of all levels: false when there are too many.
    bool form_tree() {
        nvtx_range const range(nvtx_room::formats, "copse form tree");
        tree_.key = key_;
        tree_.value_bytes = sizeof(T);
        tree_.piece_keys = piece_keys_.data();
        tree_.piece_begins = piece_begins_.data();
        tree_.entries_before = entries_before_.data();
        node_starts const starts{key_, tree_.piece_keys, tree_.piece_count};
        std::int64_t const root_level = key_.root_level(), counts = starts.index(key_.root_level(), 0) + 1;
        auto const before = room_for<std::int64_t>(counts), begins = room_for<std::int64_t>(root_level + 1);
        primitives_.for_each_by_group(starts.stretches(), starts.group_bytes, count_starts{starts, before.data()});
        primitives_.sum_before(before.data(), counts);
        primitives_.for_each(root_level + 1, tell_levels{starts, before.data(), begins.data()});
        std::vector<std::int64_t> const levels = begins.to_host();
        if (levels.back() + 1 >= most_numbers_) return false;
        std::copy(levels.begin(), levels.end(), tree_.begin);
        tree_.begin[root_level + 1] = tree_.begin[root_level] + 1;
        reserve_nodes();
        primitives_.for_each_by_group(starts.stretches(), starts.group_bytes, form_nodes{starts, before.data(), tree_});
        return true;
    }

    void list_leaves() {
        nvtx_range const range(nvtx_room::formats, "copse list leaves");
        std::int64_t const leaves = tree_.leaf_count();
        auto const marks = room_for<std::uint8_t>(leaves);
        primitives_.for_each(leaves, mark_listed{tree_, marks.data()});
        tree_.listed_count =
            static_cast<std::uint32_t>(primitives_.select(leaves, begins_anew{marks.data(), nullptr, 0}, tree_.listed));
    }

    void measure() {
        if (tree_.listed_count == 0) return;
        nvtx_range const range(nvtx_room::formats, "copse measure leaves", entries_.count);
        using small = measure_leaves<small_leaves>;
        using large = measure_leaves<large_leaves>;
        run_options options;
        options.template capacity<large>(entries_.count / small_leaf, 0, 0);
        options.template capacity<small>(0, 0, 1);
        leaf_entry_reader const from{tree_, entries_};
        run(executor_, options, seed_range<small>(0, tree_.listed_count), large{from}, small{from});
    }

    void fill_first() {
        std::int64_t const leaves = tree_.leaf_count();
        first_places_ = room_for<std::int64_t>(leaves + 1);
        primitives_.for_each(leaves + 1, bound_leaves{tree_, first_places_.data()});
        primitives_.sum_before(first_places_.data(), leaves + 1);
        std::int64_t bytes = 0;
        first_places_.read(leaves, {&bytes, 1});
        filled_ = room_for<std::byte>(bytes);
        tree_skeleton first = tree_;
        first.offsets = first_places_.data();
        run_tasks({{first, entries_}, values_, filled_.data()});
    }

    void place_nodes() {
        nvtx_range const range(nvtx_room::formats, "copse place nodes", tree_.node_count());
        std::int64_t const nodes = tree_.node_count();
        primitives_.for_each(nodes + 1, measure_nodes{tree_});
        primitives_.sum_before(tree_.offsets, nodes + 1);
    }

    void write_nodes(conversion<T> const& all) {
        nvtx_range const range(nvtx_room::formats, "copse write nodes", tree_.node_count());
        primitives_.for_each_by_group(tree_.node_count() - tree_.leaf_count(), 0, write_upper_nodes<T>{all});
        if (tree_.listed_count < tree_.leaf_count())
            primitives_.for_each(tree_.piece_count, place_wide_entries<T>{all});
    }

    void move_filled(std::byte* arena) {
        move_leaves const move{tree_, first_places_.data(), filled_.data(), arena};
        primitives_.for_each(move.indices(), move);
        primitives_.wait();
    }

    void run_tasks(conversion<T> const& all) {
        if (tree_.listed_count == 0) return primitives_.wait();
        nvtx_range const range(nvtx_room::formats, "copse fill leaves", entries_.count);
        using small = fill_leaves<T, small_leaves>;
        using large = fill_leaves<T, large_leaves>;
        run_options options;
        options.template capacity<large>(entries_.count / small_leaf, 0, 0);
        options.template capacity<small>(0, 0, 1);
        run(executor_, options, seed_range<small>(0, tree_.listed_count), large{all}, small{all});
    }

    std::shared_ptr<hisparse_content const> fill() {
        tree_.arena = new_arena_number({});
        auto const told = room_for<tree_totals>(1);
        take_census const census{tree_, told.data()->counts};
        primitives_.zero(told.data()->counts, census_counters::count);
        primitives_.for_each_by_group(census.stretches(), census_on_chip::bytes, census);
        primitives_.for_each(1, tell_root{tree_, told.data()});
        tree_totals const totals = told.to_host().front();
        check_arena_bytes("hisparse", "the matrix takes", totals.bytes);
        auto const arena = std::make_shared<buffer<std::byte>>(executor_, totals.bytes);
        conversion<T> const all{{tree_, entries_}, values_, arena->data()};
        write_nodes(all);
        filled_.size() == 0 ? run_tasks(all) : move_filled(arena->data());

        auto content = std::make_shared<hisparse_content>();
        content->row_count = a_.row_count;
        content->column_count = a_.column_count;
        content->entry_count = entries_.count;
        content->dimension_log2 = key_.dimension_log2();
        content->root = totals.root;
        content->arenas.push_back({tree_.arena, arena});
        census_counters::add_to(content->census, totals.counts);
        content->reachable_bytes = totals.bytes;
        content->space = executor_.memory()->space();
        make_arena_table(*content, executor_.memory());
        return content;
    }

    Executor& executor_;
    Primitives& primitives_;
    conversion_choices const choices_;
    std::int64_t const most_numbers_;
    matrix_entries<T> const a_;
    tree_key const key_;
    ordered_entries entries_;
    ordered_values<T> values_;
    // Of a coo:
    buffer<std::uint64_t> keys_;
    buffer<std::uint32_t> order_;
    buffer<std::uint32_t> equals_;

    buffer<std::uint32_t> piece_begins_;
    buffer<std::uint64_t> piece_keys_;
    buffer<std::int64_t> entries_before_;
    buffer<std::byte> node_memory_;
    // Where leaves are filled first:
    buffer<std::int64_t> first_places_;
    buffer<std::byte> filled_;
    tree_skeleton tree_{};
};

/// The tree of `a`, which lies in the executor's memory: its dimensions are in range, it has at least one entry and
/// fewer than `most`, its arrays are as long as they must be. Waits. Null when an entry lies outside the matrix, when
/// the row offsets of a csr do not ascend from 0 to the number of entries or its rows do not ascend, or when there are
/// too many nodes: the host's conversion then says what is wrong, or does it.
/// Throws shape_error when the tree takes more than an arena, and what run() throws.
template <class T, class Executor, class Primitives>
std::shared_ptr<hisparse_content const> convert_on(Executor& executor, Primitives&& primitives,
                                                   matrix_entries<T> const& a, int dimension_log2,
                                                   conversion_choices const& choices = {},
                                                   std::int64_t most = most_numbers) {
    return converter<T, Executor, std::remove_reference_t<Primitives>>(executor, primitives, a, dimension_log2, choices,
                                                                       most)
        .convert();
}

}  // namespace copse::detail
