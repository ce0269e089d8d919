// Conversion to HiSparse on the gpu executor, under its persistent and host controllers; conversion_device.cu adds the
// device controller.
#include <bit>
#include <copse/formats/conversion_run.hpp>
#include <copse/formats/gpu_steps.cuh>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/formats/tree_copy.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>

namespace copse {
namespace {

/// Whether a matrix and what it is to become are within what convert_on() takes.
bool fits(std::int64_t rows, std::int64_t columns, std::int64_t entries, hisparse_options options) {
    std::int64_t const most = std::int64_t{1} << 31;
    int const d = options.node_dimension;
    return entries > 0 && entries < detail::most_numbers && rows > 0 && rows <= most && columns > 0 &&
           columns <= most && (d == 64 || d == 128 || d == 256);
}

/// The arrays of compressed rows on the GPU.
template <class T>
detail::matrix_entries<T> entries_of(csr_content<T> const& a) {
    return {a.row_count, a.column_count,          a.entry_count,  a.row_offsets.data(),
            nullptr,     a.column_indices.data(), a.values.data()};
}

/// Null where the host's conversion says what is wrong, or does it.
template <class T>
std::shared_ptr<hisparse_content const> convert(gpu& executor, detail::matrix_entries<T> const& a,
                                                hisparse_options options) {
    int const log2 = std::countr_zero(static_cast<unsigned>(options.node_dimension));
    auto content = detail::convert_on<T>(executor, detail::gpu_steps(executor), a, log2);
    if (!content || !options.share_identical) return content;
    return std::make_shared<hisparse_content>(
        detail::place(detail::copy_tree(*content, sizeof(T), true), executor.memory()));
}

}  // namespace

template <class T>
hisparse<T>::hisparse(gpu& executor, csr<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    bool const regular = fits(a.row_count, a.column_count, a.entry_count(), options) &&
                         a.row_offsets.size() == static_cast<std::size_t>(a.row_count) + 1 &&
                         a.column_indices.size() == a.values.size() && a.row_offsets.front() == 0 &&
                         a.row_offsets.back() == a.entry_count();
    if (regular) {
        buffer<std::int64_t> const row_offsets(executor, a.row_offsets);
        buffer<std::int32_t> const columns(executor, a.column_indices);
        buffer<T> const values(executor, a.values);
        content_ = convert<T>(
            executor,
            {a.row_count, a.column_count, a.entry_count(), row_offsets.data(), nullptr, columns.data(), values.data()},
            options);
    }
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, coo<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    bool const regular = fits(a.row_count, a.column_count, a.entry_count(), options) &&
                         a.rows.size() == a.values.size() && a.columns.size() == a.values.size();
    if (regular) {
        buffer<std::int32_t> const rows(executor, a.rows);
        buffer<std::int32_t> const columns(executor, a.columns);
        buffer<T> const values(executor, a.values);
        content_ = convert<T>(
            executor,
            {a.row_count, a.column_count, a.entry_count(), nullptr, rows.data(), columns.data(), values.data()},
            options);
    }
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, csr_matrix<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    if (a.space() != executor.memory()->space())
        throw argument_error("hisparse: the matrix is in host memory; to_csr() gives what this converts from there");
    auto const& rows = *a.content();
    if (fits(rows.row_count, rows.column_count, rows.entry_count, options))
        content_ = convert<T>(executor, entries_of(rows), options);
    if (!content_) *this = hisparse(executor.memory(), to_csr(csr_matrix<T>(a.content())), options);
    transposed_ = a.is_transposed();
    scale_ = a.scale();
}

template hisparse<float>::hisparse(gpu&, csr_matrix<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr_matrix<double> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, csr<float> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, coo<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr<double> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, coo<double> const&, hisparse_options);

}  // namespace copse
