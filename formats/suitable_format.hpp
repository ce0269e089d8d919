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

/// Returns the format in which products are fastest, by a rule from the mean and the standard deviation of the entries
/// per row. `rows` are those of A^T, that is A's columns (count_columns()), for A^T x from a plan; else those of A.
///
/// On a cpu the first line that holds decides:
///
///   | product          | format   | condition
///   |------------------|----------|----------------------------------------------
///   | from a plan      | HiSparse | the mean is 6 or more
///   |                  | SELL-P   | the deviation is at most the mean
///   |                  | CSR5     | always
///   | A x, one-shot    | SELL-P   | the deviation is at most the mean
///   |                  | CSR5     | always
///   | A^T x, one-shot  | CSR      | the deviation is more than a quarter of the mean
///   |                  | SELL-P   | the mean is below 8
///   |                  | HiSparse | always
///
/// The reasons. From a plan, HiSparse reads two bytes of coordinates for an entry instead of four, and fewer along
/// diagonals; below a mean of 6 its leaves cost more than that saves. SELL-P reads indices and values only, and has
/// little padding if rows are alike. CSR5's tiles balance rows that are not. A^T x, one-shot: HiSparse need not scatter
/// over the whole vector; SELL-P need not either if neighbouring rows have neighbouring columns, or few entries.
///
/// With many lanes, for all three products: SELL-P if the deviation is at most the mean, because neighbouring lanes
/// read neighbouring entries; else CSR5, because no lane waits for a long row.
///
/// The rule is about time only, for matrices larger than the caches. It ignores memory and the time of conversions.
/// bench/run prints how often the rule is right on the cpu; bench/results/flat_formats.md has records for cpu and GPU.
/// The rule does not know where entries stand in their rows; SELL-P may still refuse a matrix (too_much_padding).
format_choice suitable_format(row_statistics const& rows, format_use use) noexcept;

}  // namespace copse
