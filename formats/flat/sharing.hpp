// Contents that are taken apart, for conversions in place.
#pragma once

#include <copse/formats/flat_matrix.hpp>
#include <memory>
#include <utility>

namespace copse::detail {

/// Whether nobody else would see `content` change.
template <class Content>
bool is_sole(std::shared_ptr<Content const> const& content) {
    return content.use_count() == 1;
}

/// A content that nobody else shares, to be taken apart. All contents are made as such, not as const ones.
template <class Content>
Content&& taken(std::shared_ptr<Content const> const& content) {
    return std::move(const_cast<Content&>(*content));
}

/// `a` transposed and scaled, as another matrix is.
template <flat_format Matrix>
Matrix with_state_of(Matrix a, bool transposed, typename Matrix::value_type scale) {
    a = a.scaled(scale);
    return transposed ? a.transposed() : a;
}

}  // namespace copse::detail
