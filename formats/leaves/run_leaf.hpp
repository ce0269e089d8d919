// A leaf with runs along diagonals (node_kind::diagonal): what a stencil's leaf consists of.
//
//   | runs (2 bytes) | others (2 bytes) | rows[q] | columns[q] | first row, first column, length - 1 [runs] |
//   | values of the others [q] | values of the runs |
//
// q: padded number of the others, which are a list; both parts ascend in leaf_order. Values start at a multiple of 16
// bytes; those of run k + 1 follow those of run k.
#pragma once

#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/leaves/list_leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// Entries (row + i, column + i) with values[i], i < count.
template <class T>
struct leaf_run {
    int row;
    int column;
    int count;
    T const* values;
};

/// Where runs stand, as op(A) sees them.
struct run_list {
    std::uint8_t const* first_rows = nullptr;
    std::uint8_t const* first_columns = nullptr;
    std::uint8_t const* last = nullptr;  // length - 1
    int count = 0;

    COPSE_HOST_DEVICE int row(int k) const { return first_rows[k]; }
    COPSE_HOST_DEVICE int column(int k) const { return first_columns[k]; }
    COPSE_HOST_DEVICE int length(int k) const { return last[k] + 1; }
};

/// The runs of a list one after the other: for (leaf_run<T> run : run_range<T>(list, values)) ...
template <class T>
class run_range {
  public:
    COPSE_HOST_DEVICE COPSE_INLINE run_range(run_list const& list, T const* values) : list_(list), values_(values) {}

    class iterator {
      public:
        COPSE_HOST_DEVICE COPSE_INLINE iterator(run_list const& list, int k, T const* values)
            : list_(list), k_(k), values_(values) {}
        COPSE_HOST_DEVICE COPSE_INLINE leaf_run<T> operator*() const {
            return {list_.row(k_), list_.column(k_), list_.length(k_), values_};
        }
        COPSE_HOST_DEVICE COPSE_INLINE iterator& operator++() {
            values_ += list_.length(k_++);
            return *this;
        }
        COPSE_HOST_DEVICE COPSE_INLINE bool operator!=(iterator const& end) const { return k_ != end.k_; }

      private:
        run_list list_;
        int k_;
        T const* values_;
    };
    COPSE_HOST_DEVICE COPSE_INLINE iterator begin() const { return {list_, 0, values_}; }
    COPSE_HOST_DEVICE COPSE_INLINE iterator end() const { return {list_, list_.count, nullptr}; }

  private:
    run_list list_;
    T const* values_;
};

/// A leaf with runs, as op(A) sees it: single entries and runs.
template <class T>
struct run_leaf_view {
    list_leaf_view<T> others;
    run_list runs;
    T const* run_values;

    COPSE_HOST_DEVICE COPSE_INLINE run_range<T> each_run() const { return {runs, run_values}; }
};

namespace detail {

struct run_leaf {
    static constexpr node_kind kind = node_kind::diagonal;
    static constexpr char const* name = "diagonal leaf";
    static constexpr leaf_kinds kinds = leaf_kinds::runs;

    COPSE_HOST_DEVICE static constexpr leaf_shape shape(std::int64_t entries, std::int64_t runs, std::int64_t in_runs) {
        return {kind, static_cast<std::int32_t>(entries), static_cast<std::int32_t>(runs),
                static_cast<std::int32_t>(in_runs)};
    }
    COPSE_HOST_DEVICE static leaf_shape shape_of(std::byte const* memory, child_reference leaf) {
        auto const* const counts = reinterpret_cast<std::uint16_t const*>(memory);
        return shape(leaf.entries(), counts[0], leaf.entries() - counts[1]);
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(leaf_shape s, std::int64_t, std::int64_t value_bytes) {
        return values_offset(s) + align_node((padded_entries(others(s)) + s.in_runs) * value_bytes);
    }
    /// With at least one run, and at most all entries in it.
    COPSE_HOST_DEVICE static constexpr std::int64_t least_bytes(std::int64_t entries, std::int64_t d,
                                                              std::int64_t value_bytes) {
        return bytes(shape(entries, 1, entries), d, value_bytes);
    }

    template <class T>
    COPSE_HOST_DEVICE static run_leaf_view<T> view(std::byte const* memory, child_reference leaf, int) {
        int const runs = reinterpret_cast<std::uint16_t const*>(memory)[0];
        int const others = reinterpret_cast<std::uint16_t const*>(memory)[1];
        std::int64_t const p = padded_entries(others);
        auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + 4);
        auto const* const run_rows = rows + 2 * p;
        auto const* const values = reinterpret_cast<T const*>(memory + values_offset(runs, others));
        bool const flip = leaf.transposed();
        return {{values, in_global_memory(flip ? rows + p : rows), in_global_memory(flip ? rows : rows + p), others},
                {in_global_memory(flip ? run_rows + runs : run_rows),
                 in_global_memory(flip ? run_rows : run_rows + runs), run_rows + 2 * runs, runs},
                values + p};
    }
    template <class T>
    COPSE_HOST_DEVICE static stored_leaf stored(std::byte const*, leaf_shape s, std::int64_t d) {
        std::int64_t const p = padded_entries(others(s));
        return {bytes(s, d, sizeof(T)), values_offset(s), p + s.in_runs, others(s), p, nullptr};
    }

    template <class T>
    COPSE_HOST_DEVICE static leaf_places<T> places(std::byte* memory, leaf_shape s) {
        std::int64_t const p = padded_entries(others(s));
        auto* const rows = reinterpret_cast<std::uint8_t*>(memory + 4);
        auto* const values = reinterpret_cast<T*>(memory + values_offset(s));
        return {values, rows, rows + p, values + p};
    }
    /// Everything that is not an entry, and the counts. The lanes share it.
    template <class T, class Worker>
    COPSE_HOST_DEVICE static void prepare(Worker& w, std::byte* memory, leaf_shape s, std::int64_t d) {
        std::int64_t const p = padded_entries(others(s));
        list_leaf::clear_padding(w, places<T>(memory, s), others(s));
        if (w.rank() == 0) {
            reinterpret_cast<std::uint16_t*>(memory)[0] = static_cast<std::uint16_t>(s.runs);
            reinterpret_cast<std::uint16_t*>(memory)[1] = static_cast<std::uint16_t>(others(s));
        }
        clear_bytes(w, memory, 4 + 2 * p + 3 * s.runs, values_offset(s));
        std::int64_t const end = values_offset(s) + (p + s.in_runs) * static_cast<std::int64_t>(sizeof(T));
        clear_bytes(w, memory, end, bytes(s, d, sizeof(T)));
    }
    template <class T>
    COPSE_HOST_DEVICE static void begin_run(leaf_places<T> const& to, leaf_shape s, int run, int row, int column) {
        std::uint8_t* const first = to.rows + 2 * padded_entries(others(s));
        first[run] = static_cast<std::uint8_t>(row);
        first[s.runs + run] = static_cast<std::uint8_t>(column);
    }
    /// By the lane that began it, with the row of its last entry.
    template <class T>
    COPSE_HOST_DEVICE static void end_run(leaf_places<T> const& to, leaf_shape s, int run, int last_row) {
        std::uint8_t* const first = to.rows + 2 * padded_entries(others(s));
        first[2 * s.runs + run] = static_cast<std::uint8_t>(last_row - first[run]);
    }

    COPSE_HOST_DEVICE static constexpr std::int64_t values_offset(std::int64_t runs, std::int64_t others) {
        return align_node(4 + 2 * padded_entries(others) + 3 * runs);
    }

  private:
    COPSE_HOST_DEVICE static constexpr std::int32_t others(leaf_shape s) { return s.entries - s.in_runs; }
    COPSE_HOST_DEVICE static constexpr std::int64_t values_offset(leaf_shape s) {
        return values_offset(s.runs, others(s));
    }
};

/// Runs as one word each, for lanes that have many at hand. Distances: pointers would be live in twice as many
/// registers.
class packed_runs {
  public:
    COPSE_HOST_DEVICE explicit packed_runs(run_list const& runs)
        : first_rows_(runs.first_rows),
          to_columns_(static_cast<int>(runs.first_columns - runs.first_rows)),
          to_last_(static_cast<int>(runs.last - runs.first_rows)) {}

    COPSE_HOST_DEVICE COPSE_INLINE std::uint32_t operator[](int k) const {
        std::uint8_t const* const run = first_rows_ + k;
        return run[0] | std::uint32_t{run[to_columns_]} << 8 | std::uint32_t{run[to_last_]} << 16;
    }
    COPSE_HOST_DEVICE COPSE_INLINE static int row(std::uint32_t run) { return static_cast<int>(run & 255); }
    COPSE_HOST_DEVICE COPSE_INLINE static int column(std::uint32_t run) { return static_cast<int>(run >> 8 & 255); }
    COPSE_HOST_DEVICE COPSE_INLINE static std::uint32_t last(std::uint32_t run) { return run >> 16; }

  private:
    std::uint8_t const* first_rows_;
    int to_columns_;
    int to_last_;
};

/// Of the others; the runs are visit_rest()'s.
template <class T>
COPSE_HOST_DEVICE leaf_stretch<T> stretch_of(run_leaf_view<T> const& leaf) {
    return stretch_of(leaf.others);
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(run_leaf_view<T> const& leaf, F f) {
    visit_alone<What>(leaf.others, f);
    int before = leaf.others.count;
    for (leaf_run<T> const run : leaf.each_run()) {
        for (int i = 0; i < run.count; ++i) visit_one<What>(f, before + i, run.row + i, run.column + i, run.values[i]);
        before += run.count;
    }
}

/// Runs, which follow `before` other entries; each is one warp's.
template <visited What, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_rest(Worker& w, run_leaf_view<T> const& leaf, int before, F f) {
    int constexpr wide = static_cast<int>(16 / sizeof(T));
    int constexpr lanes = Worker::size() < 32 ? Worker::size() : 32, warps = Worker::size() / lanes;
    T const* values = leaf.run_values;
    COPSE_NO_UNROLL
    for (int run = 0; run < leaf.runs.count; ++run) {
        int const count = leaf.runs.length(run);
        if (run % warps == w.rank() / lanes) {
            int const row = leaf.runs.row(run), column = leaf.runs.column(run);
            bool const single = count <= lanes;
            int const step = single ? 1 : wide;
            COPSE_NO_UNROLL
            for (int k = w.rank() % lanes * step - (single ? 0 : misalignment(values)); k < count; k += lanes * step) {
                lane_entries<T, wide> e{};
                e.mine = single ? 1 : (1u << wide) - 1;
                if (What == visited::entries) e.values = load_values<wide>(values + k, single, w);
                e.keep_own(k, count);
                COPSE_UNROLL
                for (int j = 0; j < wide; ++j)
                    if ((e.mine >> j & 1) != 0)
                        visit_one<What>(f, before + k + j, row + k + j, column + k + j,
                                        e.values[static_cast<std::size_t>(j)]);
            }
        }
        before += count;
        values += count;
    }
}

}  // namespace detail
}  // namespace copse
