#include <cmath>
#include <copse/formats/edits/arena_merge.hpp>
#include <copse/formats/edits/leaf_edit.hpp>
#include <copse/formats/edits/node_edit.hpp>
#include <copse/formats/edits/stored_value.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/compaction_plan.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

void check_position(std::size_t index, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
    if (row < 0 || row >= rows || column < 0 || column >= columns)
        throw shape_error("edit: edit " + std::to_string(index) + " (counted from 0) is at row " + std::to_string(row) +
                          ", column " + std::to_string(column) + "; the matrix is " + std::to_string(rows) + " x " +
                          std::to_string(columns) + ", rows and columns counted from 0");
}

std::string name_of_edit(std::size_t index) {
    return "edit: edit " + std::to_string(index) + " (counted from 0)";
}

/// `value`, as a matrix with this scale stores it: something that reads as no other number.
template <class T>
T stored_value(edit_entry<T> const& e, std::size_t index, T scale) {
    if (e.kind == edit_kind::erase) return T(0);
    if (scale == T(0)) {
        if (e.value == T(0)) return e.value;
        throw argument_error(
            name_of_edit(index) +
            " has a value other than 0, but the matrix's scale is 0: every entry of it reads as 0; edit "
            "the matrix before it is scaled");
    }
    if (!std::isfinite(scale))
        throw argument_error(
            name_of_edit(index) +
            " gives a value, but the matrix's scale is not finite, and nothing reads as that value; edit "
            "the matrix before it is scaled");
    if (!detail::keeps_value(e.value, scale))
        throw argument_error(name_of_edit(index) + ": its value of " + detail::cannot_be_stored(e.value, scale) +
                             "; edit the matrix before it is scaled");
    return e.value / scale;
}

template <class T>
detail::stored_edit_kind stored_kind(edit_kind kind, T scale) {
    using enum detail::stored_edit_kind;
    if (kind == edit_kind::add) return std::abs(scale) < T(1) ? add_below : add;
    return kind == edit_kind::set ? set : erase;
}

/// The edits, and their images, without the matrix's state: as the tree has to see them.
template <class T>
std::vector<detail::stored_edit<T>> stored_edits(hisparse<T> const& a, std::span<edit_entry<T> const> changes,
                                                 matrix_symmetry symmetry) {
    std::vector<detail::stored_edit<T>> result;
    result.reserve(symmetry == matrix_symmetry::general ? changes.size() : 2 * changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        edit_entry<T> const& e = changes[i];
        check_position(i, e.row, e.column, a.row_count(), a.column_count());
        if (symmetry == matrix_symmetry::skew && e.row == e.column && e.kind != edit_kind::erase && !(e.value == T(0)))
            throw argument_error(name_of_edit(i) + " gives the diagonal the value " + std::to_string(e.value) +
                                 "; a skew matrix has zeros there");
        T const value = stored_value(e, i, a.scale());
        auto const row = static_cast<std::uint32_t>(e.row);
        auto const column = static_cast<std::uint32_t>(e.column);
        auto const kind = stored_kind(e.kind, a.scale());
        T const image = symmetry == matrix_symmetry::skew ? detail::negated(value) : value;
        result.push_back(a.is_transposed() ? detail::stored_edit<T>{column, row, kind, value}
                                           : detail::stored_edit<T>{row, column, kind, value});
        if (symmetry != matrix_symmetry::general && row != column)
            result.push_back(a.is_transposed() ? detail::stored_edit<T>{row, column, kind, image}
                                               : detail::stored_edit<T>{column, row, kind, image});
    }
    return result;
}

/// The first edit whose sum overflows as it is stored: those before it can be made together.
template <class T>
std::size_t overflowing_edit(hisparse<T> const& a, edits<T> const& changes, matrix_symmetry symmetry, int number) {
    std::size_t good = 0, bad = changes.size();  // numbers of edits, from the first one, that can and cannot be made
    while (bad - good > 1) {
        std::size_t const middle = good + (bad - good) / 2;
        try {
            detail::edit_tree<T>(*a.content(), stored_edits(a, changes.entries().first(middle), symmetry), number,
                                 symmetry);
            good = middle;
        } catch (detail::stored_sum_overflow const&) {
            bad = middle;
        }
    }
    return good;
}

template <class T>
detail::edited_tree edited_tree_of(hisparse<T> const& a, edits<T> const& changes, matrix_symmetry symmetry,
                                   int number) {
    try {
        return detail::edit_tree<T>(*a.content(), stored_edits(a, changes.entries(), symmetry), number, symmetry);
    } catch (detail::stored_sum_overflow const&) {
        throw argument_error(name_of_edit(overflowing_edit(a, changes, symmetry, number)) +
                             " adds a value to an entry, and the sum divided by the matrix's scale, as it would be "
                             "stored, is too large; edit the matrix before it is scaled");
    }
}

std::int64_t arena_bytes(std::span<arena const> arenas) {
    std::int64_t bytes = 0;
    for (arena const& a : arenas) bytes += a.memory->size();
    return bytes;
}

/// What is due, if one arena holds it.
detail::arena_merge possible_merge(hisparse_content const& old, detail::edited_tree const& edited) {
    detail::arena_merge const due = detail::due_merge(old.edit_ranks);
    std::int64_t const bytes = arena_bytes(std::span(old.arenas).last(due.arenas)) + edited.new_nodes.size();
    return bytes <= detail::most_arena_bytes ? due : detail::arena_merge{0, 0};
}

/// The arenas of `content` become the old ones and that of the new nodes, which may take the place of some.
void add_nodes(hisparse_content& content, hisparse_content const& old, detail::edited_tree& edited,
               std::int64_t value_bytes) {
    int const number = edited.root.arena();
    auto const& where = detail::memory_of(old);
    detail::arena_merge const merge = possible_merge(old, edited);
    buffer<std::byte> nodes =
        merge.arenas > 0 ? detail::in_memory(where, detail::merge_arenas(old, value_bytes, merge.arenas, edited))
                         : edited.new_nodes.take(where);
    content.arenas = old.arenas;
    content.arenas.resize(old.arenas.size() - merge.arenas);
    content.arenas.push_back({number, std::make_shared<buffer<std::byte>>(std::move(nodes))});
    content.edit_ranks = old.edit_ranks;
    content.edit_ranks.resize(old.edit_ranks.size() - merge.arenas);
    content.edit_ranks.push_back(merge.rank);
}

hisparse_content assemble(hisparse_content const& old, detail::edited_tree& edited, std::int64_t value_bytes) {
    hisparse_content content = detail::content_like(old);
    content.entry_count = edited.entry_count;
    content.census = edited.census;
    content.reachable_bytes = edited.reachable_bytes;
    if (edited.root) add_nodes(content, old, edited, value_bytes);
    content.root = edited.root;
    detail::make_arena_table(content, detail::memory_of(old));
    return content;
}

}  // namespace

template <class T>
hisparse<T> edit(hisparse<T> const& a, edits<T> const& changes, matrix_symmetry symmetry) {
    nvtx_range const range(nvtx_room::formats, "copse edit", static_cast<std::int64_t>(changes.size()));
    if (symmetry != matrix_symmetry::general && a.row_count() != a.column_count())
        throw shape_error("edit: the matrix is " + std::to_string(a.row_count()) + " x " +
                          std::to_string(a.column_count()) + "; symmetric and skew edits need a square one");
    if (changes.size() == 0) return a;
    int const number = detail::new_arena_number(a.content()->arenas);
    if (number < 0) {  // sums have taken them: edits alone leave some
        hisparse<T> const compacted = compact(a);
        hisparse<T> const result = edit(compacted, changes, symmetry);
        return result.content() == compacted.content() ? a : result;
    }
    detail::edited_tree edited = edited_tree_of(a, changes, symmetry, number);
    if (edited.root == a.content()->root) return a;
    auto const content = std::make_shared<hisparse_content>(assemble(*a.content(), edited, sizeof(T)));
    hisparse<T> const fresh(content);
    hisparse<T> const result = (a.is_transposed() ? fresh.transposed() : fresh).scaled(a.scale());
    if (!content->root || 2 * content->reachable_bytes >= result.bytes()) return result;
    // Too low where a node that an edit has replaced has other parents: counted anew, which takes a look at all inner
    // nodes. What is left after that is to be worth as many edits: a sixteenth above the half is not.
    content->reachable_bytes = detail::compacted_bytes(*content, sizeof(T));
    return 16 * content->reachable_bytes < 9 * result.bytes() ? compact(result) : result;
}

template hisparse<float> edit(hisparse<float> const&, edits<float> const&, matrix_symmetry);
template hisparse<double> edit(hisparse<double> const&, edits<double> const&, matrix_symmetry);

}  // namespace copse
