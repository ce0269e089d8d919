// Replaying with leaves that are copied on chip by the copy engine, each by one request, while the lanes are at work on
// the one before: a warp then waits for neither a leaf's head nor its values, and loads take no registers.
//
//   items    0      1      2      3      4          lanes: at work on 1;  2 and 3 are on their way
//   ring   | .. 4?  | 1      | 2    | 3  ..   |     4 follows when there is room: when 1 is done
//
// Not staged, and read from global memory: dense leaves (16 KB at least; each lane has four loads of them on their
// way), wide ones and those larger than the ring.
//
// With x: the d elements of x that the leaf multiplies lie behind it in the ring, 1 KB beside a stencil's leaf of 3 KB.
// Without, lanes read them by L1, where a streak's neighbours have left their lines.
//
// A multiprocessor of sm_90 has 227 KB: five blocks of four workers with 10 KB each, sums included, and so twenty rings
// of 7.2 to 8.2 KB. A leaf of stencil27:100 has 3 KB: less what the lanes are at work on, 85 KB are on their way, at
// 4.25 TB/s and a microsecond of latency 32 KB are what it takes.
#pragma once

#include <array>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace copse::detail {

/// Scratch of a worker, and leaves that are on chip at once, at most: the one that is worked on is among them.
inline constexpr std::size_t staged_scratch_bytes = 10 * 1024;
inline constexpr int staged_leaves = 4;

template <class V>
inline constexpr int staging_ring_bytes = static_cast<int>(staged_scratch_bytes - replay_rows * sizeof(V) -
                                                           at_hand_bytes()) /
                                          16 * 16;

/// A worker for functions that multiply leaves: load_stream() reads what is on chip, and so does load() where WithX.
template <class Worker, bool WithX>
struct on_chip_reader {
    static constexpr bool on_cpu = Worker::on_cpu;
    Worker& w;

    COPSE_HOST_DEVICE int rank() const { return w.rank(); }
    COPSE_HOST_DEVICE static constexpr int size() { return Worker::size(); }
    template <class T>
    COPSE_HOST_DEVICE T shuffle(T value, int source) const {
        return w.shuffle(value, source);
    }
    template <class T>
    COPSE_HOST_DEVICE T load(T const* p) const {
        if constexpr (WithX)
            return *p;
        else
            return w.load(p);
    }
    template <class T>
    COPSE_HOST_DEVICE T load_stream(T const* p) const {
        return *p;
    }
    template <int N, class T>
    COPSE_HOST_DEVICE std::array<T, N> load_stream_vector(T const* p) const {
        std::array<T, N> values;
        memcpy(&values, __builtin_assume_aligned(p, N * sizeof(T)), sizeof values);
        return values;
    }
};

/// What add_item() adds for a leaf whose bytes are at `memory`, by the same additions in the same order. x: of the
/// leaf's columns; on chip where WithX.
template <bool WithX, class T, class V, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_staged_leaf(replay<T, V> const& product, listed_leaf const& item,
                                                    plan_part const& part, std::byte const* memory, V const* x, V* sums,
                                                    Worker& w) {
    child_reference const reference = item.leaf.reference;
    int const log2 = product.tree.dimension_log2(), row = static_cast<int>(item.leaf.row - part.first_row);
    bool const is_list = reference.kind_of_positive() == sparse_leaf::kind;
    on_chip_reader<Worker, WithX> reader{w};
    sums += row;
    diagonal_leaf_view<T> leaf;
    if (is_list)
        leaf.others = sparse_leaf::view<T, leaf_place::on_chip>(memory, reference, log2);
    else
        leaf = diagonal_leaf::view<T, leaf_place::on_chip>(memory, reference, log2);
    for_each_product(leaf.others, 0, leaf.others.count, x, reader,
                     [&](bool mine, int i, V value) { add_in_order(sums, mine ? i : -1, value, w); });
    if (is_list) return;
    int const rows = part.rows - row < product.tree.dimension() ? part.rows - row : product.tree.dimension();
    add_streaks_by_rows<leaf_place::on_chip>(leaf, rows, x, reader, [&](int i, V sum) { sums[i] += sum; });
    w.sync();
}

/// Bytes of the leaf if it is to be staged; 0 if it is not. Reads the head of a leaf with streaks, and waits for it.
template <class T>
COPSE_HOST_DEVICE int bytes_to_stage(node_reader const& tree, listed_leaf const& item, int ring_bytes) {
    child_reference const leaf = item.leaf.reference;
    node_kind const kind = leaf.kind_of_positive();
    if (kind != sparse_leaf::kind && kind != diagonal_leaf::kind) return 0;
    leaf_shape const shape =
        kind == sparse_leaf::kind ? shape_by_reference(leaf) : diagonal_leaf::shape_of(tree.address(leaf), leaf);
    std::int64_t const bytes = leaf_bytes(shape, tree.dimension(), sizeof(T));
    return bytes <= ring_bytes ? static_cast<int>(bytes) : 0;
}

/// Where the leaves of up to 32 items lie in a ring. Each lane knows of its own item; all know where the next one goes.
/// Positions count on from one round of the ring to the next; no leaf goes on at the ring's begin.
struct staging_ring {
    int bytes;      // of the ring
    int own_bytes;  // of this lane's leaf; 0: it is not staged
    int own_begin = 0;
    int begun = 0;  // items whose copies have begun, as far as they are staged
    int end = 0;

    /// copy(i, at, bytes) for the items behind those that have begun, as many as there is room for while item `current`
    /// is on chip or not begun itself; bytes is 0 where an item is not staged. Collective.
    template <class Worker, class Copy>
    COPSE_HOST_DEVICE COPSE_INLINE void begin_copies(int current, int items, Worker& w, Copy copy) {
        COPSE_NO_UNROLL
        while (begun < items && begun < current + staged_leaves) {
            int const size = w.shuffle(own_bytes, begun), left = bytes - end % bytes;
            int const begin = size > left ? end + left : end;
            if (begun > current && begin + size - w.shuffle(own_begin, current) > bytes) return;
            if (w.rank() == begun) own_begin = begin;
            copy(begun++, begin % bytes, size);
            end = begin + size;
        }
    }
};

/// As add_from_tree, but leaves are staged. at_hand: at_hand_bytes() and the ring behind them.
template <bool WithX>
struct add_staged {
    bool fetch_ahead;

    template <class T, class V, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void operator()(replay<T, V> const& product, plan_part const& part,
                                                   listed_leaf const* items, int count, V* sums, std::byte* at_hand,
                                                   Worker& w) const {
        static_assert(Worker::size() == 32);
        int constexpr ring_bytes = staging_ring_bytes<V>;
        int const x_bytes = WithX ? product.tree.dimension() * static_cast<int>(sizeof(V)) : 0;
        std::byte* const memory = at_hand + at_hand_bytes();
        for_each_batch(items, count, at_hand, w, [&](listed_leaf const* here, int loaded) {
            int own = w.rank() < loaded ? bytes_to_stage<T>(product.tree, here[w.rank()], ring_bytes - x_bytes) : 0;
            if (own > 0) own += x_bytes;
            staging_ring ring{ring_bytes, own};
            COPSE_NO_UNROLL
            for (int i = 0; i < loaded; ++i) {
                ring.begin_copies(i, loaded, w, [&](int next, int at, int size) {
                    if (size > 0) {
                        int const copy = next % staged_leaves, leaf = size - x_bytes;
                        w.copy_bulk(copy, memory + at, product.tree.address(here[next].leaf.reference), leaf);
                        if constexpr (WithX) {
                            staged_x<T, V> const x(product, here[next]);
                            if (x.by_bulk) w.copy_bulk(staged_leaves + copy, memory + at + leaf, x.from, x.bytes);
                        }
                    } else if (fetch_ahead && w.rank() == 0) {
                        fetch_item<T>(product.tree, here[next], w);
                    }
                });
                int const size = w.shuffle(own, i);
                if (size == 0) {
                    add_item(product, here[i], part, sums, w);
                    continue;
                }
                std::byte* const leaf = memory + w.shuffle(ring.own_begin, i) % ring_bytes;
                w.wait_bulk(i % staged_leaves);
                V const* x = product.x + here[i].leaf.column;
                if constexpr (WithX) {
                    V* const on_chip = reinterpret_cast<V*>(leaf + size - x_bytes);
                    wait_for_x(staged_x<T, V>(product, here[i]), i % staged_leaves, on_chip, w);
                    x = on_chip;
                }
                add_staged_leaf<WithX>(product, here[i], part, leaf, x, sums, w);
            }
        });
    }

  private:
    /// The leaf's part of x: by the copy engine where it takes it, by the lanes where x begins or ends elsewhere.
    template <class T, class V>
    struct staged_x {
        std::byte const* from;
        int bytes;
        bool by_bulk;

        COPSE_HOST_DEVICE staged_x(replay<T, V> const& product, listed_leaf const& item)
            : from(reinterpret_cast<std::byte const*>(product.x + item.leaf.column)) {
            std::int64_t const left = product.x_size - item.leaf.column;
            int const d = product.tree.dimension();
            bytes = (left < d ? static_cast<int>(left) : d) * static_cast<int>(sizeof(V));
            by_bulk = (reinterpret_cast<std::uintptr_t>(from) | static_cast<unsigned>(bytes)) % 16 == 0;
        }
    };
    template <class T, class V, class Worker>
    COPSE_HOST_DEVICE static void wait_for_x(staged_x<T, V> const& x, int copy, V* on_chip, Worker& w) {
        if (x.by_bulk) return w.wait_bulk(staged_leaves + copy);
        for (int k = w.rank(); k < x.bytes / static_cast<int>(sizeof(V)); k += w.size())
            on_chip[k] = w.load(reinterpret_cast<V const*>(x.from) + k);
        w.sync();
    }
};

/// replay_part_task, staged. keeps_leaves: as its KeepsLeaves; with x all is kept, for x is read again.
template <class T, class V, class Epilogue, bool WithX = false>
struct replay_staged_task : replay_part_task<T, V, Epilogue> {
    static constexpr char const* name = WithX ? "part of a plan, staged with x" : "part of a plan, staged";
    static constexpr std::size_t scratch_bytes = staged_scratch_bytes;
    static constexpr int bulk_copies = WithX ? 2 * staged_leaves : staged_leaves;
    static constexpr int resident_blocks = 5;

    bool keeps_leaves;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(std::int64_t index, Worker& w) const {
        if (WithX || keeps_leaves) w.keep_streams();
        this->multiply(index, add_staged<WithX>{this->fetch_ahead}, w);
    }
};

/// f(task): the parts of a product, by the task that was chosen. MayStage: without it leaves are not staged, and parts
/// are a warp's, whatever was chosen.
template <bool MayStage, class T, class V, class Epilogue, class Choices, class F>
void with_part_task(ready_replay<T, V> const& ready, row_writer<V, Epilogue> const& writer, Choices const& choices,
                    F f) {
    bool const keeps = keeps_leaves(ready.lists, choices);
    auto const by = [&]<int lanes>(std::integral_constant<int, lanes>) {
        if (keeps)
            f(replay_part_task<T, V, Epilogue, true, lanes>{ready.product, writer, choices.fetch_ahead});
        else
            f(replay_part_task<T, V, Epilogue, false, lanes>{ready.product, writer, choices.fetch_ahead});
    };
    if constexpr (MayStage && may_choose<Choices>) {
        replay_part_task<T, V, Epilogue> const plain{ready.product, writer, choices.fetch_ahead};
        if (choices.staged == plan_staging::leaves) return f(replay_staged_task<T, V, Epilogue, false>{plain, keeps});
        if (choices.staged == plan_staging::leaves_and_x)
            return f(replay_staged_task<T, V, Epilogue, true>{plain, keeps});
        if (choices.by_blocks) return by(std::integral_constant<int, block_threads>());
    }
    by(std::integral_constant<int, 32>());
}

}  // namespace copse::detail
