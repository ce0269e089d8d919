// Which format suits a matrix: `auto` of the command. algebra/tuned_plan.hpp finds it by a trial instead.
//
//   auto const choice = copse::suitable_format(copse::profile_of(a), {});
//   choice.format, choice.reason            // matrix_format::sellp, "rows are alike in length"
//
// A profile is what decides it: how long a matrix's rows are, how even, where entries stand.
//
//   copse::matrix_profile const p = copse::profile_of(a);
//   p.rows.mean, p.row_places, p.entries_per_block, p.diagonal_fraction
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/statistics.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace copse {

struct matrix_profile {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::size_t value_bytes = sizeof(double);
    row_statistics rows;
    row_statistics columns;
    /// Places that SELL-P takes for an entry of A, and of A^T: slices of rows in their order, of the cpu's size.
    double row_places = 1;
    double column_places = 1;
    /// The same of sorted_sellp: rows, or columns, sorted by length.
    double sorted_row_places = 1;
    double sorted_column_places = 1;
    /// Of the blocks of 128 rows and columns that have any.
    double entries_per_block = 0;
    /// The fraction of the entries a_ij for which a_(i-1)(j-1) is an entry, too: those of long diagonals have it.
    double diagonal_fraction = 0;
    /// The fraction of the entries that have the same value, in bits, as that one.
    double constant_fraction = 0;

    /// What a product reads and writes: CSR with offsets of 4 bytes, x and y.
    std::int64_t product_bytes() const noexcept {
        return csr_bytes(row_count, entry_count, value_bytes) +
               (row_count + column_count) * static_cast<std::int64_t>(value_bytes);
    }
};

/// One pass over the entries; takes 8 bytes for each column, and for each thread 4 bytes for 128 columns. Parallel
/// (OpenMP); any number of threads gives the same result.
template <class T>
matrix_profile profile_of(csr<T> const& a);
/// Of a matrix with so few entries for its size that there is no memory for its rows: each entry is taken to have a
/// block and a slice of its own. Takes 4 bytes for each entry. Serial.
template <class T>
matrix_profile profile_of(coo<T> const& a);

/// Of A^T.
matrix_profile transposed(matrix_profile const& a) noexcept;

/// sellp_sorted: SELL-P of rows sorted by length within 1,024 rows. sellp_trimmed: the same of rows that are not long,
/// and CSR5 of the long ones; plans have it (algebra/tuned_plan.hpp).
enum class matrix_format { hisparse, csr, csr5, sellp, cmrs, sellp_sorted, sellp_trimmed };

inline constexpr std::string_view matrix_format_names[]{"hisparse", "csr",          "csr5",         "sellp",
                                                        "cmrs",     "sellp-sorted", "sellp-trimmed"};

constexpr std::string_view name_of(matrix_format format) noexcept {
    return matrix_format_names[static_cast<int>(format)];
}
/// Whether only a tuned_plan has matrices in this format.
constexpr bool is_of_plans(matrix_format format) noexcept {
    return format == matrix_format::sellp_sorted || format == matrix_format::sellp_trimmed;
}
/// The format of this name, if there is one.
std::optional<matrix_format> matrix_format_named(std::string_view name) noexcept;

/// What the matrix is to be multiplied by.
struct format_use {
    bool plan = true;  // products from a plan (spmv_plan, flat_plan); else each by a traversal or scan of its own
    bool transposed = false;  // A^T x
    bool many_lanes = false;  // on a GPU, or on emulated, which runs a GPU's code; else on a cpu
    /// Bytes of the processor's last cache. 0: of this machine's, or 32 MiB if the system does not say.
    std::int64_t cache_bytes = 0;
    /// Whether formats that only plans have are meant, too (is_of_plans).
    bool formats_of_plans = true;
};

struct format_choice {
    matrix_format format;
    std::string_view reason;
};

/// Returns the format in which products are fastest, or nearly so, by a rule. `a`: of A, for A^T x, too.
///
/// On a cpu the first line that holds decides. Rows, and places for an entry, are those of op(A); "diagonals" and
/// "constant" are matrix_profile's fractions; "small" is up to three eighths of the last cache for matrix and vectors.
///
///   | product          | format   | condition
///   |------------------|----------|------------------------------------------------------------------------
///   | all              | HiSparse | rows are more than 16 times the entries, or a block has 8,192 entries or more
///   | from a plan      | HiSparse | places <= 1.25, constant >= 0.6 (small: 0.98)
///   | from a plan      | HiSparse | places <= 1.25, more than half the cache, diagonals >= 0.8, mean >= 16
///   | A x, one-shot    | HiSparse | constant >= 0.9, mean >= 16, not small
///   | from a plan      | sorted   | places > 1.15 (small: 1.25), of sorted rows <= 1.3 (float: 1.6)
///   | from a plan, A x | SELL-P   | places <= 1.25
///   |                  | CSR5     | small (in float, if mean < 24: at most 1/8 of the cache), or mean < 6 and entries
///   |                  |          | per block < 2
///   |                  | CSR      | mean >= 12 and diagonals >= 0.2, or mean >= 40
///   |                  | CMRS     | always
///   | A^T x, one-shot  | HiSparse | constant >= 0.9, not small
///   |                  | HiSparse | diagonals >= 0.8 and mean of A's rows >= 20
///   |                  | SELL-P   | diagonals >= 0.95, or mean of A's rows < 3
///   |                  | CSR      | mean of A's rows >= 60, or deviation <= 0.3 of it and entries per block < 10
///   |                  | CMRS     | always
///
/// The reasons. SELL-P reads indices and values only, a vector of rows at a time, and loses by its padding alone.
/// HiSparse reads next to no coordinates along diagonals and in dense blocks, which pays where memory is what limits;
/// in the caches decoding costs more than it saves, unless a value stands for many entries: a streak takes 13 ns, in
/// which SELL-P multiplies some 40 entries there. SELL-P of sorted rows keeps a vector busy where lengths differ, most
/// so with the 16 floats of one. Other irregular matrices in the cache are CSR5's, whose tiles balance rows. Beyond it
/// they wait for x: CSR, with long rows, and CMRS, with short ones, fetch it ahead.
///
/// With many lanes, for all three products: SELL-P if the deviation is at most the mean, because neighbouring lanes
/// read neighbouring entries; else CSR5, because no lane waits for a long row.
///
/// The rule is about time only. It ignores memory and the time of conversions. It was made on two
/// machines; bench/results/flat_formats.md says from which matrices, and what it takes of others. SELL-P may refuse
/// a matrix for one slice of long rows (too_much_padding).
format_choice suitable_format(matrix_profile const& a, format_use use) noexcept;

}  // namespace copse
