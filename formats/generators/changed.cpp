// Matrices that are made of another one: with other values, or of a part of it and the part's transpose.
#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/generators/tools.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>

namespace copse::detail {
namespace {

/// By rows, each coordinate once. In double: float has the same values, rounded.
coo<double> other_matrix(generator_arguments const& arguments) {
    return to_coo(to_csr(generate<double>(arguments.generator)));
}

coo<double> other_square_matrix(generator_arguments const& arguments) {
    auto a = other_matrix(arguments);
    if (a.row_count != a.column_count)
        throw argument_error(fmt::format("{}: the matrix of {} has {} rows and {} columns; it must be square",
                                         arguments.name, arguments.generator, a.row_count, a.column_count));
    return a;
}

/// emit(row, column, value) for what item(row, column, value, emit) makes of each entry of `a`.
template <class T, class Item>
coo<T> made_of(coo<double> const& a, std::int64_t rows, std::int64_t columns, Item const& item) {
    return collect<T>(rows, columns, a.entry_count(),
                      [&](std::int64_t k, auto const& emit) { item(a.rows[k], a.columns[k], a.values[k], emit); });
}

/// L + D + L^T, or L - L^T without the diagonal, of the lower triangle L.
template <class T>
coo<T> mirrored(generator_arguments const& arguments, int sign) {
    auto const a = other_square_matrix(arguments);
    return made_of<T>(a, a.row_count, a.column_count,
                      [&](std::int64_t row, std::int64_t column, double value, auto const& emit) {
                          if (row > column) emit(column, row, sign * value);
                          if (row > column || (row == column && sign > 0)) emit(row, column, value);
                      });
}

}  // namespace

template <class T>
coo<T> ones(generator_arguments const& arguments) {
    auto const a = other_matrix(arguments);
    return made_of<T>(a, a.row_count, a.column_count,
                      [](std::int64_t row, std::int64_t column, double, auto const& emit) { emit(row, column, 1); });
}

template <class T>
coo<T> valued(generator_arguments const& arguments) {
    auto const a = other_matrix(arguments);
    random_sequence const random(arguments[0], 0);
    return made_of<T>(a, a.row_count, a.column_count,
                      [&](std::int64_t row, std::int64_t column, double, auto const& emit) {
                          auto const [low, high] = std::minmax(row, column);
                          emit(row, column, random.signed_unit(high << 31 | low));
                      });
}

template <class T>
coo<T> symmetric(generator_arguments const& arguments) {
    return mirrored<T>(arguments, 1);
}

template <class T>
coo<T> skew(generator_arguments const& arguments) {
    return mirrored<T>(arguments, -1);
}

template <class T>
coo<T> kkt(generator_arguments const& arguments) {
    auto const a = other_square_matrix(arguments);
    std::int64_t constexpr apart = 4;
    std::int64_t const n = a.row_count, size = n + (n + apart - 1) / apart;
    check_size(arguments.name, static_cast<double>(size), static_cast<double>(size),
               3.0 * static_cast<double>(a.entry_count()), sizeof(T));
    return made_of<T>(a, size, size, [&](std::int64_t row, std::int64_t column, double value, auto const& emit) {
        emit(row, column, value);
        if (row % apart != 0) return;
        emit(n + row / apart, column, value);
        emit(column, n + row / apart, value);
    });
}

#define COPSE_INSTANTIATE(name)                           \
    template coo<float> name(generator_arguments const&); \
    template coo<double> name(generator_arguments const&);
COPSE_INSTANTIATE(ones)
COPSE_INSTANTIATE(valued)
COPSE_INSTANTIATE(symmetric)
COPSE_INSTANTIATE(skew)
COPSE_INSTANTIATE(kkt)
#undef COPSE_INSTANTIATE

}  // namespace copse::detail
