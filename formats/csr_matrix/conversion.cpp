#include <algorithm>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>

namespace copse {

template <class T>
std::shared_ptr<csr_content<T> const> csr_content<T>::make(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                           csr_matrix_options const& options, bool) {
    check(a, "csr_matrix");
    auto content = std::make_shared<csr_content<T>>();
    static_cast<flat_content&>(*content) = {a.row_count, a.column_count, a.entry_count(), where};
    content->options = options;
    content->kernel = options.kernel;
    if (options.kernel == csr_kernel::automatic)
        content->kernel =
            detail::choose_csr_kernel(a.row_count, a.entry_count(), count_rows(a).maximum, where->space());
    content->row_offsets = detail::copy_in<std::int64_t>(where, a.row_offsets);
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
    std::int64_t longest = 0;
    for (std::int64_t row = 0; row < rows.row_count; ++row)
        longest = std::max(longest, rows.row_offsets.data()[row + 1] - rows.row_offsets.data()[row]);
    rows.kernel = choose_csr_kernel(rows.row_count, rows.entry_count, longest, rows.where->space());
}

template struct csr_content<float>;
template struct csr_content<double>;
template void detail::choose_kernel(csr_content<float>&);
template void detail::choose_kernel(csr_content<double>&);

}  // namespace copse
