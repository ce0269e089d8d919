#include <cmath>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/formats/node_edit.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <string>

namespace copse {
namespace {

void check_position(std::size_t index, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
    if (row < 0 || row >= rows || column < 0 || column >= columns)
        throw shape_error("edit: edit " + std::to_string(index) + " (counted from 0) is at row " + std::to_string(row) +
                          ", column " + std::to_string(column) + "; the matrix is " + std::to_string(rows) + " x " +
                          std::to_string(columns) + ", rows and columns counted from 0");
}

/// `value`, as a matrix with this scale stores it: something that reads as no other number.
template <class T>
T stored_value(edit_entry<T> const& e, std::size_t index, T scale) {
    auto const of_edit = [&] { return "edit: edit " + std::to_string(index) + " (counted from 0)"; };
    if (e.kind == edit_kind::erase) return T(0);
    if (scale == T(0)) {
        if (e.value == T(0)) return e.value;
        throw argument_error(
            of_edit() +
            " has a value other than 0, but the matrix's scale is 0: every entry of it reads as 0; edit "
            "the matrix before it is scaled");
    }
    if (!std::isfinite(scale))
        throw argument_error(
            of_edit() +
            " gives a value, but the matrix's scale is not finite, and nothing reads as that value; edit "
            "the matrix before it is scaled");
    T const stored = e.value / scale;
    if (std::isfinite(e.value) && !std::isfinite(stored))
        throw argument_error(of_edit() +
                             " has a value that divided by the matrix's scale, as it would be stored, is not finite; "
                             "edit the matrix before it is scaled");
    return stored;
}

/// The edits without the matrix's state: as the tree has to see them.
template <class T>
std::vector<detail::stored_edit<T>> stored_edits(hisparse<T> const& a, edits<T> const& changes) {
    std::vector<detail::stored_edit<T>> result;
    result.reserve(changes.size());
    for (edit_entry<T> const& e : changes.entries()) {
        check_position(result.size(), e.row, e.column, a.row_count(), a.column_count());
        T const value = stored_value(e, result.size(), a.scale());
        auto const row = static_cast<std::uint32_t>(e.row);
        auto const column = static_cast<std::uint32_t>(e.column);
        result.push_back({a.is_transposed() ? column : row, a.is_transposed() ? row : column, e.kind, value});
    }
    return result;
}

/// The old arenas and one for the new nodes.
hisparse_content assemble(hisparse_content const& old, detail::edited_tree const& edited, int number) {
    auto const& where = detail::memory_of(old);
    hisparse_content content;
    content.row_count = old.row_count;
    content.column_count = old.column_count;
    content.entry_count = edited.entry_count;
    content.dimension_log2 = old.dimension_log2;
    content.root = edited.root;
    content.census = edited.census;
    content.reachable_bytes = edited.reachable_bytes;
    content.space = old.space;
    if (edited.root) {
        content.arenas = old.arenas;
        content.arenas.push_back(
            {number, std::make_shared<buffer<std::byte>>(where, std::span<std::byte const>(edited.new_nodes))});
    }
    detail::make_arena_table(content, where);
    return content;
}

}  // namespace

template <class T>
hisparse<T> edit(hisparse<T> const& a, edits<T> const& changes) {
    nvtx_range const range("copse edit");
    std::vector<detail::stored_edit<T>> stored = stored_edits(a, changes);
    int const number = detail::new_arena_number(a.content()->arenas);
    if (number < 0) return edit(compact(a), changes);
    detail::edited_tree const edited = detail::edit_tree<T>(*a.content(), std::move(stored), number);
    if (edited.root == a.content()->root) return a;
    hisparse<T> const fresh(std::make_shared<hisparse_content>(assemble(*a.content(), edited, number)));
    hisparse<T> const result = (a.is_transposed() ? fresh.transposed() : fresh).scaled(a.scale());
    return 2 * edited.reachable_bytes < result.bytes() ? compact(result) : result;
}

template hisparse<float> edit(hisparse<float> const&, edits<float> const&);
template hisparse<double> edit(hisparse<double> const&, edits<double> const&);

}  // namespace copse
