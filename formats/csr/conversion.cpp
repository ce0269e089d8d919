#include <algorithm>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>

namespace copse {
namespace {

template <class T>
std::shared_ptr<csr_content<T> const> make_content(std::shared_ptr<memory> const& where, csr<T> const& a,
                                                   csr_matrix_options const& options) {
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

}  // namespace

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

template <class T>
std::shared_ptr<csr_content<T> const> const& csr_content<T>::empty() {
    static auto const content = make_content<T>(host_memory(), {}, {});
    return content;
}

template <class T>
csr_matrix<T>::csr_matrix(std::shared_ptr<memory> const& where, csr<T> const& a, csr_matrix_options options)
    : csr_matrix(make_content(where, a, options)) {}

template <class T>
csr<T> to_csr(csr_matrix<T> const& a) {
    auto const& content = *a.content();
    return detail::with_state<T>({content.row_count, content.column_count, detail::to_vector(content.row_offsets),
                                  detail::to_vector(content.column_indices), detail::to_vector(content.values)},
                                 a.is_transposed(), a.scale());
}

template void detail::choose_kernel(csr_content<float>&);
template void detail::choose_kernel(csr_content<double>&);
template std::shared_ptr<csr_content<float> const> const& csr_content<float>::empty();
template std::shared_ptr<csr_content<double> const> const& csr_content<double>::empty();
template class csr_matrix<float>;
template class csr_matrix<double>;
template csr<float> to_csr(csr_matrix<float> const&);
template csr<double> to_csr(csr_matrix<double> const&);

}  // namespace copse
