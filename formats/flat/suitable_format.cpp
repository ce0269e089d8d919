#include <algorithm>
#include <copse/formats/suitable_format.hpp>
#include <copse/runtime/cpu/processors.hpp>
#include <iterator>

namespace copse {
namespace {

/// What the rules ask, of op(A).
struct asked {
    matrix_profile const& a;
    double cache_bytes;

    double mean() const { return a.rows.mean; }
    /// Matrix and vectors take at most this fraction of the last cache.
    bool fits(double fraction) const { return static_cast<double>(a.product_bytes()) <= fraction * cache_bytes; }
    bool is_small() const { return fits(3.0 / 8); }
    bool has_diagonals(double fraction) const { return a.diagonal_fraction >= fraction; }
};

format_choice for_many_lanes(row_statistics const& rows) noexcept {
    if (rows.standard_deviation <= rows.mean) return {matrix_format::sellp, "rows are alike in length"};
    return {matrix_format::csr5, "rows differ in length"};
}

/// For products by rows, without HiSparse.
format_choice for_rows(asked const& op_a) noexcept {
    if (op_a.a.row_places <= 1.25) return {matrix_format::sellp, "neighbouring rows are alike in length"};
    // In float CMRS passes CSR5 earlier, where rows are not long (plans, both machines of flat_formats.md).
    bool const is_for_cmrs = op_a.a.value_bytes == sizeof(float) && op_a.mean() < 24 && !op_a.fits(1.0 / 8);
    if (op_a.is_small() && !is_for_cmrs)
        return {matrix_format::csr5, "rows differ in length, and the caches hold the matrix"};
    if (op_a.mean() < 6 && op_a.a.entries_per_block < 2)
        return {matrix_format::csr5, "rows are short, and entries far apart"};
    if ((op_a.mean() >= 12 && op_a.has_diagonals(0.2)) || op_a.mean() >= 40)
        return {matrix_format::csr, "rows differ in length, and are long"};
    return {matrix_format::cmrs, "rows differ in length, and are short"};
}

/// Whether HiSparse reads little enough for a tree's traversal to pay.
bool values_repeat_beyond_cache(asked const& a) noexcept {
    return a.a.constant_fraction >= 0.9 && !a.is_small();
}
char constexpr values_repeat[] = "values repeat along diagonals, and are stored once";

bool sorting_pays(asked const& op_a) noexcept {
    // In the caches the padding of rows in their order costs less than y and x out of order.
    return op_a.a.row_places > (op_a.is_small() ? 1.25 : 1.15) &&
           op_a.a.sorted_row_places <= (op_a.a.value_bytes == sizeof(float) ? 1.6 : 1.3);
}

format_choice for_plan(asked const& op_a, bool formats_of_plans) noexcept {
    bool const is_even = op_a.a.row_places <= 1.25;
    if (is_even && op_a.a.constant_fraction >= (op_a.is_small() ? 0.98 : 0.6))
        return {matrix_format::hisparse, values_repeat};
    if (is_even && !op_a.fits(1.0 / 2) && op_a.has_diagonals(0.8) && op_a.mean() >= 16)
        return {matrix_format::hisparse, "entries stand along diagonals, and the caches do not hold them"};
    if (formats_of_plans && sorting_pays(op_a))
        return {matrix_format::sellp_sorted, "rows differ in length; sorted by it they do not"};
    return for_rows(op_a);
}

format_choice for_gathering(asked const& a) noexcept {
    if (values_repeat_beyond_cache(a) && a.mean() >= 16) return {matrix_format::hisparse, values_repeat};
    return for_rows(a);
}

/// A: as it is stored.
format_choice for_scattering(asked const& stored) noexcept {
    auto const& rows = stored.a.rows;
    if (values_repeat_beyond_cache(stored)) return {matrix_format::hisparse, values_repeat};
    if (stored.has_diagonals(0.8) && rows.mean >= 20)
        return {matrix_format::hisparse, "entries stand along diagonals, and rows are long"};
    if (stored.has_diagonals(0.95) || rows.mean < 3)
        return {matrix_format::sellp, "neighbouring rows have neighbouring columns, or next to no entries"};
    if (rows.mean >= 60) return {matrix_format::csr, "columns are not those of neighbouring rows, and rows are long"};
    if (rows.standard_deviation <= 0.3 * rows.mean && stored.a.entries_per_block < 10)
        return {matrix_format::csr, "rows are alike in length, and entries far apart"};
    return {matrix_format::cmrs, "columns are not those of neighbouring rows"};
}

}  // namespace

std::optional<matrix_format> matrix_format_named(std::string_view name) noexcept {
    auto const found = std::find(std::begin(matrix_format_names), std::end(matrix_format_names), name);
    if (found == std::end(matrix_format_names)) return std::nullopt;
    return static_cast<matrix_format>(found - std::begin(matrix_format_names));
}

format_choice suitable_format(matrix_profile const& a, format_use use) noexcept {
    bool const by_rows_of_transpose = use.plan && use.transposed;
    auto const op_a = by_rows_of_transpose ? transposed(a) : a;
    if (use.many_lanes) return for_many_lanes(op_a.rows);
    if (a.entry_count < op_a.row_count / 16) return {matrix_format::hisparse, "nearly all rows are empty"};
    if (a.entries_per_block >= 8192) return {matrix_format::hisparse, "blocks are dense"};
    asked const what{op_a, static_cast<double>(use.cache_bytes > 0 ? use.cache_bytes : detail::last_cache_bytes())};
    if (use.plan) return for_plan(what, use.formats_of_plans);
    return use.transposed ? for_scattering(what) : for_gathering(what);
}

}  // namespace copse
