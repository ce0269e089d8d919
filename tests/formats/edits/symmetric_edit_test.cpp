// Edits that are made at (j, i), too: the same entries as by single edits, and nodes that stay one for both places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <formats/edits/edit_tools.hpp>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

using enum matrix_symmetry;

/// One half is read. Each value has a place of its own, so that edited leaves are as those of a conversion.
hisparse<double> read_by_half(coo<double> below, matrix_symmetry kind) {
    for (std::size_t k = 0; k < below.values.size(); ++k)
        if (kind == skew && below.rows[k] == below.columns[k]) below.values[k] = 0;
    coo_view<double> view = below;
    view.options.symmetry = kind;
    view.options.half = matrix_half::lower;
    return {host_memory(), view, {.node_dimension = 64, .values = stored_values::each}};
}

double sign_of(matrix_symmetry kind) {
    return kind == skew ? -1 : 1;
}
/// Those that a skew matrix may have: with zeros on the diagonal.
edits<double> as_allowed(edits<double> const& changes, matrix_symmetry kind) {
    if (kind != skew) return changes;
    edits<double> allowed;
    for (edit_entry<double> const& e : changes.entries())
        if (e.kind == edit_kind::erase)
            allowed.erase(e.row, e.column);
        else if (e.kind == edit_kind::add)
            allowed.add(e.row, e.column, e.row == e.column ? 0 : e.value);
        else
            allowed.set(e.row, e.column, e.row == e.column ? 0 : e.value);
    return allowed;
}
edits<double> with_images(edits<double> const& changes, double sign) {
    edits<double> both;
    auto const put = [&](edit_kind kind, std::int64_t row, std::int64_t column, double value) {
        if (kind == edit_kind::set) both.set(row, column, value);
        if (kind == edit_kind::add) both.add(row, column, value);
        if (kind == edit_kind::erase) both.erase(row, column);
    };
    for (edit_entry<double> const& e : changes.entries()) {
        put(e.kind, e.row, e.column, e.value);
        if (e.row != e.column) put(e.kind, e.column, e.row, sign * e.value);
    }
    return both;
}

struct edited_case {
    char const* name;
    coo<double> below;
    edits<double> changes;
};
edits<double> without_block(edits<double> changes, coo<double> const& a, int row_block, int column_block) {
    for (std::size_t k = 0; k < a.rows.size(); ++k)
        if (a.rows[k] / 64 == row_block && a.columns[k] / 64 == column_block) changes.erase(a.rows[k], a.columns[k]);
    return changes;
}
std::vector<edited_case> edited_cases() {
    auto const lists = with_small_values<double>(
        matrix_where(300, 300, [](auto i, auto j) { return i / 64 != 2 * (j / 64) && (7 * i + 13 * j) % 31 == 0; }));
    auto const dense =
        with_small_values<double>(matrix_where(200, 200, [](auto i, auto j) { return (i + j) % 7 != 5; }));
    auto const deep = with_small_values<double>(matrix_where(
        9000, 9000, [](auto i, auto j) { return (i < 200 || i > 8900) && j < 70 && (i * 5 + j * 3) % 4 == 0; }));
    auto const some = edits<double>().set(2, 199, 7).add(199, 2, 0.5).set(150, 10, 3).erase(150, 10).add(7, 7, 2);
    return {
        {"nothing", coo<double>(300, 300), edits<double>().set(3, 270, 4).set(299, 299, 1).erase(5, 6)},
        {"lists", lists, some},
        {"a new block and one that goes", lists, without_block(some, lists, 4, 1).set(64 * 4, 64 * 2 + 3, 5)},
        {"dense", dense, some},
        {"deep", deep,
         edits<double>().set(3, 8990, 4).add(8600, 1, 2).set(8700, 4500, 1).set(130, 10, 6).set(8999, 8998, 2)},
    };
}

TEST(symmetric_edit, changes_both_places) {
    for (edited_case const& c : edited_cases())
        for (matrix_symmetry const kind : {symmetric, skew}) {
            SCOPED_TRACE(c.name);
            hisparse<double> const a = read_by_half(c.below, kind);
            edits<double> const changes = as_allowed(c.changes, kind);
            for (bool const turned : {false, true}) {
                hisparse<double> const given = turned ? transposed(a).scaled(0.5) : a;
                hisparse<double> const edited = edit(given, changes, kind);
                check_tree(edited);
                entry_map<double> expected = map_of(given);
                apply_to(expected, with_images(changes, sign_of(kind)));
                expect_entries(edited, expected);
                EXPECT_EQ(edited.content()->reachable_bytes, reachable_bytes(edited));
                // Images that the matrix does not have.
                matrix_symmetry const other = kind == skew ? symmetric : skew;
                auto const off_diagonal = edits<double>().set(170, 2, 7).add(2, 170, 0.5).erase(0, 150);
                entry_map<double> of_other = map_of(given);
                apply_to(of_other, with_images(off_diagonal, sign_of(other)));
                expect_entries(edit(given, off_diagonal, other), of_other);
            }
        }
}

TEST(symmetric_edit, keeps_one_node_for_both_places) {
    for (edited_case const& c : edited_cases())
        for (matrix_symmetry const kind : {symmetric, skew}) {
            SCOPED_TRACE(c.name);
            hisparse<double> const a = read_by_half(c.below, kind);
            edits<double> const changes = as_allowed(c.changes, kind);
            hisparse<double> const edited = edit(a, changes, kind);
            EXPECT_EQ(reachable_bytes(edited), reachable_bytes(read_by_half(to_coo(edited), kind)));
            hisparse<double> const apart = edit(a, with_images(changes, sign_of(kind)));
            if (!edited.root().reference.is_leaf()) {
                EXPECT_LT(reachable_bytes(edited), reachable_bytes(apart));
            }
            hisparse<double> const one_side = edit(a, edits<double>().set(c.below.row_count - 1, 0, 77));
            check_tree(one_side);
            EXPECT_EQ(map_of(one_side).at({c.below.row_count - 1, 0}), 77);
            EXPECT_EQ(map_of(one_side).contains({0, c.below.row_count - 1}),
                      map_of(a).contains({0, c.below.row_count - 1}));
        }
}

/// Nodes for both places of a pair, and a reference to one of them alone that is transposed, are merged with others.
TEST(symmetric_edit, goes_on_when_arenas_are_merged) {
    for (matrix_symmetry const kind : {symmetric, skew}) {
        coo<double> const below = with_small_values<double>(
            matrix_where(2000, 2000, [](auto i, auto j) { return i > j && (7 * i + 13 * j) % 31 == 0; }));
        hisparse<double> a = read_by_half(below, kind);
        entry_map<double> expected = map_of(a);
        auto const change = [&](edits<double> const& changes, matrix_symmetry how) {
            a = edit(a, changes, how);
            apply_to(expected, how == matrix_symmetry::general ? changes : with_images(changes, sign_of(how)));
        };
        change(edits<double>().set(3, 270, 4).set(5, 130, 2).set(200, 70, 8), kind);
        // What is left of the first pair is its transposed place.
        change(edits<double>().set(3, 271, 6), matrix_symmetry::general);
        std::size_t most = 0;
        for (int step = 0; step < 40; ++step) {
            change(edits<double>().set(310 + step, 450 + step, 1 + step),
                   step % 3 == 0 ? matrix_symmetry::general : kind);
            most = std::max(most, a.content()->arenas.size());
        }
        EXPECT_GT(most, 30u);
        EXPECT_LT(a.content()->arenas.size(), most) << "some were merged";
        check_tree(a);
        expect_entries(a, expected);
    }
}

/// Blocks at mirrored places that are one node as it stands are no images of each other.
TEST(symmetric_edit, does_not_take_equal_blocks_for_images) {
    coo<double> entries = matrix_where(128, 128, [](auto i, auto j) { return i / 64 != j / 64 && i % 64 < j % 64; });
    for (std::size_t k = 0; k < entries.values.size(); ++k) entries.values[k] = 1;
    hisparse<double> const a(host_memory(), entries, {.node_dimension = 64, .share_identical = true});
    auto const changes = edits<double>().set(3, 90, 5);
    hisparse<double> const edited = edit(a, changes, symmetric);
    check_tree(edited);
    entry_map<double> expected = map_of(a);
    apply_to(expected, with_images(changes, 1));
    expect_entries(edited, expected);
}

TEST(symmetric_edit, says_what_it_refuses) {
    hisparse<double> const wide(host_memory(), coo<double>(3, 4));
    EXPECT_EQ(message_of<shape_error>([&] { edit(wide, edits<double>().set(0, 1, 1), symmetric); }),
              "edit: the matrix is 3 x 4; symmetric and skew edits need a square one");
    double const most = std::numeric_limits<double>::max();
    hisparse<double> const a(host_memory(), coo<double>{4, 4, {3}, {2}, {most}});
    EXPECT_EQ(message_of<argument_error>([&] { edit(a, edits<double>().set(0, 1, 1).add(2, 2, 0.25), skew); }),
              "edit: edit 1 (counted from 0) gives the diagonal the value 0.250000; a skew matrix has zeros there");
    EXPECT_EQ(edit(a, edits<double>().set(2, 2, 0).erase(1, 1), skew).entry_count(), 2);
    std::string const message = message_of<argument_error>([&] {
        edit(a.scaled(0.5), edits<double>().add(0, 1, 1).add(0, 2, 1).add(2, 3, most / 2).add(1, 1, 1), symmetric);
    });
    EXPECT_TRUE(message.starts_with("edit: edit 2 (counted from 0) adds")) << message;
}

}  // namespace
}  // namespace copse::tests
