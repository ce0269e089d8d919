// SELL-P: slices of b rows, padded to the longest of them and to a multiple of t threads (Anzt, Tomov, Dongarra, §II,
// §III); rows sorted by length within windows as an option (SELL-C-sigma).
//
//   copse::sellp<double> a(gpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   copse::sellp<double> b(cpu, rows, {.slice_rows = 8, .row_threads = 4, .sorting_window = 1024});
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat/on_gpu.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/sellp/content.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace copse {

namespace detail {

/// b and t where the caller leaves them open. for_lanes: an executor with many lanes.
template <class T>
sellp_options with_defaults(sellp_options options, bool for_lanes);

}  // namespace detail

template <class T>
class sellp : public flat_matrix<sellp<T>, T, sellp_content<T>> {
  public:
    static constexpr char const* name = "sellp";
    using options_type = sellp_options;

    /// Converts on the CPU, by the executor's threads or OpenMP's, and places the result in the executor's memory. Waits.
    /// Throws shape_error where `a` breaks csr's contract, argument_error for options out of range, too_much_padding before
    /// entries take memory, std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    sellp(Executor const& executor, csr<T> const& a, sellp_options const& options = {})
        : sellp(detail::on_threads_of(executor, [&] {
              return detail::make_sellp(executor.memory(), a,
                                        detail::with_defaults<T>(options, !std::is_same_v<Executor, cpu>));
          })) {}

    /// The same, converted on the GPU.
    sellp(gpu& executor, csr<T> const& a, sellp_options const& options = {})
        : sellp(detail::converted_on_gpu<sellp>(executor, a, options)) {}
    /// The same entries from where they are already, in the executor's memory; a's state goes along. Throws
    /// argument_error too, for a matrix in host memory.
    sellp(gpu& executor, csr_matrix<T> const& a, sellp_options const& options = {})
        : sellp(detail::converted_on_gpu<sellp>(executor, csr_matrix<T>(a), options)) {}

    /// A matrix that shares `content`.
    explicit sellp(std::shared_ptr<sellp_content<T> const> content)
        : flat_matrix<sellp, T, sellp_content<T>>(std::move(content)) {}

    /// b, t.
    int slice_rows() const noexcept { return this->content()->options.slice_rows; }
    int row_threads() const noexcept { return this->content()->options.row_threads; }
    /// Bytes of the places that hold no entry.
    std::int64_t padding_bytes() const noexcept {
        auto const& c = *this->content();
        return (c.stored_count - c.entry_count) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
    }
};

/// The matrix with its state applied. Works for content in any memory. Throws cuda_error.
template <class T>
csr<T> to_csr(sellp<T> const& a);

/// The same in the executor's memory, where `a` is, converted there; the state goes along. Waits. Throws argument_error
/// for a matrix in host memory, cuda_error.
template <class T>
csr_matrix<T> to_csr_matrix(gpu& executor, sellp<T> const& a) {
    return detail::rows_on_gpu(executor, a);
}

/// `b` with a's options. For plans, which store A^T. Throws as sellp's constructor does.
template <class Executor, class T>
sellp<T> like(Executor& executor, sellp<T> const& a, csr<T> const& b) {
    return {executor, b, a.content()->options};
}

}  // namespace copse
