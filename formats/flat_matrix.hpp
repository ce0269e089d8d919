// What matrices in flat formats (CSR, CSR5, SELL-P, CMRS) have in common: content and state, as HiSparse has them.
//
//   content    arrays in an executor's memory; never changed, shared by all matrices that use it
//   state      transposed or not, and a scale factor: both change in O(1)
//
//   copse::csr5<double> a(cpu, copse::to_csr(copse::read_matrix_market<double>("a.mtx")));
//   auto b = copse::scaled(copse::transposed(a), 2.0);      // shares a's content
//
// A matrix that was moved from is an empty 0 x 0 one in host memory.
//
// A format is a content, a class derived from flat_matrix, its constructors and to_csr(); what multiplies it is in
// algebra/flat/flat_product.hpp.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/tree/shared_content.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace copse {

/// The base of contents. Dimensions are those of the matrix as it is stored.
struct flat_content {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::shared_ptr<memory> where;
};

/// The base of `Matrix`. Content is derived from flat_content and has
///     std::int64_t bytes() const                                 all that it keeps in memory
///     static std::shared_ptr<Content const> const& empty()       of a 0 x 0 matrix in host memory, the same one every time
template <class Matrix, class T, class Content>
class flat_matrix {
  public:
    using value_type = T;
    using content_type = Content;

    std::int64_t row_count() const noexcept { return transposed_ ? content_->column_count : content_->row_count; }
    std::int64_t column_count() const noexcept { return transposed_ ? content_->row_count : content_->column_count; }
    std::int64_t entry_count() const noexcept { return content_->entry_count; }
    /// What the content takes in memory.
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

  protected:
    explicit flat_matrix(std::shared_ptr<Content const> content) : content_(std::move(content)) {}

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

namespace detail {

/// `stored` with a matrix's state applied. For to_csr().
template <class T>
csr<T> with_state(csr<T> stored, bool transposed, T scale) {
    csr<T> result = transposed ? transpose(stored) : std::move(stored);
    if (scale != T(1))
        for (T& value : result.values) value *= scale;
    return result;
}

}  // namespace detail
}  // namespace copse
