// From HiSparse to compressed rows as tasks over segments of pieces, which tree_pieces_tasks.hpp has collected.
//
//   count_rows       a segment: how many entries it has in each row
//   place_rows       a segment: each entry to its place, columns ascending
//
// A row's entries lie anywhere in a leaf. A set of bits for the leaf's positions tells each how many of its row are
// before it, whatever order the leaf is stored in: nothing is sorted, and a transposed leaf costs no more.
#pragma once

#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/to_rows/tree_pieces_tasks.hpp>
#include <copse/formats/to_rows/tree_rows.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace copse::detail {

/// An entry of a piece: row in the block row, column in the matrix.
template <class T>
struct piece_entry {
    int row;
    std::int32_t column;
    T const* stored;
    bool negative;  // the value is the negative of what is stored

    COPSE_HOST_DEVICE T value() const { return value_sign<T>(negative)(*stored); }
};

/// What count_rows and place_rows have in common.
template <class T>
struct segment_reader {
    node_reader tree;
    tree_segments segments;

    COPSE_HOST_DEVICE std::int32_t first_column(placed_piece const& p) const {
        return static_cast<std::int32_t>(segments.pieces.order.column_block(p.key) << tree.dimension_log2());
    }
    /// f(row in the block row, column in the matrix, value), or without the value; the lanes share the entries.
    template <visited What, class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void visit(Worker& w, placed_piece const& p, F f) const {
        int const mask = tree.dimension() - 1;
        std::int32_t const first = first_column(p);
        auto const entry = [&](int, int row, int column, auto... value) {
            f(row & mask, first + (column & mask), value...);
        };
        visit_operand<T, What>(w, tree, node{p.piece.reference, 0, 0}, p.piece.first, p.piece.count, entry);
    }
    /// Entry i of a list of entries.
    COPSE_HOST_DEVICE COPSE_INLINE piece_entry<T> entry_of(placed_piece const& p, int i) const {
        int const mask = tree.dimension() - 1;
        node const leaf{p.piece.reference, 0, 0};
        auto const make = [&](auto const& list, int k) {
            return piece_entry<T>{list.rows[k] & mask, first_column(p) + (list.columns[k] & mask), list.values.at(k),
                                  leaf.reference.negative()};
        };
        if (p.piece.reference.is_wide_leaf()) return make(tree.template wide_leaf<T>(leaf), p.piece.first + i);
        return make(tree.template sparse_leaf<T>(leaf), i);
    }
    /// few(mine, entry) for as many pieces at once as have an entry for each lane at most, `mine` false where a lane
    /// has none; crowd(piece) for other pieces. In the order of the pieces. Collective.
    template <class Worker, class Few, class Crowd>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_group(Worker& w, std::int64_t segment, Few few, Crowd crowd) const {
        std::int64_t const end = segments.begin[segment + 1];
        for (std::int64_t i = segments.begin[segment]; i < end; i += w.size()) {
            // A piece for each lane, all loaded at once.
            int const loaded = end - i < w.size() ? static_cast<int>(end - i) : w.size();
            placed_piece own{};
            if (w.rank() < loaded) own = segments.pieces[i + w.rank()];
            bool const is_list = w.rank() < loaded && is_few(own.piece, w.size());
            for (int done = 0; done < loaded;) {
                int const count = w.rank() < done ? 0 : is_list ? own.piece.count : w.size() + 1;
                int const through = w.inclusive_scan(count, [](int a, int b) { return a + b; });
                int const fit = w.reduce(through <= w.size() ? 1 : 0, [](int a, int b) { return a + b; });
                if (fit == done) {
                    crowd(w.shuffle(own, done++));
                    continue;
                }
                int which = 0;  // of the pieces has this lane's entry
                for (int step = w.size() / 2; step > 0; step /= 2)
                    if (w.shuffle(through, which + step - 1) <= w.rank()) which += step;
                placed_piece const piece = w.shuffle(own, which);
                int const before = w.shuffle(through - count, which);
                bool const mine = w.rank() < w.shuffle(through, fit - 1);
                few(mine, mine ? entry_of(piece, w.rank() - before) : piece_entry<T>{});
                done = fit;
            }
        }
    }

  private:
    COPSE_HOST_DEVICE static bool is_few(tree_piece const& p, int lanes) {
        return p.count <= lanes && (p.reference.is_wide_leaf() || p.reference.kind() == sparse_leaf::kind);
    }
};

template <class T>
struct count_rows {
    using item = std::int64_t;  // a segment
    static constexpr int width = 32;
    static constexpr char const* name = "count the entries of rows";
    static constexpr std::size_t scratch_bytes = 256 * sizeof(std::uint32_t);

    segment_reader<T> from;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item segment, Worker& w) const {
        int const d = from.tree.dimension();
        auto* const counts = w.template scratch<std::uint32_t>(d).data();
        for (int row = w.rank(); row < d; row += w.size()) counts[row] = 0;
        w.sync();
        from.for_each_group(
            w, segment,
            [&](bool mine, piece_entry<T> const& e) {
                if (mine) w.add(&counts[e.row], 1u);
            },
            [&](placed_piece const& p) {
                from.template visit<visited::positions>(w, p, [&](int row, std::int32_t) { w.add(&counts[row], 1u); });
            });
        w.sync();
        segment_places const places(from.segments, segment, from.tree.dimension_log2());
        for (int row = w.rank(); row < d; row += w.size()) places[row] = counts[row];
        w.sync();  // the counts' memory is the next item's
    }
};

/// Which positions of a block have an entry, in memory that the lanes share. Words of rows side by side lie side by
/// side, as what follows a diagonal wants them.
class row_bits {
  public:
    static constexpr std::size_t bytes(std::size_t d) { return d * d / 8; }

    COPSE_HOST_DEVICE row_bits(std::uint32_t* words, int dimension_log2) : words_(words), log2_(dimension_log2) {}

    COPSE_HOST_DEVICE int words_in_row() const { return 1 << (log2_ - 5); }
    COPSE_HOST_DEVICE std::uint32_t& word(int row, int i) const { return words_[i << log2_ | row]; }

    template <class Worker>
    COPSE_HOST_DEVICE void clear(Worker& w) const {
        for (int i = w.rank(); i < words_in_row() << log2_; i += w.size()) words_[i] = 0;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void insert(Worker& w, int row, int column) const {
        w.set_bits(&word(row, column / 32), 1u << (column % 32));
    }
    COPSE_HOST_DEVICE int before(int row, int column) const {
        int count = bit_count(word(row, column / 32) & ((1u << (column % 32)) - 1));
        for (int i = 0; i < column / 32; ++i) count += bit_count(word(row, i));
        return count;
    }
    /// Entries of a row, which are forgotten.
    COPSE_HOST_DEVICE int take(int row) const {
        int count = 0;
        for (int i = 0; i < words_in_row(); ++i) {
            count += bit_count(word(row, i));
            word(row, i) = 0;
        }
        return count;
    }

  private:
    std::uint32_t* words_;
    int log2_;
};

template <class T>
struct place_rows {
    using item = std::int64_t;  // a segment
    static constexpr int width = 32;
    static constexpr char const* name = "place the entries of rows";
    static constexpr std::size_t scratch_bytes = 256 * sizeof(std::int64_t) + row_bits::bytes(256);
    static constexpr int resident_blocks = 5;  // the scratch memory of four workers leaves room for no more

    segment_reader<T> from;
    std::int32_t* columns;
    T* values;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item segment, Worker& w) const {
        int const log2 = from.tree.dimension_log2(), d = 1 << log2;
        // Where each row goes on; the block's bits are behind it.
        auto* const next = reinterpret_cast<std::int64_t*>(w.template scratch<std::byte>(scratch_bytes).data());
        row_bits const bits(reinterpret_cast<std::uint32_t*>(next + d), log2);
        segment_places const places(from.segments, segment, log2);
        for (int row = w.rank(); row < d; row += w.size()) next[row] = places[row];
        bits.clear(w);
        w.sync();
        from.for_each_group(
            w, segment, [&](bool mine, piece_entry<T> const& e) { place_few(w, next, mine, e); },
            [&](placed_piece const& p) { place_piece(w, next, bits, p); });
        w.sync();  // the memory is the next item's
    }

  private:
    COPSE_HOST_DEVICE void put(std::int64_t place, std::int32_t column, T value) const {
        columns[place] = column;
        values[place] = value;
    }
    /// An entry of each lane; their rows may be the same, in any order.
    template <class Worker>
    COPSE_HOST_DEVICE void place_few(Worker& w, std::int64_t* next, bool mine, piece_entry<T> const& e) const {
        std::uint64_t const own =
            static_cast<std::uint64_t>(mine ? e.row : -1) << 32 | static_cast<std::uint32_t>(e.column);
        int before = 0;
        bool last = true;
        COPSE_NO_UNROLL
        for (int lane = 0; lane < w.size(); ++lane) {
            std::uint64_t const other = w.shuffle(own, lane);
            if (other >> 32 != own >> 32) continue;
            if (other < own) ++before;
            if (other > own) last = false;
        }
        std::int64_t place = 0;
        if (mine) {
            place = next[e.row] + before;
            put(place, e.column, e.value());
        }
        w.sync();
        if (mine && last) next[e.row] = place + 1;
        w.sync();
    }
    template <class Worker>
    COPSE_HOST_DEVICE void place_piece(Worker& w, std::int64_t* next, row_bits const& bits,
                                       placed_piece const& p) const {
        int const mask = from.tree.dimension() - 1;
        insert_piece(w, bits, p);
        w.sync();
        from.template visit<visited::entries>(w, p, [&](int row, std::int32_t column, T value) {
            put(next[row] + bits.before(row, column & mask), column, value);
        });
        w.sync();
        for (int row = w.rank(); row <= mask; row += w.size()) next[row] += bits.take(row);
        w.sync();
    }
    template <class Worker>
    COPSE_HOST_DEVICE void insert_piece(Worker& w, row_bits const& bits, placed_piece const& p) const {
        int const mask = from.tree.dimension() - 1;
        child_reference const leaf = p.piece.reference;
        if (leaf.kind() != dense_leaf::kind || leaf.transposed()) {
            from.template visit<visited::positions>(
                w, p, [&](int row, std::int32_t column) { bits.insert(w, row, column & mask); });
            return;
        }
        // Word by word: lanes side by side would set bits of one word.
        auto const presence = from.tree.template dense_leaf<T>({leaf, 0, 0}).presence;
        int const in_row = bits.words_in_row();
        for (int i = w.rank(); i < in_row * (mask + 1); i += w.size())
            bits.word(i / in_row, i % in_row) = presence == nullptr ? ~0u : in_global_memory(presence)[i];
    }
};

/// For the device controller.
template <template <class...> class List>
using tree_rows_runs = std::tuple<List<collect_pieces<float>>, List<collect_pieces<double>>, List<count_rows<float>>,
                                  List<count_rows<double>>, List<place_rows<float>>, List<place_rows<double>>>;

}  // namespace copse::detail
