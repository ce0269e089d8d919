// The base of matrices in flat formats (CSR, CSR5, SELL-P, CMRS): content and state, as HiSparse has them.
//
//   content    arrays in an executor's memory; never changed, shared by all matrices that use it
//   state      transposed or not, and a scale factor: both change in O(1)
//
//   copse::csr5<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   auto b = copse::scaled(copse::transposed(a), 2.0);      // shares a's content
//
// A matrix that was moved from is an empty 0 x 0 one in host memory.
//
// A format is a content and a class derived from flat_matrix; flat_formats.hpp says what they have.
//
// Formats that pad throw too_much_padding before a conversion takes memory for more than a limit.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/tree/shared_content.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace copse {

/// A conversion was refused: its padding would take more bytes than the limit. Nothing was allocated for entries.
class too_much_padding : public error {
  public:
    too_much_padding(std::string const& message, std::int64_t padding_bytes, std::int64_t limit_bytes)
        : error(message), padding_bytes_(padding_bytes), limit_bytes_(limit_bytes) {}
    std::int64_t padding_bytes() const noexcept { return padding_bytes_; }
    std::int64_t limit_bytes() const noexcept { return limit_bytes_; }

  private:
    std::int64_t padding_bytes_;
    std::int64_t limit_bytes_;
};

namespace detail {

/// The limit if the caller sets none: as many bytes as the entries take, but at least a megabyte.
constexpr std::int64_t default_padding_bytes(std::int64_t entry_bytes) noexcept {
    std::int64_t constexpr least = std::int64_t{1} << 20;
    return entry_bytes < least ? least : entry_bytes;
}

/// `stored`: entries and padding. Throws too_much_padding; `advice` says how to get less padding.
inline void check_padding(char const* format, std::int64_t stored, std::int64_t entries, std::int64_t bytes_of_one,
                          std::optional<std::int64_t> limit_bytes, char const* advice) {
    auto const entry_bytes = entries * bytes_of_one, padding_bytes = (stored - entries) * bytes_of_one;
    auto const limit = limit_bytes.value_or(default_padding_bytes(entry_bytes));
    if (limit < 0)
        throw argument_error(std::string(format) + ": most_padding_bytes is " + std::to_string(limit) +
                             "; it must be 0 or more");
    if (padding_bytes <= limit) return;
    throw too_much_padding(std::string(format) + ": padding would take " + std::to_string(padding_bytes) +
                               " bytes beside " + std::to_string(entry_bytes) + " of entries; the limit is " +
                               std::to_string(limit) + "; " + advice,
                           padding_bytes, limit);
}

}  // namespace detail

template <class T>
class csr_matrix;

/// The base of contents. Dimensions are those of the matrix as it is stored.
struct flat_content {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::shared_ptr<memory> where;
};

/// What the contents of all formats have in common.
template <class Content>
struct flat_content_of : flat_content {
    /// The content of a 0 x 0 matrix in host memory; every call returns the same one.
    static std::shared_ptr<Content const> const& empty() {
        static auto const content = Content::make(host_memory(), {}, {}, false);
        return content;
    }
    /// True if a conversion with these options can take the arrays of compressed rows, and the conversion back can
    /// return them.
    template <class Options>
    static bool takes_arrays_of_rows(Options const&) {
        return false;
    }
    static bool has_arrays_of_rows() { return false; }
};

namespace detail {

/// Converts on the executor; rows in device memory that do not ascend, on the host.
template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr_view<typename Matrix::value_type> const& a,
                        typename Matrix::options_type const& options);
/// Converts on the executor, state included. Throws argument_error for rows in host memory.
template <class Matrix>
Matrix converted_on_gpu(gpu& executor, csr_matrix<typename Matrix::value_type>&& a,
                        typename Matrix::options_type const& options);
/// Converts back on the executor, state included. Takes the arrays of `a` if the format can return them and no other
/// matrix shares them. Throws argument_error for a matrix in host memory.
template <class Matrix>
csr_matrix<typename Matrix::value_type> rows_on_gpu(gpu& executor, Matrix a);

/// True for a GPU, and for emulated, which runs a GPU's code.
template <class Executor>
inline constexpr bool has_many_lanes = !std::is_same_v<Executor, cpu>;

/// True if no other matrix or plan shares `content`.
template <class Content>
bool is_sole(std::shared_ptr<Content const> const& content) {
    return content.use_count() == 1;
}

/// Returns a content that no other matrix shares as one that may be changed. This is allowed because no content is made
/// as a const object.
template <class Content>
Content&& taken(std::shared_ptr<Content const> const& content) {
    return std::move(const_cast<Content&>(*content));
}

/// Returns `a`, in a flat format or HiSparse, with the state (transposed, scale) of another matrix.
template <class Matrix, class T>
Matrix with_state_of(Matrix a, bool transposed, T scale) {
    a = a.scaled(scale);
    return transposed ? a.transposed() : a;
}

/// Converts on the CPU, into the memory where `a` is. Takes a's arrays if no other matrix shares them and the format
/// can use them.
template <class Matrix>
Matrix converted_rows(csr_matrix<typename Matrix::value_type> const& a, typename Matrix::options_type const& options,
                      bool many_lanes) {
    using content = typename Matrix::content_type;
    auto const& rows = a.content();
    auto const made = [&] {
        if constexpr (requires { content::make_in_place(taken(rows), options, many_lanes); })
            if (is_sole(rows) && a.space() == memory_space::host && content::takes_arrays_of_rows(options))
                return content::make_in_place(taken(rows), options, many_lanes);
        return content::make(rows->where, *rows, options, many_lanes);
    };
    return with_state_of(Matrix(made()), a.is_transposed(), a.scale());
}

}  // namespace detail

/// The base of `Matrix`.
template <class Matrix, class T, class Content>
class flat_matrix {
  public:
    using value_type = T;
    using content_type = Content;
    using options_type = typename Content::options_type;

    /// Converts on the CPU, by the executor's threads or OpenMP's, and places the result in the executor's memory. If
    /// the executor is a gpu that is not const, converts on the GPU. The same entries and options give the same bytes.
    /// a: a csr, or a view of rows (views.hpp). A view in device memory is read there by a gpu that is not const; its
    /// rows go through the host if they do not ascend. Given a const gpu or its memory, the view goes through the host.
    /// Waits. Throws shape_error where `a` breaks csr's contract, argument_error for options out of range and for
    /// arrays in memory that the executor does not read, too_much_padding (formats that pad; before memory for entries
    /// is allocated), std::bad_alloc, cuda_error.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    flat_matrix(Executor const& executor, csr_view<T> const& a, options_type const& options = {})
        : flat_matrix(detail::on_threads_of(executor, [&] {
              return Content::make(executor.memory(), a, options, detail::has_many_lanes<Executor>);
          })) {}
    flat_matrix(gpu& executor, csr_view<T> const& a, options_type const& options = {})
        : flat_matrix(static_cast<flat_matrix&&>(detail::converted_on_gpu<Matrix>(executor, a, options))) {}

    /// Converts compressed rows in the executor's memory, state included. Takes a's arrays if the format can use them
    /// and no other matrix shares them (`a` is moved here); else copies. Throws as above, and argument_error where `a`
    /// is in host memory and the executor is a gpu that is not const.
    template <class Executor>
    requires(!std::is_same_v<Matrix, csr_matrix<T>> && requires(Executor const& e) { e.memory(); })
        flat_matrix(Executor const& executor, csr_matrix<T> a, options_type const& options = {})
        : flat_matrix(detail::on_threads_of(executor, [&] {
              return static_cast<flat_matrix>(
                  detail::converted_rows<Matrix>(a, options, detail::has_many_lanes<Executor>));
          })) {}
    flat_matrix(gpu& executor, csr_matrix<T> a,
                options_type const& options = {}) requires(!std::is_same_v<Matrix, csr_matrix<T>>)
        : flat_matrix(static_cast<flat_matrix&&>(detail::converted_on_gpu<Matrix>(executor, std::move(a), options))) {}

    /// Converts on the CPU, by OpenMP's threads, into the memory `where`.
    flat_matrix(std::shared_ptr<memory> const& where, csr_view<T> const& a, options_type const& options = {})
        : flat_matrix(Content::make(where, a, options, where->space() != memory_space::host)) {}

    /// Columns, as the rows of A^T: converts those as above, and transposes the result in O(1). where: an executor or a
    /// memory. Messages speak of the rows of A^T.
    template <class Where>
    flat_matrix(Where&& where, csc_view<T> const& a, options_type const& options = {})
        : flat_matrix(static_cast<flat_matrix const&>(Matrix(where, a.transposed(), options).transposed())) {}

    /// A matrix that shares `content`.
    explicit flat_matrix(std::shared_ptr<Content const> content) : content_(std::move(content)) {}

    std::int64_t row_count() const noexcept { return transposed_ ? content_->column_count : content_->row_count; }
    std::int64_t column_count() const noexcept { return transposed_ ? content_->row_count : content_->column_count; }
    std::int64_t entry_count() const noexcept { return content_->entry_count; }
    /// Bytes that the content takes.
    std::int64_t bytes() const noexcept { return content_->bytes(); }
    memory_space space() const noexcept { return content_->where->space(); }

    bool is_transposed() const noexcept { return transposed_; }
    T scale() const noexcept { return scale_; }
    std::shared_ptr<Content const> const& content() const noexcept { return content_.pointer(); }

    /// Shares the content. O(1).
    Matrix transposed() const {
        Matrix result = static_cast<Matrix const&>(*this);
        result.transposed_ = !transposed_;
        return result;
    }
    /// Every value times `factor`, applied when values are read. Shares the content. O(1).
    Matrix scaled(T factor) const {
        Matrix result = static_cast<Matrix const&>(*this);
        result.scale_ *= factor;
        return result;
    }

  private:
    detail::shared_content<Content> content_;
    bool transposed_ = false;
    T scale_ = T(1);
};

/// A class derived from flat_matrix.
template <class Matrix>
concept flat_format = requires {
    typename Matrix::value_type;
    typename Matrix::content_type;
    requires std::is_base_of_v<flat_matrix<Matrix, typename Matrix::value_type, typename Matrix::content_type>, Matrix>;
};

/// A^T, sharing A's content. O(1).
template <flat_format Matrix>
Matrix transposed(Matrix const& a) {
    return a.transposed();
}

/// factor * A, sharing A's content. O(1).
template <flat_format Matrix>
Matrix scaled(Matrix const& a, std::type_identity_t<typename Matrix::value_type> factor) {
    return a.scaled(factor);
}

/// The matrix with its state applied. Works for content in any memory. Throws std::bad_alloc, cuda_error.
template <flat_format Matrix>
csr<typename Matrix::value_type> to_csr(Matrix const& a) {
    using T = typename Matrix::value_type;
    csr<T> stored = a.content()->to_rows();
    csr<T> result = a.is_transposed() ? transpose(stored) : std::move(stored);
    if (a.scale() != T(1))
        for (T& value : result.values) value *= a.scale();
    return result;
}

/// The same into arrays of the caller, in host memory (csr.hpp). If an array is too short, throws shape_error,
/// which names it, and writes nothing.
template <flat_format Matrix>
void to_csr(Matrix const& a, csr_arrays<typename Matrix::value_type> const& to) {
    detail::check_room(to, a.row_count(), a.entry_count());
    detail::copy_rows(to_csr(a), to);
}

/// Converts `b` to a's format, with a's options, in the executor's memory. Options that `a` leaves open are chosen for
/// `b`. Plans make A^T by this. Throws what the constructor throws.
template <class Executor, flat_format Matrix>
Matrix like(Executor& executor, Matrix const& a, csr<typename Matrix::value_type> const& b) {
    return {executor, b, a.content()->options};
}

}  // namespace copse
