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
//   shuffle(v, source)         * the value that lane `source` passed
//   reduce(v, op)              * op over the values of all lanes, in an unspecified order; each lane gets the result
//   inclusive_scan(v, op)      * op over the values of lanes 0 .. rank
//   any(b)                     * whether b is true in some lane
//   lanes_where(b)             * bit i: whether b is true in lane i. Workers of up to 32 lanes
//   lanes_with(label)          * bit i: whether lane i passed the same int. Workers of up to 32 lanes
//   warp()                       the up to 32 lanes that this lane is among, with rank(), size(), sync(), shuffle(),
//                                any(), lanes_where() and lanes_with()
//
// Memory that the lanes share
//   scratch<T>(n)                n elements, not initialised, of the task's scratch_bytes. Every call gives the same
//                                memory: auto s = w.scratch<T>(n); s[i], s.data()
//   tile(target, n)            * sums for target[0 .. n): t.add(i, v) *, with i < 0 for nothing; t.close() *. The gpu
//                                keeps the sums in the task's scratch, which needs n elements for each 32 lanes. If the
//                                task has no scratch, each add() is an atomic addition. t.add_alone(i, v) is cheaper; no
//                                other lane may add to i between the same two syncs
//   set_bits(p, bits)            *p |= bits. Only this worker's lanes may use the word, and all of them may at once
//
// New items
//   push<Task>(item)             any lane may call it, in divergent code too
//   push_n<Task>(n, make)      * n items make(0) .. make(n - 1) by one reservation; all lanes pass the same n and make
//   push_range<Task>(first, n)   items first .. first + n - 1, as one entry
//   fail(code)                   ends the run with task_error; the remaining items are dropped
//
// Memory that all workers share
//   add(p, v)                    atomic addition, relaxed. Not for memory that a tile adds to
//   fetch_add(p, v)              the same for integers; returns what was there before
//   count_down(counter)          subtracts 1; true for the call that reaches zero, which sees what other callers wrote
//
// Loads and stores that say how memory will be used. Vectors have 16 bytes at most, and p is a multiple of their size
//   load_stream(p)               *p, which will not be loaded again soon
//   load_stream_vector<N>(p)     p[0 .. N) by one load; will not be loaded again soon
//   load_vector<N>(p)            p[0 .. N) by one load; will be loaded again
//   load_line_vector<N>(p)       16 bytes by one load; this lane's next loads take the rest of the 128-byte line
//   store_vector(p, array)       p[0 .. N) by one store
//   copy_stream(to, from, bytes) * copies into scratch what will not be loaded again soon. It is there after the next
//                                sync(). to, from and bytes are multiples of 16
//   fetch_stream(p, bytes)       a hint: load_stream will soon load p[0 .. bytes). p and bytes are multiples of 16
//   fetch_line(p)                the same hint for the 128-byte line around p; each lane may name another
//
// Constants
//   on_cpu                       true: one lane, on a thread of the cpu executor. Then thread() is there too: the
//                                thread's number from 0, for memory that each thread has to itself
//   task, machine                the task whose function runs, and the atomic operations (scheduler/machine.hpp)
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace copse {

/// The members above, which the compiler checks for each executor's worker. Members that need something of the task
/// (scratch_bytes, an item made from a number) are there for all tasks; using them without is an error with a message.
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
    w.tile(sums, 1).add_alone(0, value);
    w.tile(sums, 1).close();
    w.set_bits(bits, 1u);
    w.template push<typename W::task>(item);
    w.template push_n<typename W::task>(1u, make);
    w.template push_range<typename W::task>(0, 1);
    w.fail(0);
    w.add(sums, value);
    { w.fetch_add(count, 1) } -> std::same_as<int>;
    { w.count_down(count) } -> std::same_as<bool>;
    { w.load_stream(sums) } -> std::same_as<double>;
    { w.template load_stream_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    { w.template load_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    { w.template load_line_vector<2>(sums) } -> std::same_as<std::array<double, 2>>;
    w.store_vector(sums, pair);
    w.copy_stream(bytes, bytes, 16);
    w.fetch_stream(bytes, 16);
    w.fetch_line(bytes);
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
