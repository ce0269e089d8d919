#include <copse/formats/suitable_format.hpp>

namespace copse {
namespace {

format_choice for_plan(row_statistics const& rows) noexcept {
    if (rows.mean >= 6) return {matrix_format::hisparse, "rows are not short"};
    if (rows.standard_deviation <= rows.mean) return {matrix_format::sellp, "rows are short and alike"};
    return {matrix_format::csr5, "rows are short and differ in length"};
}

format_choice for_many_lanes(row_statistics const& rows) noexcept {
    if (rows.standard_deviation <= rows.mean) return {matrix_format::sellp, "rows are alike in length"};
    return {matrix_format::csr5, "rows differ in length"};
}

}  // namespace

format_choice suitable_format(row_statistics const& rows, format_use use) noexcept {
    if (use.many_lanes) return for_many_lanes(rows);
    if (use.plan) return for_plan(rows);
    if (use.transposed) {
        if (4 * rows.standard_deviation > rows.mean) return {matrix_format::csr, "rows differ in length"};
        if (rows.mean < 8) return {matrix_format::sellp, "rows are short and of nearly one length"};
        return {matrix_format::hisparse, "rows are of nearly one length and not short"};
    }
    if (rows.standard_deviation <= rows.mean) return {matrix_format::sellp, "rows are alike in length"};
    return {matrix_format::csr5, "rows differ in length"};
}

}  // namespace copse
