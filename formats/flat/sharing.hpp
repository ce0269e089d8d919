// Contents that are taken apart, for conversions in place.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/buffer.hpp>
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

/// `a`, in a flat format or HiSparse, transposed and scaled, as another matrix is.
template <class Matrix, class T>
Matrix with_state_of(Matrix a, bool transposed, T scale) {
    a = a.scaled(scale);
    return transposed ? a.transposed() : a;
}

/// The same rows in arrays of their own, for a conversion in place of rows that somebody shares.
template <class T, class Primitives>
csr_content<T> copied(csr_content<T> const& rows, Primitives const& primitives) {
    csr_content<T> copy;
    static_cast<flat_content&>(copy) = rows;
    copy.options = rows.options;
    copy.kernel = rows.kernel;
    auto const take = [&]<class Value>(buffer<Value> const& from, buffer<Value>& to) {
        to = buffer<Value>(rows.where, from.size());
        primitives.copy(to.data(), from.data(), from.size());
    };
    take(rows.row_offsets, copy.row_offsets);
    take(rows.column_indices, copy.column_indices);
    take(rows.values, copy.values);
    return copy;
}

}  // namespace copse::detail
