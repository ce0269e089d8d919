// A matrix made by a user's tasks (formats/tree_writer.hpp): the diagonal matrix of a vector, which no tree is behind;
// and what is said of tasks that make more than they stated, or less. tests/algebra/map_entries_test.cpp has the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <formats/edits/edit_tools.hpp>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::tests {
namespace {

enum class fault { none, forgets_a_leaf, writes_outside, opens_a_leaf };

/// What covers rows and columns from `first`.
struct diagonal_block {
    std::uint32_t first;
};

struct write_diagonal {
    using item = node_source<diagonal_block>;
    static constexpr int width = 64;
    static constexpr std::size_t scratch_bytes = tree_writer<double>::leaf_scratch_bytes;
    double const* values;
    std::int64_t count;
    int dimension;
    fault mistake;
    tree_writer<double> out;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        if (i.to.level() > 0 || mistake == fault::opens_a_leaf) {
            std::int64_t below = dimension;
            for (int level = 1; level < i.to.level(); ++level) below *= dimension;
            return out.open<write_diagonal>(w, i.to, [&](auto child) {
                for (std::int64_t k = w.rank(); k < dimension && i.to.row() + k * below < count; k += w.size()) {
                    auto const first = static_cast<std::uint32_t>(i.to.row() + k * below);
                    child(first, first, diagonal_block{first});
                }
            });
        }
        if (mistake == fault::forgets_a_leaf && i.from.first == 64) return;
        std::int64_t const off = mistake == fault::writes_outside && i.from.first == 128 ? 1 : 0;
        out.write_leaf(w, i.to, [&](auto put) {
            for (std::int64_t r = i.from.first + w.rank(); r < count && r < i.from.first + dimension; r += w.size())
                if (values[r] != 0) put(r, r + off, values[r]);
        });
    }
};

template <class Executor>
hisparse<double> diagonal(Executor& executor, std::vector<double> const& values, building_bound const& bound,
                          fault mistake = fault::none) {
    auto const n = static_cast<std::int64_t>(values.size());
    buffer<double> const there(executor, values);
    tree_building<double> made(executor, "diagonal", n, n, 64, bound);
    run(executor, made.seed<write_diagonal>(diagonal_block{0}),
        write_diagonal{there.data(), n, 64, mistake, made.writer()});
    return made.finish();
}

std::vector<double> some_values(std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i / 64 % 2 == 0 ? static_cast<double>(i + 1) : 0;
    return values;
}

template <class Executor>
void check_diagonals(Executor& executor, std::initializer_list<std::size_t> sizes) {
    for (std::size_t n : sizes) {
        auto const values = some_values(n);
        auto const places = static_cast<std::int64_t>(n) / 64 + 1;
        auto const d = diagonal(executor, values, {places, places / 64 + 3, static_cast<std::int64_t>(n)});
        coo<double> const entries = to_coo(d);
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (values[i] == 0) continue;
            ASSERT_LT(at, entries.values.size());
            EXPECT_EQ(entries.rows[at], static_cast<std::int32_t>(i));
            EXPECT_EQ(entries.columns[at], static_cast<std::int32_t>(i));
            EXPECT_EQ(entries.values[at++], values[i]);
        }
        EXPECT_EQ(at, entries.values.size());
        check_tree(d);
    }
}

/// What the message of the error says.
template <class Executor>
std::string refused(Executor& executor, building_bound const& bound, fault mistake) {
    try {
        diagonal(executor, some_values(5000), bound, mistake);
    } catch (argument_error const& e) {
        return e.what();
    }
    return "nothing";
}
void expect_word(std::string const& message, std::string const& word) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
}

template <class Executor>
void check_faults(Executor& executor) {
    building_bound const enough{79, 4, 5000};
    EXPECT_EQ(refused(executor, enough, fault::none), "nothing");
    expect_word(refused(executor, {79, 1, 5000}, fault::none), "leaves room for 1 places of inner nodes");
    expect_word(refused(executor, {40, 4, 5000}, fault::none), "the tasks asked for 79 or more");
    std::string const leaves = refused(executor, {79, 4, 100}, fault::none);
    expect_word(leaves, "diagonal: the bound of 79 leaves, 4 inner nodes, 100 entries leaves room for ");
    bool constexpr in_chunks = std::is_same_v<Executor, cpu>;  // so few entries find room
    expect_word(leaves, in_chunks ? "100 entries; the tasks asked for " : " bytes of nodes; the tasks asked for ");
    expect_word(refused(executor, enough, fault::forgets_a_leaf), "must be written or left out once");
    expect_word(refused(executor, enough, fault::writes_outside), "the entry in row 191, column 192 is outside");
    expect_word(refused(executor, enough, fault::opens_a_leaf), "open() was given the place of a leaf, at row ");
}

TEST(tree_writer, makes_diagonal_matrices) {
    cpu two(2);
    check_diagonals(two, {40, 5000});  // 40: the root is a leaf; 5000: leaves of other rows are left out
    emulated lanes;
    check_diagonals(lanes, {40, 5000});
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {  // which of the leaves is the last
        emulated other({.seed = seed});
        check_diagonals(other, {300});
    }
}

TEST(tree_writer, names_the_bound_that_was_too_small) {
    cpu two(2);
    check_faults(two);
    emulated lanes;
    check_faults(lanes);
}

/// Copies a matrix that is one wide leaf.
struct copy_wide {
    using item = node_source<node>;
    static constexpr int width = 32;
    tree_view<double> tree;
    tree_writer<double> out;
    template <class Worker>
    void operator()(item const& i, Worker& w) const {
        auto const all = [](std::int64_t, std::int64_t, double value) { return maybe<double>{value, true}; };
        if (!out.try_write_wide(w, i.to, tree, i.from, all)) out.leave_out(w, i.to);
    }
};
template <class Executor>
void check_wide_leaves(Executor& executor) {
    coo<double> entries{4096, 4000, {}, {}, {}};
    for (std::int32_t i = 0; i < 4096; i += 3) {
        entries.rows.push_back(i);
        entries.columns.push_back(i * 31 % 4000);
        entries.values.push_back(i + 1);
    }
    hisparse<double> const a(executor, entries, {.node_dimension = 64});
    ASSERT_TRUE(a.root().reference.is_wide_leaf());
    auto const copied = [&](std::int64_t rows, std::int64_t columns, building_bound const& bound, auto const& of) {
        tree_building<double> made(executor, "copy", rows, columns, 64, bound);
        run(executor, made.template seed<copy_wide>(of.root()), copy_wide{of.tree(), made.writer()});
        return made.finish();
    };
    auto const message = [&](std::int64_t rows, std::int64_t columns, building_bound const& bound) {
        try {
            (void)copied(rows, columns, bound, a);
        } catch (argument_error const& e) {
            return std::string(e.what());
        }
        return std::string("nothing");
    };
    building_bound const enough = building_bound::of(a);
    EXPECT_EQ(to_coo(copied(4096, 4000, enough, a)).values, to_coo(a).values);
    expect_word(message(4095, 4000, enough), "the entry in row 4095, column ");
    expect_word(message(4096, 3000, enough), " is outside of the matrix, or of the node at row 0, column 0");
    expect_word(message(4096, 4000, {enough.leaves, enough.inner_nodes, 100}), "copy: the bound of ");
    EXPECT_EQ(copied(300000, 300000, enough, a).entry_count(), 0);  // the root's level is 2: refused
    EXPECT_EQ(copied(4000, 4096, enough, transposed(a)).entry_count(), 0);
}
TEST(tree_writer, writes_wide_leaves_whole) {
    cpu two(2);
    check_wide_leaves(two);
    emulated lanes;
    check_wide_leaves(lanes);
}

/// Writes the entries of a list, in its order, as a wide leaf.
struct write_listed {
    using item = node_source<diagonal_block>;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = tree_writer<double>::inner_scratch_bytes;
    coo<double> const* list;
    std::int64_t* refused;
    tree_writer<double> out;
    template <class Worker>
    void operator()(item const& i, Worker& w) const {
        bool const written = out.try_write_wide(w, i.to, [&](auto put) {
            auto const count = static_cast<std::size_t>(list->entry_count());
            for (auto k = static_cast<std::size_t>(w.rank()); k < count; k += static_cast<std::size_t>(w.size()))
                put(list->rows[k], list->columns[k], list->values[k]);
        });
        if (written) return;
        if (w.rank() == 0) w.add(refused, std::int64_t{1});
        out.leave_out(w, i.to);
    }
};
template <class Executor>
void check_listed_entries(Executor& executor) {
    std::int64_t refused = 0;
    auto const written = [&](coo<double> const& list, building_bound const& bound) {
        refused = 0;
        tree_building<double> made(executor, "list", list.row_count, list.column_count, 64, bound);
        run(executor, made.template seed<write_listed>(diagonal_block{0}),
            write_listed{&list, &refused, made.writer()});
        return made.finish();
    };
    building_bound const enough{4096, 0, 5000};
    // The last blocks have 2,700 entries, others one or two; the list goes backwards.
    coo<double> list = matrix_where(60, 60, [](auto i, auto j) { return (i + j) % 4 != 0; });
    list.row_count = 4090;
    list.column_count = 4096;
    for (auto& row : list.rows) row += 4030;
    for (auto& column : list.columns) column += 4034;
    for (std::int32_t k = 0; k < 300; ++k) {
        list.rows.push_back(k * 13);
        list.columns.push_back(k * 1237 % 4000);
        list.values.push_back(k + 1);
    }
    for (auto* const part : {&list.rows, &list.columns}) std::reverse(part->begin(), part->end());
    std::reverse(list.values.begin(), list.values.end());
    hisparse<double> const made = written(list, enough);
    EXPECT_TRUE(made.root().reference.is_wide_leaf());
    check_tree(made);
    coo<double> const found = to_coo(made), wanted = to_coo(to_csr(list));
    EXPECT_EQ(found.rows, wanted.rows);
    EXPECT_EQ(found.columns, wanted.columns);
    EXPECT_EQ(found.values, wanted.values);
    EXPECT_EQ(refused, 0);

    // The rule: two blocks, 16 entries in each on average.
    coo<double> few{64, 4096, {}, {}, {}};
    for (std::int32_t k = 0; k < 32; ++k) {
        few.rows.push_back(k);
        few.columns.push_back(k < 3 ? 70 : 4000);
        few.values.push_back(1);
    }
    EXPECT_EQ(written(few, enough).entry_count(), 32);
    few.rows.push_back(63);
    few.columns.push_back(63 + 4000 / 64 * 64);
    few.values.push_back(1);
    EXPECT_EQ(written(few, enough).entry_count(), 0);
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(written({64, 4096, {5, 6}, {7, 7}, {1, 1}}, enough).entry_count(), 0);  // one block
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(written({64, 4096, {}, {}, {}}, enough).entry_count(), 0);
    EXPECT_EQ(refused, 0) << "left out";
    for (std::int64_t size : {64, 4097}) {  // the root's level is 0, 2
        EXPECT_EQ(
            written({size, size, {5, 63}, {7, static_cast<std::int32_t>(size) - 40}, {1, 1}}, enough).entry_count(), 0);
        EXPECT_EQ(refused, 1);
    }

    auto const message = [&](coo<double> const& entries, building_bound const& bound) {
        try {
            (void)written(entries, bound);
        } catch (argument_error const& e) {
            return std::string(e.what());
        }
        return std::string("nothing");
    };
    expect_word(message({64, 4095, {5}, {4095}, {1}}, enough), "the entry in row 5, column 4095 is outside of");
    expect_word(message(list, {300, 0, 100}), "list: the bound of 300 leaves, 0 inner nodes, 100 entries leaves room");
    expect_word(message(list, {0, 0, 5000}), "list: the bound of 0 leaves, 0 inner nodes, 5000 entries leaves room");
}
TEST(tree_writer, writes_wide_leaves_of_entries_in_any_order) {
    cpu two(2);
    check_listed_entries(two);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        emulated lanes({.seed = seed});
        check_listed_entries(lanes);
    }
    emulated threads({.mode = emulation::stress});
    check_listed_entries(threads);
}

struct one_lane {
    static int rank() { return 0; }
    template <class T>
    static T shuffle(T value, int) {
        return value;
    }
    static std::uint64_t fetch_add(std::uint64_t* p, std::uint64_t more) {
        *p += more;
        return *p - more;
    }
};
/// Two threads by turns: pieces lie one behind the other, and all bytes of the pool are somebody's.
TEST(tree_writer, takes_memory_in_chunks) {
    using detail::pool_chunk;
    one_lane w;
    std::uint64_t asked = 0;
    detail::bounded_pool const pool{{nullptr, &asked}, 4 * pool_chunk::size};
    std::array<pool_chunk, 2> chunks;
    std::int64_t constexpr piece = 30'000 / 16 * 16;  // four in a chunk
    std::uint64_t constexpr size = pool_chunk::size;
    for (std::uint64_t i = 0; i < 8; ++i)
        EXPECT_EQ(chunks[i % 2].reserve(w, pool, piece), i % 2 * size + i / 2 * piece);
    EXPECT_EQ(asked, 2 * size);
    EXPECT_EQ(chunks[0].reserve(w, pool, piece), 2 * size);  // what is left of the first chunk is lost
    EXPECT_EQ(chunks[0].lost, size - 4 * piece);
    EXPECT_EQ(chunks[1].reserve(w, pool, pool_chunk::largest_piece + 16), 3 * size);  // alone
    EXPECT_EQ(chunks[1].lost, 0u);
    EXPECT_EQ(chunks[1].next, size + 4 * piece);
    EXPECT_EQ(chunks[1].reserve(w, pool, piece), detail::bounded_pool::no_room);
    EXPECT_EQ(chunks[1].reserve(w, pool, piece), detail::bounded_pool::no_room);
    // Nobody has come between: the next chunk goes on where the last one ended.
    asked = 0;
    pool_chunk alone;
    for (std::uint64_t i = 0; i < 12; ++i) EXPECT_EQ(alone.reserve(w, pool, piece), i * piece);
    EXPECT_EQ(alone.lost, 0u);
}

TEST(tree_writer, gives_a_matrix_once) {
    cpu one(1);
    tree_building<float> made(one, "nothing", 5, 300, 128, {});
    hisparse<float> const empty = made.finish();
    EXPECT_EQ(empty.column_count(), 300);
    EXPECT_EQ(empty.entry_count(), 0);
    EXPECT_THROW(made.finish(), argument_error);
    EXPECT_THROW(tree_building<float>(one, "nothing", 5, 300, 100, {}), argument_error);
    EXPECT_THROW(tree_building<float>(one, "nothing", -5, 300, 128, {}), shape_error);
    EXPECT_THROW(tree_building<float>(one, "nothing", 5, 300, 128, {-1, 0, 0}), argument_error);
    std::int64_t const huge = std::int64_t{1} << 60;
    for (building_bound const& bound : {building_bound{huge, 1, 1}, {1, huge, 1}, {1, 1, 8 * (huge - 1)}})
        EXPECT_THROW(tree_building<float>(one, "nothing", 5, 300, 128, bound), shape_error);
    tree_building<double> unwritten(one, "nothing", 64, 64, 64, {1, 0, 1});
    (void)unwritten.seed<write_diagonal>(diagonal_block{0});  // whose task then does nothing
    EXPECT_THROW(unwritten.finish(), argument_error);
}

}  // namespace
}  // namespace copse::tests
