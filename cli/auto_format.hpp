// `auto` as a format: the library's rule, with what it needs to know of a matrix.
#pragma once

#include <copse/formats/suitable_format.hpp>

namespace copse::measure {

/// For op(A) = A, or A^T when `transpose`, in products from a plan, or one by one.
template <class T>
format_choice choose_format(csr<T> const& a, bool transpose, bool by_plan) {
    format_use const use{by_plan, transpose};
    return suitable_format(by_plan && transpose ? count_columns(a) : count_rows(a), use);
}

}  // namespace copse::measure
