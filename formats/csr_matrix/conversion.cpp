#include <algorithm>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>

namespace copse {
namespace {

std::int64_t longest_row(std::int64_t const* offsets, std::int64_t row_count) {
    std::int64_t longest = 0;
    for (std::int64_t row = 0; row < row_count; ++row) longest = std::max(longest, offsets[row + 1] - offsets[row]);
    return longest;
}

}  // namespace

template <class T>
std::shared_ptr<csr_content<T> const> csr_content<T>::make(std::shared_ptr<memory> const& where,
                                                           csr_view<T> const& given, csr_matrix_options const& options,
                                                           bool) {
    detail::rows_in_order<T> const in_order(given, "csr_matrix", where);
    detail::compressed_rows<T> const& a = *in_order;
    auto content = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*content) = {a.row_count, a.column_count, a.entry_count(), where};
    content->options = options;
    content->kernel = options.kernel;
    if (options.kernel == csr_kernel::automatic)
        content->kernel = detail::choose_csr_kernel(a.row_count, a.entry_count(),
                                                    longest_row(a.offsets.data(), a.row_count), where->space());
    content->row_offsets = detail::copy_in<std::int64_t>(where, a.offsets);
    content->column_indices = detail::copy_in<std::int32_t>(where, a.column_indices);
    content->values = detail::copy_in<T>(where, a.values);
    return content;
}

template <class T>
csr<T> csr_content<T>::to_rows() const {
    return {this->row_count, this->column_count, detail::to_vector(row_offsets), detail::to_vector(column_indices),
            detail::to_vector(values)};
}

csr_kernel detail::choose_csr_kernel(std::int64_t rows, std::int64_t entries, std::int64_t longest_row,
                                     memory_space space) noexcept {
    double const mean = rows > 0 ? static_cast<double>(entries) / static_cast<double>(rows) : 0;
    bool const on_host = space == memory_space::host;
    bool const uneven =
        on_host ? longest_row >= 1024 && static_cast<double>(longest_row) >= 32 * mean : longest_row > 64;
    return uneven ? csr_kernel::merge_path : csr_kernel::row_split;
}

template <class T>
void detail::choose_kernel(csr_content<T>& rows) {
    rows.kernel = choose_csr_kernel(rows.row_count, rows.entry_count,
                                    longest_row(rows.row_offsets.data(), rows.row_count), rows.where->space());
}

template struct csr_content<float>;
template struct csr_content<double>;
template void detail::choose_kernel(csr_content<float>&);
template void detail::choose_kernel(csr_content<double>&);

}  // namespace copse
