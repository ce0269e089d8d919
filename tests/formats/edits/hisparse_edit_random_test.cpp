// Properties of edits, on random matrices and random edits: whole numbers and scales that are powers of two, so that
// every comparison is exact.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <formats/edits/edit_tools.hpp>
#include <formats/either_type.hpp>
#include <limits>
#include <tuple>

namespace copse::tests {
namespace {

/// Matrices with leaves and inner nodes of every kind, in random states. Dimensions are no powers of d.
template <class T>
hisparse<T> random_matrix() {
    auto const sorts = std::vector<coo<double>>{
        empty_matrix(90, 300),
        matrix_where(100, 90, [](auto i, auto j) { return i == j || j == i + 70; }),
        matrix_where(70, 66, [](auto i, auto j) { return i % 6 != 5 && (i + j) % 29 != 0; }),
        matrix_where(300, 200, [](auto i, auto j) { return (i * 7 + j * 13) % 31 == 0; }),
        scattered(4000, 5000, 500, 3),
        scattered(70000, 300, 400, 4),
    };
    coo<double> const entries = *rc::gen::elementOf(sorts);
    int const d = *rc::gen::element(64, 128, 256);
    bool const share = *rc::gen::arbitrary<bool>();
    T const scale = *rc::gen::element(T(1), T(-2), T(0.25));
    hisparse<T> const a =
        hisparse<T>(host_memory(), with_small_values<T>(entries), {.node_dimension = d, .share_identical = share})
            .scaled(scale);
    return *rc::gen::arbitrary<bool>() ? a.transposed() : a;
}

/// Edits that meet: around one place, at entries, anywhere.
template <class T>
edits<T> random_edits(hisparse<T> const& a) {
    coo<T> const entries = to_coo(a);
    auto const place = *rc::gen::pair(rc::gen::inRange<std::int64_t>(0, a.row_count()),
                                      rc::gen::inRange<std::int64_t>(0, a.column_count()));
    auto const steps = *rc::gen::container<std::vector<std::tuple<int, int, int, std::uint32_t>>>(
        rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(0, 3), rc::gen::inRange(-50, 50),
                       rc::gen::arbitrary<std::uint32_t>()));
    edits<T> changes;
    for (auto const& [where, kind, value, bits] : steps) {
        std::int64_t i = bits % static_cast<std::uint64_t>(a.row_count());
        std::int64_t j = bits / 65536 * 31 % static_cast<std::uint64_t>(a.column_count());
        if (where == 0) {
            i = std::min(a.row_count() - 1, place.first + bits % 4);
            j = std::min(a.column_count() - 1, place.second + bits / 4 % 4);
        } else if (where == 1 && !entries.values.empty()) {
            i = entries.rows[bits % entries.values.size()];
            j = entries.columns[bits % entries.values.size()];
        }
        if (kind == 0) changes.set(i, j, static_cast<T>(value));
        if (kind == 1) changes.add(i, j, static_cast<T>(value));
        if (kind == 2) changes.erase(i, j);
    }
    return changes;
}

RC_GTEST_PROP(hisparse_random_edits, read_back_what_was_written, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        hisparse<T> a = random_matrix<T>();
        entry_map<T> expected = map_of(a);
        std::vector<std::pair<hisparse<T>, entry_map<T>>> history;
        int const rounds = *rc::gen::inRange(1, 5);
        for (int round = 0; round < rounds; ++round) {
            history.emplace_back(a, expected);
            edits<T> const changes = random_edits(a);
            apply_to(expected, changes);
            a = edit(a, changes);
            RC_ASSERT(map_of(a) == expected);
            check_tree(a);
            RC_ASSERT(2 * a.content()->reachable_bytes >= a.bytes());
            RC_ASSERT(a.content()->reachable_bytes <= reachable_bytes(a));
        }
        for (auto const& [old, entries] : history) RC_ASSERT(map_of(old) == entries);
        RC_ASSERT(!testing::Test::HasFailure());
    });
}

RC_GTEST_PROP(hisparse_random_edits, one_by_one_or_together_are_the_same, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        hisparse<T> const a = random_matrix<T>();
        edits<T> const changes = random_edits(a);
        hisparse<T> b = a;
        for (edit_entry<T> const& e : changes.entries()) {
            edits<T> one;
            if (e.kind == edit_kind::set) one.set(e.row, e.column, e.value);
            if (e.kind == edit_kind::add) one.add(e.row, e.column, e.value);
            if (e.kind == edit_kind::erase) one.erase(e.row, e.column);
            b = edit(b, one);
        }
        RC_ASSERT(map_of(b) == map_of(edit(a, changes)));
    });
}

RC_GTEST_PROP(hisparse_random_edits, of_the_transpose_are_the_transposed_edits, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        hisparse<T> const a = random_matrix<T>();
        edits<T> const changes = random_edits(a);
        edits<T> flipped;
        for (edit_entry<T> const& e : changes.entries()) {
            if (e.kind == edit_kind::set) flipped.set(e.column, e.row, e.value);
            if (e.kind == edit_kind::add) flipped.add(e.column, e.row, e.value);
            if (e.kind == edit_kind::erase) flipped.erase(e.column, e.row);
        }
        RC_ASSERT(map_of(edit(a.transposed(), flipped).transposed()) == map_of(edit(a, changes)));
    });
}

/// What one edit writes anew is on the way to it, and everything else is shared.
RC_GTEST_PROP(hisparse_random_edits, share_all_nodes_but_those_on_the_way, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        hisparse<T> const a = random_matrix<T>();
        RC_PRE(a.entry_count() > 0);
        auto const i = *rc::gen::inRange<std::int64_t>(0, a.row_count());
        auto const j = *rc::gen::inRange<std::int64_t>(0, a.column_count());
        hisparse<T> const b = edit(a, edits<T>().set(i, j, 1e6));
        RC_PRE(b.content()->arenas.size() > 1);  // else it was compacted, and shares nothing
        std::int64_t const written = b.content()->arenas.back().memory->size();
        RC_ASSERT(written == b.bytes() - a.bytes());
        RC_ASSERT(shared_bytes(a, b) == reachable_bytes(b) - written);
        std::size_t const nodes = path_to(b, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)).size();
        std::int64_t own_nodes = 0;
        detail::host_tree const tree(*b.content(), sizeof(T));
        std::unordered_set<std::uintptr_t> seen;
        auto const count = [&](child_reference n) {
            own_nodes += n.arena() == b.content()->arenas.back().number ? 1 : 0;
        };
        detail::for_each_node(tree, b.content()->root, seen, count);
        RC_ASSERT(own_nodes == static_cast<std::int64_t>(nodes));
    });
}

}  // namespace
}  // namespace copse::tests
