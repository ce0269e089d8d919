// What a worker offers: the threads (lanes) that run a task function for one item together.
//
//   struct scale_rows {
//       using item = std::int64_t;
//       static constexpr int width = 32;
//       template <copse::any_worker Worker>                          // or `class Worker`
//       COPSE_HOST_DEVICE void operator()(item row, Worker& w) const {
//           for (int i = w.rank(); i < columns; i += w.size()) values[row * columns + i] *= 2;
//           if (w.rank() == 0) w.template push<next_step>(row);
//       }
//   };
//
// All executors' workers have these members. Where Worker is a template parameter, members that are called with <...>
// need the word `template` in front, as above.
//
// `*` marks collective members: every lane of the worker must call them, the same number of times, in the same order.
//
// The lanes
//   rank(), size()               this lane's number, and how many lanes work on the item
//   sync()                     * waits until all lanes are here; each then sees what the others wrote before
//   shuffle(v, source)         * the value that lane `source` passed. Values that lanes exchange, here and in reduce()
//                                and inclusive_scan(), are trivially copyable and have at most 32 bytes
//   reduce(v, op)              * op over the values of all lanes, in an unspecified order; each lane gets the result
//   inclusive_scan(v, op)      * op over the values of lanes 0 .. rank
//   any(b)                     * whether b is true in some lane
//   lanes_where(b)             * bit i: whether b is true in lane i. Workers of up to 32 lanes
//   lanes_with(label)          * bit i: whether lane i passed the same int. Workers of up to 32 lanes
//   warp()                       this lane's group of up to 32 neighbouring lanes, with rank(), size(), sync(),
//                                shuffle(), any(), lanes_where() and lanes_with()
//
// Memory that the lanes share
//   scratch<T>(n)                n elements, not initialised, of the task's scratch_bytes: auto s = w.scratch<T>(n);
//                                s[i], s.data(). Every call gives the same memory, which begins behind open tiles
//   tile(target, n)            * a tile t, which adds to target[0 .. n): t.add(i, v) *; a lane that has no v passes
//                                i < 0. t.close() *, or the end of t's scope, ends it. t.add_alone(i, v) is cheaper:
//                                no other lane may add to i between the same two syncs. t.add(i, array) * adds
//                                array[k] to target[i + k]. "Tiles" below says more
//   tile(target, n, op)        * the same with plus(), min_op() or max_op() (below) in the place of addition
//   set_bits(p, bits)            *p |= bits. Only this worker's lanes may use the word, and all of them may at once
//
// New items
//   push<Task>(item)             any lane may call it, in divergent code too. A number that the item cannot hold (a
//                                fraction, or of a larger type) is a compile error
//   push_n<Task>(n, make)      * n items make(0) .. make(n - 1) by one reservation; all lanes pass the same n and make.
//                                Lane i % size() pushes item i
//   push_range<Task>(first, n)   items first .. first + n - 1, as one entry
//   fail(code)                   ends the run with task_error; the remaining items are dropped
//
// Memory that all workers share
//   add(p, v)                    atomic addition, relaxed. Not for memory that a tile adds to
//   fetch_add(p, v)              the same for integers; returns the value of *p before the addition
//   min(p, v), max(p, v)         *p <- the smaller, the larger of *p and v: atomic, relaxed. Integers of 4 and 8 bytes,
//                                float, double. NaN loses against every number: a v that is NaN changes nothing, and a
//                                *p that is NaN becomes v. -0 is less than +0. Not for memory that a tile adds to
//   exchange_if(p, e, v)         if *p is e, *p <- v. Returns the value of *p before: the exchange was made if that is
//                                e. The same types as min; floating-point numbers are compared bit by bit. Acquire and
//                                release: a caller that gets v, or finds it, sees what was written before it was stored
//   count_down(counter)          subtracts 1. True in the call that reaches zero; its lane then sees what the other
//                                callers wrote before their calls
//
// Loads and stores that say how memory will be used. Vectors have 16 bytes at most, and p is a multiple of their size
//   load(p)                      *p. A plain read does the same; this one is counted by the emulated executor
//                                (runtime/trace.hpp)
//   load_stream(p)               *p, which will not be loaded again soon
//   load_stream_vector<N>(p)     p[0 .. N) by one load; will not be loaded again soon
//   load_vector<N>(p)            p[0 .. N) by one load; will be loaded again
//   load_line_vector<N>(p)       16 bytes by one load; this lane's next loads take the rest of the 128-byte line
//   store_vector(p, array)       p[0 .. N) by one store
//   copy_stream(to, from, bytes) * copies into scratch what will not be loaded again soon. The copy is complete after
//                                the next sync(). to, from and bytes are multiples of 16
//   copy_bulk(k, to, from, bytes)
//                              * begins to copy into scratch what will not be loaded again soon: copy k of the task's
//                                bulk_copies. All lanes pass the same. What is at `to` is undefined until wait_bulk(k)
//                                returns; what lanes read or write there before wants a sync() in between. to, from
//                                and bytes are multiples of 16
//   wait_bulk(k)               * waits for copy k, and is a sync(). Each copy is waited for once, before the next one
//                                with its number begins and before the function returns
//   fetch_stream(p, bytes)       a hint: load_stream will soon load p[0 .. bytes). p and bytes are multiples of 16
//   keep_streams()               a hint: from now on another worker may soon read what this one reads by load_stream,
//                                load_stream_vector, copy_stream, copy_bulk and fetch_stream
//
// What a task function sees of what others wrote
// - A pushed item's function sees what the pushing lane wrote before the push, and what that lane saw: what other lanes
//   wrote before a sync() that came before the push, what the pusher's own pusher wrote, what a count_down() that
//   returned true has shown. If the item is to see the writes of all lanes, call sync() before the push.
// - The items of a phase see all that earlier phases wrote. The host sees everything when run() has returned.
// - The lane to which count_down() returns true sees what each caller wrote, or saw, before its call. The other lanes
//   of its worker see that after a sync(). To count for all lanes of a worker, sync(), then let one lane call it.
// - Nothing else is ordered: not two items of one queue. add(), min() and max() order no other memory, nor do tiles.
// On a GPU these are releases and acquires of device scope: push() releases the slot of the ring; the block that draws
// the item acquires the slot and passes a barrier. On cpu and emulated they are those of std::atomic_ref.
//
// Tiles
// - While items work that have tiles on target[0 .. n), it is changed through tiles alone, all with the same operation.
//   Tiles of different items, or of one, may overlap.
// - Several tiles may be open at once, and they may close in any order. When close() returns, what was added is in
//   memory.
// - On gpu and emulated, if the task has scratch, open tiles lie in it: each takes n elements for each 32 lanes,
//   rounded up to 16 bytes. Tiles that do not fit are a misuse: `emulated` names it, and the gpu does if COPSE_CHECKED
//   is 1 (config.hpp). If a task has no scratch, each add() is an atomic operation.
// - Open tiles before you call scratch(), which begins behind them.
// - Costs on a cpu (one x86 core): w.add() 3 ns, and more where other cores add to the same line; t.add() 1 ns; to open
//   and close a tile 10 ns, and 5 ns for each further KiB. If another tile of the worker, or of another thread, has the
//   same KiB, 0.5 ns more for each of the n elements.
// - Costs on a GPU: w.add() is sent off without a wait, but additions to one element are done one after another. A tile
//   sends each element once, up to 16 bytes at a time.
// - So use add() for a few elements of an item, and a tile for an item that adds n times or more to n neighbours.
//
// Constants
//   on_cpu                       true: the worker is one lane on a thread of the cpu executor. It then also has
//                                thread(), the thread's number from 0, for memory that each thread has to itself
//   task, machine                the task whose function runs, and the atomic operations (scheduler/machine.hpp)
//
// The operations by which tiles and atomic calls add up: plus, min_op, max_op.
//
//   auto t = w.tile(distances, n, copse::min_op());      // distances[i] <- min(distances[i], v) for each t.add(i, v)
//   int const least = w.reduce(mine, copse::min_op());
//
// The result of min_op and max_op does not depend on the order of their operands, in these cases either:
//   NaN     loses against every number. The result is NaN only if both operands are
//   zeros   -0 is less than +0
//
// For plus, NaN and zeros are as in all of floating-point arithmetic.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace copse {
namespace detail {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
COPSE_HOST_DEVICE constexpr bool same_bits(T a, T b) {
    return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}

/// Whether a < b or a > b. On a host one comparison tells this from all else, and which of them holds decides by one
/// instruction: loops with one branch that is nearly always taken.
template <class T>
COPSE_HOST_DEVICE constexpr bool differ_in_order(T a, T b) {
#if defined(__CUDA_ARCH__)
    return false;  // a choice without branches
#else
    return __builtin_islessgreater(a, b);
#endif
}

/// What changes no number by min or max: NaN; of integers the largest, or the smallest.
template <class T>
COPSE_HOST_DEVICE constexpr T last_choice(T of_integers) {
    if constexpr (std::is_floating_point_v<T>)
        return std::numeric_limits<T>::quiet_NaN();
    else
        return of_integers;
}

}  // namespace detail

/// a + b
struct plus {
    /// Changes no operand: -0 + v is v, also for v = -0.
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return static_cast<T>(-T(0));
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        return static_cast<T>(a + b);
    }
};

/// The smaller of a and b.
struct min_op {
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return detail::last_choice(std::numeric_limits<T>::max());
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (detail::differ_in_order(a, b)) [[likely]]
                return b < a ? b : a;
            return b < a || a != a || (a == b && std::bit_cast<detail::bits_of<T>>(b) < 0) ? b : a;
        } else {
            return b < a ? b : a;
        }
    }
};

/// The larger of a and b.
struct max_op {
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return detail::last_choice(std::numeric_limits<T>::lowest());
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (detail::differ_in_order(a, b)) [[likely]]
                return a < b ? b : a;
            return a < b || a != a || (a == b && std::bit_cast<detail::bits_of<T>>(b) >= 0) ? b : a;
        } else {
            return a < b ? b : a;
        }
    }
};

template <class Op>
concept tile_operation = std::same_as<Op, plus> || std::same_as<Op, min_op> || std::same_as<Op, max_op>;

/// The members that this file begins with, which the compiler checks for each executor's worker. Some members need
/// something of the task: scratch() needs scratch_bytes, push_range() an item made from a number. All workers have
/// these members, too; a call by a task without what the member needs is a compile error with a message.
template <class W>
concept any_worker = requires(W const w, double* sums, double value, int* count, std::uint32_t* bits, std::byte* bytes,
                              std::array<double, 2> pair, typename W::task::item item, double (*larger)(double, double),
                              typename W::task::item (*make)(std::uint32_t)) {
    typename W::machine;
    { W::on_cpu } -> std::convertible_to<bool>;
    { W::size() } -> std::same_as<int>;
    { w.rank() } -> std::same_as<int>;
    w.sync();
    { w.shuffle(value, 0) } -> std::same_as<double>;
    { w.reduce(value, larger) } -> std::same_as<double>;
    { w.inclusive_scan(value, larger) } -> std::same_as<double>;
    { w.any(true) } -> std::same_as<bool>;
    { w.warp().lanes_where(true) } -> std::same_as<std::uint32_t>;
    { w.warp().lanes_with(0) } -> std::same_as<std::uint32_t>;
    { w.warp().shuffle(value, 0) } -> std::same_as<double>;
    { w.warp().any(true) } -> std::same_as<bool>;
    { w.warp().rank() + w.warp().size() } -> std::same_as<int>;
    w.warp().sync();
    { w.template scratch<double>(1)[0] } -> std::same_as<double&>;
    { w.template scratch<double>(1).data() } -> std::same_as<double*>;
    w.tile(sums, 1).add(0, value);
    w.tile(sums, 2).add(0, pair);
    w.tile(sums, 1).add_alone(0, value);
    w.tile(sums, 1).close();
    w.tile(sums, 1, min_op()).add(0, value);
    w.tile(sums, 1, max_op()).add_alone(0, value);
    w.set_bits(bits, 1u);
    w.template push<typename W::task>(item);
    w.template push_n<typename W::task>(1u, make);
    w.template push_range<typename W::task>(0, 1);
    w.fail(0);
    w.add(sums, value);
    { w.fetch_add(count, 1) } -> std::same_as<int>;
    w.min(sums, value);
    w.max(count, 1);
    { w.exchange_if(sums, value, value) } -> std::same_as<double>;
    { w.count_down(count) } -> std::same_as<bool>;
    { w.load(sums) } -> std::same_as<double>;
    { w.load_stream(sums) } -> std::same_as<double>;
    { w.template load_stream_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    { w.template load_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    { w.template load_line_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    w.store_vector(sums, pair);
    w.copy_stream(bytes, bytes, 16);
    w.copy_bulk(0, bytes, bytes, 16);
    w.wait_bulk(0);
    w.fetch_stream(bytes, 16);
    w.keep_streams();
}
&&(W::size() > 32 ||
   requires(W const w) {
       { w.lanes_where(true) } -> std::same_as<std::uint32_t>;
       { w.lanes_with(0) } -> std::same_as<std::uint32_t>;
   }) &&
    (!W::on_cpu || requires(W const w) {
        { w.thread() } -> std::same_as<int>;
    });

}  // namespace copse
