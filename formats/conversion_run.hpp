// Conversion to HiSparse where the executor works (hisparse §3.2), in its memory:
//
//   1  a key for every entry (tree_key.hpp); the entries sorted by it, equal ones made one
//   2  top-down: where keys begin to differ, nodes begin (tree_skeleton.hpp); their kinds, sizes and places
//   3  one allocation
//   4  bottom-up: tasks write the leaves, and each node when all its children are there (conversion_tasks.hpp)
//
// The same bytes as build_tree() makes on the host. Included where run() for the executor is compiled.
//
// Primitives are what steps 1 and 2 need of the executor's machine:
//
//   for_each(n, f)                         f(0) .. f(n - 1), in any order, at the same time
//   sort(arrays, n, begin_bit, end_bit)    keys and order, by these bits of the keys; equal ones keep their order
//   select_starts(keys, n, shift, to)      the i, ascending, at which keys[i] >> shift is another than before, 0 among
//                                          them; returns how many
//   sum_before(n, terms, to)               to[i] = terms(0) + ... + terms(i - 1) for i < n; terms(i) may read to[i]
#pragma once

#include <algorithm>
#include <copse/formats/arena_limit.hpp>
#include <copse/formats/conversion_tasks.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/run_storage.hpp>
#include <copse/runtime/seed.hpp>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::detail {

/// Two arrays of keys and two of entry numbers: a sort leaves its result in the first of each.
struct sort_arrays {
    std::uint64_t* keys;
    std::uint64_t* other_keys;
    std::uint32_t* order;
    std::uint32_t* other_order;
};

/// Entries and nodes of a conversion have numbers of 32 bits.
inline constexpr std::int64_t most_numbers = std::numeric_limits<std::uint32_t>::max();

template <class T, class Executor, class Primitives>
class converter {
  public:
    converter(Executor& executor, Primitives& primitives, matrix_entries<T> const& a, int dimension_log2)
        : executor_(executor),
          primitives_(primitives),
          a_(a),
          key_(a.row_count, a.column_count, dimension_log2),
          entry_count_(a.entry_count) {}

    /// Null where this is not the way: see convert_on().
    std::shared_ptr<hisparse_content const> convert() {
        if (!sort_entries()) return nullptr;
        if (!a_.is_csr()) merge_equals();
        if (!form_tree()) return nullptr;
        place_nodes();
        return fill();
    }

  private:
    template <class U>
    U read(U const* from) const {
        U value;
        executor_.memory()->copy_to_host(&value, from, sizeof(U));
        return value;
    }

    /// False when an entry is not what it must be.
    bool sort_entries() {
        nvtx_range const range("copse sort entries");
        std::int64_t const n = entry_count_;
        std::int64_t const half = (n + 4) / 4 * 4;  // n + 1 at least; both halves may be read 16 bytes at once
        key_memory_ = buffer<std::uint64_t>(executor_, 2 * half);
        order_memory_ = buffer<std::uint32_t>(executor_, 2 * half);
        sorted_ = {key_memory_.data(), key_memory_.data() + half, order_memory_.data(), order_memory_.data() + half};
        buffer<std::uint32_t> const broken(executor_, std::vector<std::uint32_t>{0});
        key_output const output{key_, sorted_.keys, sorted_.order, broken.data()};
        if (a_.is_csr()) {
            keys_of_csr const make{a_.row_count, a_.column_count, n, a_.row_offsets, a_.columns, output};
            primitives_.for_each(a_.row_count, check_row_offsets{a_.row_offsets, output});
            primitives_.for_each(make.indices(), make);
        } else {
            primitives_.for_each(n, keys_of_coo{a_.row_count, a_.column_count, a_.rows, a_.columns, output});
        }
        // A key's last bits are the row in the leaf. A csr has its rows in order, and the sort keeps it.
        primitives_.sort(sorted_, n, a_.is_csr() ? key_.dimension_log2() : 0, key_.bits());
        return read(broken.data()) == 0;
    }

    void merge_equals() {
        std::int64_t const n = entry_count_;
        std::int64_t const unique = primitives_.select_starts(sorted_.keys, n, 0, sorted_.other_order);
        if (unique == n) return;
        equals_ = buffer<std::uint32_t>(executor_, unique + 1);
        primitives_.for_each(unique + 1, keep_first_of_equals{sorted_.keys, sorted_.other_order, unique, n,
                                                              sorted_.other_keys, equals_.data()});
        std::swap(sorted_.keys, sorted_.other_keys);
        entry_count_ = unique;
    }

    /// Room for the nodes, when there are `leaves` leaves.
    bool reserve_nodes(std::int64_t leaves) {
        std::int64_t most = 0;
        for (int level = 0; level <= key_.root_level(); ++level)
            most += std::min(leaves, std::int64_t{1} << key_.node_bits(level));
        if (most >= most_numbers) return false;
        auto const nodes = static_cast<std::size_t>(most);
        auto const lay_out = [&](std::byte* base) {
            memory_cursor cursor(base);
            tree_.numbers = cursor.take<std::uint64_t>(nodes);
            tree_.offsets = cursor.take<std::uint64_t>(nodes + 1);
            tree_.references = cursor.take<child_reference>(nodes);
            tree_.first = cursor.take<std::uint32_t>(nodes + 1);
            tree_.parents = cursor.take<std::uint32_t>(nodes);
            tree_.pending = cursor.take<std::uint32_t>(nodes);
            return static_cast<std::int64_t>(cursor.bytes());
        };
        node_memory_ = buffer<std::byte>(executor_, lay_out(nullptr));
        lay_out(node_memory_.data());
        return true;
    }

    /// Nodes level by level: false when there are too many.
    bool form_tree() {
        nvtx_range const range("copse form tree");
        tree_.key = key_;
        tree_.value_bytes = sizeof(T);
        tree_.entry_count = static_cast<std::uint32_t>(entry_count_);
        tree_.entries = sorted_.keys;
        std::uint64_t const* below = sorted_.keys;
        std::uint32_t below_begin = 0;
        std::int64_t below_count = entry_count_;
        for (int level = 0; level <= key_.root_level(); ++level) {
            std::uint32_t const* const starts = sorted_.other_order;
            std::int64_t const count =
                primitives_.select_starts(below, below_count, key_.level_bits(), sorted_.other_order);
            if (level == 0 && !reserve_nodes(count)) return false;
            std::uint32_t const begin = tree_.begin[level];
            primitives_.for_each(
                count + 1,
                form_nodes{below, starts, below_begin, static_cast<std::uint32_t>(below_count), begin,
                           static_cast<std::uint32_t>(count), key_.level_bits(), tree_.numbers, tree_.first});
            if (level > 0)
                primitives_.for_each(below_count, find_parents{below_begin, begin, static_cast<std::uint32_t>(count),
                                                               tree_.first, tree_.parents});
            tree_.begin[level + 1] = static_cast<std::uint32_t>(begin + count);
            below = tree_.numbers + begin;
            below_begin = begin;
            below_count = count;
        }
        return true;
    }

    void place_nodes() {
        nvtx_range const range("copse place nodes");
        tree_.runs_before = sorted_.other_keys;
        std::int64_t const nodes = tree_.node_count();
        primitives_.sum_before(entry_count_ + 1, sum_terms{key_, nullptr, sorted_.keys, entry_count_},
                               sorted_.other_keys);
        primitives_.for_each(nodes - tree_.leaf_count(), count_pending{tree_});
        primitives_.for_each(nodes, measure_nodes{tree_});
        primitives_.sum_before(nodes + 1, sum_terms{key_, tree_.offsets, nullptr, nodes}, tree_.offsets);
    }

    run_options capacities() const {
        std::int64_t const leaves = tree_.leaf_count(), inner = tree_.node_count() - leaves;
        run_options options;
        options.template capacity<fill_inner_nodes<T>>(inner, 0, 0);
        options.template capacity<fill_large_leaves<T>>(std::min(leaves, entry_count_ / most_in_small_leaf + 1), 0, 0);
        options.template capacity<fill_small_leaves<T>>(leaves, 0, 0);
        options.template capacity<fill_wide_parts<T>>(entry_count_ / wide_part_entries + inner, 0, 0);
        options.template capacity<open_skeleton<T>>(0, 0, 1);
        return options;
    }

    void run_tasks(conversion<T> const& all) {
        nvtx_range const range("copse fill nodes");
        std::int64_t const stretches = (tree_.node_count() - 1) / open_skeleton<T>::nodes + 1;
        run(executor_, capacities(), seed_range<open_skeleton<T>>(0, stretches), fill_inner_nodes<T>{all},
            fill_large_leaves<T>{all}, fill_small_leaves<T>{all}, fill_wide_parts<T>{all}, open_skeleton<T>{all});
    }

    static node_census census_of(std::vector<std::int64_t> const& counts) {
        using task = open_skeleton<T>;
        node_census census;
        for (std::size_t place = 0; place < task::places; ++place) {
            std::size_t const level = place / node_kind_count, kind = place % node_kind_count;
            for (std::size_t c = 0; c < size_class_count; ++c)
                census.visits[level][kind][c] = counts[place * size_class_count + c];
            census.entries[level][kind] = counts[static_cast<std::size_t>(task::entry_counters) + place];
        }
        return census;
    }

    std::shared_ptr<hisparse_content const> fill() {
        auto const bytes = static_cast<std::int64_t>(read(tree_.offsets + tree_.node_count()));
        check_arena_bytes("hisparse", "the matrix takes", bytes);
        auto const arena = std::make_shared<buffer<std::byte>>(executor_, bytes);
        buffer<std::int64_t> const counts(executor_, std::vector<std::int64_t>(open_skeleton<T>::counters, 0));
        int const number = new_arena_number({});
        run_tasks({tree_, {a_.values, sorted_.order, equals_.data()}, arena->data(), number, counts.data()});

        auto content = std::make_shared<hisparse_content>();
        content->row_count = a_.row_count;
        content->column_count = a_.column_count;
        content->entry_count = entry_count_;
        content->dimension_log2 = key_.dimension_log2();
        content->root = read(tree_.references + tree_.root());
        content->arenas.push_back({number, arena});
        content->census = census_of(counts.to_host());
        content->reachable_bytes = bytes;
        content->space = executor_.memory()->space();
        make_arena_table(*content, executor_.memory());
        return content;
    }

    Executor& executor_;
    Primitives& primitives_;
    matrix_entries<T> const a_;
    tree_key const key_;
    std::int64_t entry_count_;  // those that stay
    buffer<std::uint64_t> key_memory_;
    buffer<std::uint32_t> order_memory_;
    buffer<std::uint32_t> equals_;
    buffer<std::byte> node_memory_;
    sort_arrays sorted_{};
    tree_skeleton tree_{};
};

/// The tree of `a`, which lies in the executor's memory: its dimensions are in range, it has at least one entry and
/// fewer than most_numbers, its arrays are as long as they must be, row offsets go from 0 to the number of entries.
/// Waits. Null when an entry lies outside the matrix, when the rows of a csr do not ascend, or when there are too many
/// nodes: the host's conversion then says what is wrong, or does it.
/// Throws shape_error when the tree takes more than an arena, and what run() throws.
template <class T, class Executor, class Primitives>
std::shared_ptr<hisparse_content const> convert_on(Executor& executor, Primitives&& primitives,
                                                   matrix_entries<T> const& a, int dimension_log2) {
    return converter<T, Executor, std::remove_reference_t<Primitives>>(executor, primitives, a, dimension_log2)
        .convert();
}

}  // namespace copse::detail
