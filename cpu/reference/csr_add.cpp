// Row by row: count the entries of each row of the union, make room, merge. Both passes walk two ascending rows side by
// side without branches inside: which row an entry comes from is as good as random, and a branch on it would be
// predicted wrongly half of the time.
#include <algorithm>
#include <copse/cpu/flat/row_portions.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/cpu/reference/shapes.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

// The number of threads of the parallel loops that do not name one, those of `transpose`, while it lives.
class thread_count {
  public:
    explicit thread_count(int threads) : before_(set_loop_threads(threads)) {}
    ~thread_count() { set_loop_threads(before_); }
    thread_count(thread_count const&) = delete;
    thread_count& operator=(thread_count const&) = delete;

  private:
    int const before_;
};

template <class T>
csr<T> transpose_on(int threads, csr<T> const& a) {
    thread_count const limit(threads);
    return transpose(a);
}

// One row of a matrix.
template <class T>
struct row_view {
    std::int32_t const* columns;
    T const* values;
    std::int64_t count;

    row_view(csr<T> const& a, std::int64_t row)
        : columns(a.column_indices.data() + a.row_offsets[row]),
          values(a.values.data() + a.row_offsets[row]),
          count(a.row_offsets[row + 1] - a.row_offsets[row]) {}
};

template <class T>
std::int64_t count_union(row_view<T> const& a, row_view<T> const& b) {
    std::int64_t i = 0;
    std::int64_t j = 0;
    std::int64_t shared = 0;
    while (i < a.count && j < b.count) {
        auto const left = a.columns[i];
        auto const right = b.columns[j];
        shared += left == right;
        i += left <= right;
        j += right <= left;
    }
    return a.count + b.count - shared;
}

template <class T>
void merge(T alpha, row_view<T> const& a, T beta, row_view<T> const& b, std::int32_t* columns, T* values) {
    std::int64_t i = 0;
    std::int64_t j = 0;
    std::int64_t k = 0;
    while (i < a.count && j < b.count) {
        auto const left = a.columns[i];
        auto const right = b.columns[j];
        T const from_a = alpha * a.values[i];
        T const from_b = beta * b.values[j];
        T const alone = left < right ? from_a : from_b;
        columns[k] = std::min(left, right);
        values[k] = left == right ? from_a + from_b : alone;
        ++k;
        i += left <= right;
        j += right <= left;
    }
    for (; i < a.count; ++i, ++k) {
        columns[k] = a.columns[i];
        values[k] = alpha * a.values[i];
    }
    for (; j < b.count; ++j, ++k) {
        columns[k] = b.columns[j];
        values[k] = beta * b.values[j];
    }
}

// body(row) for all rows; each thread takes one stretch with its portion of rows and entries of both matrices.
template <class T, class Body>
void for_rows(int threads, csr<T> const& a, csr<T> const& b, Body const& body) {
    auto const work_before = [&](std::int64_t row) { return row + a.row_offsets[row] + b.row_offsets[row]; };
    detail::for_parts(threads, [&](int part) {
        auto const end = detail::first_row(part + 1, threads, a.row_count, work_before);
        for (auto row = detail::first_row(part, threads, a.row_count, work_before); row < end; ++row) body(row);
    });
}

// Entries of c's rows, as its offsets say, get their memory: pages are zeroed when they are first touched, by two
// threads side by side.
template <class T>
void make_room(int threads, csr<T>& c) {
    auto const count = static_cast<std::size_t>(c.row_offsets.back());
    c.column_indices.reserve(count);  // what may throw does so outside the parallel region
    c.values.reserve(count);
    int const second = std::min(threads, 2) - 1;
    detail::for_parts(threads, [&](int part) {  // all of them: OpenMP may end threads that a loop leaves out
        if (part == 0) c.values.resize(count);
        if (part == second) c.column_indices.resize(count);
    });
}

template <class T>
csr<T> add_rows(int threads, T alpha, csr<T> const& a, T beta, csr<T> const& b) {
    csr<T> c;
    c.row_count = a.row_count;
    c.column_count = a.column_count;
    c.row_offsets.resize(a.row_count + 1);
    auto* const offsets = c.row_offsets.data();
    for_rows(threads, a, b, [&](std::int64_t row) { offsets[row + 1] = count_union<T>({a, row}, {b, row}); });
    for (std::int64_t row = 0; row < a.row_count; ++row) offsets[row + 1] += offsets[row];
    make_room(threads, c);
    for_rows(threads, a, b, [&](std::int64_t row) {
        merge<T>(alpha, {a, row}, beta, {b, row}, c.column_indices.data() + offsets[row],
                 c.values.data() + offsets[row]);
    });
    return c;
}

}  // namespace

template <class T>
csr<T> add(int threads, T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b) {
    if (threads < 1) {
        throw argument_error("add: threads is " + std::to_string(threads) + "; it must be 1 or more");
    }
    detail::check_sum_shapes(a.row_count, a.column_count, transpose_a, b.row_count, b.column_count, transpose_b);
    if (transpose_a && transpose_b) return transpose_on(threads, add_rows(threads, alpha, a, beta, b));
    if (transpose_a) return add_rows(threads, alpha, transpose_on(threads, a), beta, b);
    if (transpose_b) return add_rows(threads, alpha, a, beta, transpose_on(threads, b));
    return add_rows(threads, alpha, a, beta, b);
}

template csr<float> add(int, float, csr<float> const&, bool, float, csr<float> const&, bool);
template csr<double> add(int, double, csr<double> const&, bool, double, csr<double> const&, bool);

}  // namespace copse
