#include "bench/harness/product.hpp"

#include <copse/cpu/reference.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <span>

namespace copse::bench {
namespace {

template <class T>
std::unique_ptr<product<T>> multiply_rows(race_record r, problem<T> const& what, int threads, csr<T> const& a,
                                          bool transposed) {
    return product_by(std::move(r), what, [=, &a](std::vector<T> const& x, std::vector<T>& y) {
        spmv<T>(threads, 1, a, transposed, std::span<T const>(x), 0, std::span<T>(y));
    });
}

}  // namespace

template <class T>
expectation<T> expect(csr<T> const& a, bool transpose, std::vector<T> const& x) {
    std::vector<T> y(static_cast<std::size_t>(transpose ? a.column_count : a.row_count));
    auto bound = reference::spmv_error_bound<T>(1, a, transpose, x, 0, y);
    reference::spmv<T>(1, a, transpose, x, 0, y);
    return {std::move(y), std::move(bound)};
}

template <class T>
std::vector<T> signed_values(std::int64_t size, std::int64_t seed, int set) {
    detail::random_sequence const random(seed, static_cast<std::uint64_t>(set));
    std::vector<T> values(static_cast<std::size_t>(size));
    detail::parallel_for(size, 1 << 15, [&](std::int64_t i) {
        values[static_cast<std::size_t>(i)] = static_cast<T>(random.signed_unit(i));
    });
    return values;
}

template <class T>
race_record describe(problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds) {
    race_record r;
    auto& m = r.m;
    m.transpose = what.transpose;
    m.matrix = what.matrix;
    m.format = r.variant = std::move(format);
    m.on = "cpu";
    m.type = type_name<T>;
    m.threads = threads;
    m.rows = what.a.row_count;
    m.columns = what.a.column_count;
    m.entries = what.a.entry_count();
    m.bytes = bytes;
    m.convert_seconds = convert_seconds;
    auto const vector_bytes = (m.rows + m.columns) * static_cast<std::int64_t>(sizeof(T));
    m.moved_bytes = bytes + vector_bytes;
    m.csr_moved_bytes = csr_bytes(m.rows, m.entries, sizeof(T)) + vector_bytes;
    return r;
}

template <class T>
std::unique_ptr<product<T>> csr_product(problem<T> const& what, int threads) {
    return multiply_rows(describe(what, "csr", bytes_of(what.a), threads), what, threads, what.a, what.transpose);
}

template <class T>
std::unique_ptr<product<T>> csr_of_transpose_product(problem<T> const& what, converted<csr<T>> const& transposed,
                                                     int threads) {
    auto const& a = transposed.matrix;
    return multiply_rows(describe(what, "csr-of-transpose", bytes_of(a), threads, transposed.seconds), what, threads, a,
                         false);
}

#define COPSE_INSTANTIATE(T)                                                                  \
    template expectation<T> expect(csr<T> const&, bool, std::vector<T> const&);               \
    template std::vector<T> signed_values(std::int64_t, std::int64_t, int);                   \
    template race_record describe(problem<T> const&, std::string, std::int64_t, int, double); \
    template std::unique_ptr<product<T>> csr_product(problem<T> const&, int);                 \
    template std::unique_ptr<product<T>> csr_of_transpose_product(problem<T> const&, converted<csr<T>> const&, int);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse::bench
