// CMRS: compressed rows in strips of a few rows, which a warp takes together (Koza et al., §3, §4; zero-padded: §6.7).
//
//   copse::cmrs<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::cmrs<double> b(gpu, rows, {.height = 16, .per_row = 8});           // padded
//   copse::cmrs<double> c(cpu, std::move(compressed_rows));                   // in place: takes a csr_matrix's arrays
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/cmrs/content.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat/on_gpu.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace copse {

namespace detail {

/// Height and order where the caller leaves them open. for_lanes: an executor with many lanes.
template <class T>
cmrs_options with_defaults(cmrs_options options, bool for_lanes);

}  // namespace detail

template <class T>
class cmrs : public flat_matrix<cmrs<T>, T, cmrs_content<T>> {
  public:
    static constexpr char const* name = "cmrs";
    using options_type = cmrs_options;

    /// Converts on the CPU, by the executor's threads or OpenMP's, and places the result in the executor's memory. Waits.
    /// Throws shape_error where `a` breaks csr's contract, argument_error for options out of range, too_much_padding
    /// before entries take memory, std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    cmrs(Executor const& executor, csr<T> const& a, cmrs_options const& options = {})
        : cmrs(detail::on_threads_of(executor, [&] {
              return detail::make_cmrs(executor.memory(), a,
                                       detail::with_defaults<T>(options, !std::is_same_v<Executor, cpu>));
          })) {}

    /// The same, converted on the GPU. Waits for the executor's stream alone.
    cmrs(gpu& executor, csr<T> const& a, cmrs_options const& options = {})
        : cmrs(detail::converted_on_gpu<cmrs>(executor, a, options)) {}

    /// The same matrix, state included, in the executor's memory, where `a` is. In place, that is with the arrays of a's
    /// entries, if nobody else shares them and there is to be no padding; else by a copy. Throws as above; `a` is gone in
    /// either case: on a GPU freeing what does not become the result's waits for the whole device where it is padded.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    cmrs(Executor const& executor, csr_matrix<T>&& a, cmrs_options const& options = {})
        : cmrs(detail::on_threads_of(executor, [&] {
              return from_rows(std::move(a), detail::with_defaults<T>(options, !std::is_same_v<Executor, cpu>));
          })) {}
    cmrs(gpu& executor, csr_matrix<T>&& a, cmrs_options const& options = {})
        : cmrs(detail::converted_on_gpu<cmrs>(executor, std::move(a), options)) {}

    /// A matrix that shares `content`.
    explicit cmrs(std::shared_ptr<cmrs_content<T> const> content)
        : flat_matrix<cmrs, T, cmrs_content<T>>(std::move(content)) {}

    int height() const noexcept { return this->content()->height; }
    /// Bytes of the places that hold no entry: 0 in the form that is not padded.
    std::int64_t padding_bytes() const noexcept {
        auto const& c = *this->content();
        return (c.stored_count - c.entry_count) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
    }

  private:
    static cmrs from_rows(csr_matrix<T>&& a, cmrs_options const& options);
};

/// The matrix with its state applied. Works for content in any memory. Throws cuda_error.
template <class T>
csr<T> to_csr(cmrs<T> const& a);

/// The same in the executor's memory, where `a` is, converted there; the state goes along. Waits. Throws argument_error
/// for a matrix in host memory, cuda_error.
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, cmrs<T> const& a) {
    return detail::rows_on_gpu(executor, a);
}
/// In place if nobody else shares a's arrays and its strips are neither sorted nor padded; else by a copy. `a` is gone in
/// either case.
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, cmrs<T>&& a) {
    return detail::rows_on_gpu(executor, std::move(a));
}

/// The inverse of the conversion in place, under the same conditions, in host memory; else by a copy. State included.
/// Throws std::bad_alloc, cuda_error; `a` is gone in either case.
template <class T>
csr_matrix<T> to_csr_matrix(cmrs<T>&& a);

/// `b` with a's options. For plans, which store A^T. Throws as cmrs's constructor does.
template <class Executor, class T>
cmrs<T> like(Executor& executor, cmrs<T> const& a, csr<T> const& b) {
    return {executor, b, a.content()->options};
}

}  // namespace copse
