// Which format suits a matrix: `auto` of the command.
//
//   auto const choice = copse::suitable_format(copse::count_rows(a), {});
//   choice.format, choice.reason            // matrix_format::sellp, "rows are short and alike"
#pragma once

#include <copse/formats/statistics.hpp>
#include <string_view>

namespace copse {

enum class matrix_format { hisparse, csr, csr5, sellp, cmrs };

constexpr std::string_view name_of(matrix_format format) noexcept {
    constexpr std::string_view names[]{"hisparse", "csr", "csr5", "sellp", "cmrs"};
    return names[static_cast<int>(format)];
}

/// What the matrix is to be multiplied by.
struct format_use {
    bool plan = true;  // products from a plan (spmv_plan, flat_plan); else each by a traversal or scan of its own
    bool transposed = false;  // without a plan: A^T x, by the rows of A
    bool many_lanes = false;  // on a GPU, or on emulated, which runs a GPU's code; else on a cpu
};

struct format_choice {
    matrix_format format;
    std::string_view reason;
};

/// The format in which products are fastest, by a rule from the entries per row (mean and standard deviation) of what
/// is multiplied: for A^T x from a plan those of A^T, that is of A's columns (count_columns()); else those of A.
///
/// On a cpu:
///
///   from a plan         HiSparse    mean of 6 or more: two bytes of coordinates instead of four, and fewer on diagonals
///                       SELL-P      else, deviation at most the mean: index and value are all there is to read, few
///                                   places are padding, and leaves of so few entries cost HiSparse more than it saves
///                       CSR5        else: tiles balance what rows do not
///   A x without         SELL-P      deviation at most the mean
///                       CSR5        else
///   A^T x without       CSR         deviation more than a quarter of the mean
///                       SELL-P      else, mean below 8: neighbouring rows have neighbouring columns, or are few entries
///                       HiSparse    else: it need not scatter over the whole vector
///
/// With many lanes, in all three:
///
///                       SELL-P      deviation at most the mean: lanes side by side read entries side by side
///                       CSR5        else: no lane waits for a long row
///
/// The rule is about time only, for matrices larger than the caches. It leaves out memory and what conversions cost.
/// bench/run prints how often it is right on the cpu; bench/results/flat_formats.md has records of both. The rule
/// cannot see where entries stand in their rows, and SELL-P may yet refuse a matrix (too_much_padding).
format_choice suitable_format(row_statistics const& rows, format_use use) noexcept;

}  // namespace copse
