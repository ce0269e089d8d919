// Conversion to HiSparse where the executor works (hisparse §3.2), in its memory:
//
//   1  entries row by row; where pieces of rows begin; the pieces sorted by leaf (row_stretches.hpp)
//   2  top-down: where keys begin to differ, nodes begin (tree_skeleton.hpp); tasks measure the leaves
//      (conversion_tasks.hpp), so that kinds, sizes and places are known
//   3  one allocation
//   4  bottom-up: tasks write the leaves, and each node when all its children are there
//
// The same bytes as build_tree() makes on the host. Included where run() for the executor is compiled.
//
// primitives: csr_matrix/steps.hpp; select(count, which, to): the i < count,
// ascending, for which which(i), returns how many.
#pragma once

#include <algorithm>
#include <bit>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/from_rows/conversion_tasks.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/formats/steps/view_arrays.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <copse/runtime/seed.hpp>
#include <limits>
#include <memory>
#include <span>
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
              std::int64_t most)
        : executor_(executor),
          primitives_(primitives),
          most_numbers_(most),
          a_(a),
          key_(a.row_count, a.column_count, dimension_log2),
          entries_{a.row_count,
                   a.column_count,
                   a.entry_count,
                   a.row_offsets,
                   a.columns,
                   nullptr,
                   {std::max(bits_of(a.column_count - 1), dimension_log2)}},
          values_{a.values, nullptr, nullptr} {}

    /// Null where this is not the way: see convert_on().
    std::shared_ptr<hisparse_content const> convert() {
        if (!(a_.is_csr() ? find_pieces() : order_entries())) return nullptr;
        sort_pieces();
        if (!form_tree()) return nullptr;
        measure();
        place_nodes();
        return fill();
    }

  private:
    static int bits_of(std::int64_t largest) {
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
    }
    template <class U>
    U read(U const* from) const {
        U value;
        executor_.memory()->copy_to_host(&value, from, sizeof(U));
        return value;
    }
    template <class U>
    buffer<U> room_for(std::int64_t count) const {
        return {primitives_.temporary(), count};
    }
    template <class U>
    buffer<U> zeros(std::int64_t count) const {
        auto room = room_for<U>(count);
        primitives_.zero(room.data(), count);
        return room;
    }
    /// Those of `count` keys that are the first with their bits above `shift`.
    std::int64_t select_starts(std::uint64_t const* keys, std::int64_t count, int shift, std::uint32_t* to) {
        return primitives_.select(count, begins_anew{nullptr, keys, shift}, to);
    }

    /// Of a coo: sorts its entries, adds those at one place. False when an entry is not what it must be.
    bool order_entries() {
        nvtx_range const range(nvtx_room::formats, "copse order entries", a_.entry_count);
        std::int64_t const n = a_.entry_count;
        keys_ = room_for<std::uint64_t>(n);
        order_ = room_for<std::uint32_t>(n);
        auto const broken = zeros<std::uint32_t>(1);
        primitives_.for_each(n, key_entries{a_.row_count, a_.column_count, a_.rows, a_.columns, entries_.key,
                                            keys_.data(), order_.data(), broken.data()});
        if (read(broken.data()) != 0) return false;
        primitives_.sort_pairs(keys_, order_, 0, bits_of(a_.row_count - 1) + entries_.key.column_bits);
        auto starts = room_for<std::uint32_t>(n);
        std::int64_t const unique = select_starts(keys_.data(), n, 0, starts.data());
        if (unique < n) {
            equals_ = room_for<std::uint32_t>(unique + 1);
            auto unique_keys = room_for<std::uint64_t>(unique);
            primitives_.for_each(unique + 1, keep_first_of_equals{keys_.data(), starts.data(), unique, n,
                                                                  unique_keys.data(), equals_.data()});
            keys_ = std::move(unique_keys);
        }
        values_ = {a_.values, order_.data(), equals_.data()};
        entries_.keys = keys_.data();
        entries_.count = unique;
        piece_begins_ = room_for<std::uint32_t>(unique);
        tree_.piece_count = static_cast<std::uint32_t>(
            select_starts(keys_.data(), unique, key_.dimension_log2(), piece_begins_.data()));
        return true;
    }

    /// Of a csr. False when an entry is not what it must be.
    bool find_pieces() {
        nvtx_range const range(nvtx_room::formats, "copse find pieces", a_.entry_count);
        std::int64_t const n = a_.entry_count;
        auto const marks = room_for<std::uint32_t>((n + 3) / 4);
        auto const broken = zeros<std::uint32_t>(1);
        mark_pieces const mark{entries_, key_.dimension_log2(), marks.data(), broken.data()};
        primitives_.for_each(a_.row_count, check_row_offsets{a_.row_offsets, broken.data()});
        primitives_.for_each(mark.quads().indices(), mark);
        if (read(broken.data()) != 0) return false;
        piece_begins_ = room_for<std::uint32_t>(n);
        tree_.piece_count = static_cast<std::uint32_t>(primitives_.select(
            n, begins_anew{reinterpret_cast<std::uint8_t const*>(marks.data()), nullptr, 0}, piece_begins_.data()));
        return true;
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

    /// Room for the nodes, when there are `leaves` leaves.
    bool reserve_nodes(std::int64_t leaves) {
        std::int64_t most = 0;
        for (int level = 0; level <= key_.root_level(); ++level)
            most += std::min(leaves, std::int64_t{1} << key_.node_bits(level));
        if (most >= most_numbers_) return false;
        auto const nodes = static_cast<std::size_t>(most);
        auto const lay_out = [&](std::byte* base) {
            memory_cursor cursor(base);
            tree_.numbers = cursor.take<std::uint64_t>(nodes);
            tree_.offsets = cursor.take<std::int64_t>(nodes + 1);
            tree_.references = cursor.take<child_reference>(nodes);
            tree_.streaks = cursor.take<std::uint64_t>(static_cast<std::size_t>(leaves));
            tree_.first = cursor.take<std::uint32_t>(nodes + 1);
            tree_.parents = cursor.take<std::uint32_t>(nodes);
            tree_.pending = cursor.take<std::uint32_t>(nodes);
            return static_cast<std::int64_t>(cursor.bytes());
        };
        node_memory_ = room_for<std::byte>(lay_out(nullptr));
        lay_out(node_memory_.data());
        return true;
    }

    /// Nodes level by level: false when there are too many.
    bool form_tree() {
        nvtx_range const range(nvtx_room::formats, "copse form tree");
        tree_.key = key_;
        tree_.value_bytes = sizeof(T);
        tree_.piece_keys = piece_keys_.data();
        tree_.piece_begins = piece_begins_.data();
        tree_.entries_before = entries_before_.data();
        auto const starts = room_for<std::uint32_t>(tree_.piece_count);
        std::uint64_t const* below = tree_.piece_keys;
        std::uint32_t below_begin = 0;
        std::int64_t below_count = tree_.piece_count;
        for (int level = 0; level <= key_.root_level(); ++level) {
            std::int64_t const count = select_starts(below, below_count, key_.level_bits(), starts.data());
            if (level == 0 && !reserve_nodes(count)) return false;
            std::uint32_t const begin = tree_.begin[level];
            primitives_.for_each(
                count + 1,
                form_nodes{below, starts.data(), below_begin, static_cast<std::uint32_t>(below_count), begin,
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

    void measure() {
        nvtx_range const range(nvtx_room::formats, "copse measure leaves", entries_.count);
        using small = measure_leaves<small_leaves>;
        using large = measure_leaves<large_leaves>;
        run_options options;
        options.template capacity<large>(entries_.count / small_leaf, 0, 0);
        options.template capacity<small>(0, 0, 1);
        leaf_entry_reader const from{tree_, entries_};
        run(executor_, options, seed_range<small>(0, tree_.leaf_count()), large{from}, small{from});
    }

    void place_nodes() {
        nvtx_range const range(nvtx_room::formats, "copse place nodes", tree_.node_count());
        std::int64_t const nodes = tree_.node_count();
        primitives_.for_each(nodes - tree_.leaf_count(), count_pending{tree_});
        primitives_.for_each(nodes + 1, measure_nodes{tree_});
        primitives_.sum_before(tree_.offsets, nodes + 1);
    }

    void run_tasks(conversion<T> const& all) {
        nvtx_range const range(nvtx_room::formats, "copse fill nodes", tree_.node_count());
        using small = fill_leaves<T, small_leaves>;
        using large = fill_leaves<T, large_leaves>;
        using census = take_census<T>;
        run_options options;
        options.template capacity<fill_inner_nodes<T>>(tree_.node_count() - tree_.leaf_count(), 0, 0);
        options.template capacity<large>(entries_.count / small_leaf, 0, 0);
        options.template capacity<small>(0, 0, 1);
        options.template capacity<census>(0, 0, 1);
        std::int64_t const stretches = (tree_.node_count() - 1) / census::nodes + 1;
        run(executor_, options, seed_range<small>(0, tree_.leaf_count()) + seed_range<census>(0, stretches),
            fill_inner_nodes<T>{all}, large{all}, small{all}, census{all});
    }

    std::shared_ptr<hisparse_content const> fill() {
        std::int64_t const bytes = read(tree_.offsets + tree_.node_count());
        check_arena_bytes("hisparse", "the matrix takes", bytes);
        auto const arena = std::make_shared<buffer<std::byte>>(executor_, bytes);
        auto const counts = zeros<std::int64_t>(census_counters::count);
        int const number = new_arena_number({});
        run_tasks({{tree_, entries_}, values_, arena->data(), number, counts.data()});

        auto content = std::make_shared<hisparse_content>();
        content->row_count = a_.row_count;
        content->column_count = a_.column_count;
        content->entry_count = entries_.count;
        content->dimension_log2 = key_.dimension_log2();
        content->root = read(tree_.references + tree_.root());
        content->arenas.push_back({number, arena});
        census_counters::add_to(content->census, counts.to_host().data());
        content->reachable_bytes = bytes;
        content->space = executor_.memory()->space();
        make_arena_table(*content, executor_.memory());
        return content;
    }

    Executor& executor_;
    Primitives& primitives_;
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
    tree_skeleton tree_{};
};

/// The tree of `a`, which lies in the executor's memory: its dimensions are in range, it has at least one entry and
/// fewer than `most`, its arrays are as long as they must be, row offsets go from 0 to the number of entries.
/// Waits. Null when an entry lies outside the matrix, when the rows of a csr do not ascend, or when there are too many
/// nodes: the host's conversion then says what is wrong, or does it.
/// Throws shape_error when the tree takes more than an arena, and what run() throws.
template <class T, class Executor, class Primitives>
std::shared_ptr<hisparse_content const> convert_on(Executor& executor, Primitives&& primitives,
                                                   matrix_entries<T> const& a, int dimension_log2,
                                                   std::int64_t most = most_numbers) {
    return converter<T, Executor, std::remove_reference_t<Primitives>>(executor, primitives, a, dimension_log2, most)
        .convert();
}

/// Whether a matrix and what it is to become are within what convert_on() takes.
inline bool within_convert_on(std::int64_t rows, std::int64_t columns, std::int64_t entries, std::int64_t most,
                              hisparse_options options) {
    std::int64_t const longest = std::int64_t{1} << 31;
    int const d = options.node_dimension;
    return entries > 0 && entries < most && rows > 0 && rows <= longest && columns > 0 && columns <= longest &&
           (d == 64 || d == 128 || d == 256);
}

/// The trees of matrices by convert_on(). Null where the host's conversion says what is wrong, or does it.
template <class T, class Executor, class Primitives>
class tree_maker {
  public:
    using tree = std::shared_ptr<hisparse_content const>;

    tree_maker(Executor& executor, Primitives& primitives, hisparse_options options, std::int64_t most = most_numbers)
        : executor_(executor), primitives_(primitives), options_(options), most_numbers_(most) {}

    /// Rows that do not ascend are converted as the list of their entries.
    tree make(csr_view<T> const& a) {
        if (!takes(a)) return nullptr;
        view_arrays<Primitives> arrays(primitives_, space(), a.options);
        matrix_entries<T> entries{a.row_count, a.column_count, a.entry_count()};
        entries.row_offsets = arrays.template indices<std::int64_t>(a.row_offsets);
        entries.columns = arrays.template indices<std::int32_t>(a.column_indices);
        entries.values = arrays.values(a.values);
        if (arrays.read(entries.row_offsets) != 0 ||
            arrays.read(entries.row_offsets + a.row_count) != a.entry_count() || arrays.is_broken())
            return nullptr;
        if (tree const made = convert(entries)) return made;
        if (a.options.ascending) return nullptr;
        primitives_.for_each(a.row_count, check_row_offsets{entries.row_offsets, arrays.broken()});
        if (arrays.is_broken()) return nullptr;
        buffer<std::int32_t> const rows(primitives_.temporary(), a.entry_count());
        note_rows const note{
            {a.row_count, a.column_count, a.entry_count(), entries.row_offsets, entries.columns, nullptr, {}},
            rows.data()};
        primitives_.for_each(note.stretches().indices(), note);
        entries.rows = rows.data();
        entries.row_offsets = nullptr;
        return as_promised(convert(entries), a);
    }
    tree make(coo_view<T> const& a) {
        if (!takes(a)) return nullptr;
        view_arrays<Primitives> arrays(primitives_, space(), a.options);
        matrix_entries<T> entries{a.row_count, a.column_count, a.entry_count()};
        entries.rows = arrays.template indices<std::int32_t>(a.rows);
        entries.columns = arrays.template indices<std::int32_t>(a.columns);
        entries.values = arrays.values(a.values);
        if (arrays.is_broken()) return nullptr;
        if (a.options.ascending) {
            primitives_.for_each(a.entry_count(), check_entry_order{entries.rows, entries.columns, arrays.broken()});
            if (arrays.is_broken()) return nullptr;
        }
        return as_promised(convert(entries), a);
    }

  private:
    memory_space space() const { return executor_.memory()->space(); }
    template <class View>
    bool takes(View const& a) const {
        return within_convert_on(a.row_count, a.column_count, a.entry_count(), most_numbers_, options_) &&
               is_complete(a) && view_arrays<Primitives>::reads(space(), a.options);
    }
    template <class View>
    static tree as_promised(tree made, View const& a) {
        return made && a.options.no_duplicates && made->entry_count != a.entry_count() ? nullptr : made;
    }
    tree convert(matrix_entries<T> const& a) {
        int const log2 = std::countr_zero(static_cast<unsigned>(options_.node_dimension));
        auto content = convert_on<T>(executor_, primitives_, a, log2, most_numbers_);
        copy_options const copied{options_.share_identical, options_.values == stored_values::once,
                                  options_.share_transposed.value_or(false)};
        if (!content || !copied.changes_nodes()) return content;
        return std::make_shared<hisparse_content>(place(copy_tree(*content, sizeof(T), copied), executor_.memory()));
    }

    Executor& executor_;
    Primitives& primitives_;
    hisparse_options const options_;
    std::int64_t const most_numbers_;
};

}  // namespace copse::detail
