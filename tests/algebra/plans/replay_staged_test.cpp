// Replaying with leaves that are copied on chip: the same bits as without, for all leaves; each copy lies where it may.
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <algorithm>
#include <copse/algebra/plans/replay_staged.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <random>
#include <some_cases.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using detail::plan_staging, detail::staged_leaves;

struct squared {
    template <class V>
    COPSE_HOST_DEVICE V operator()(std::int64_t, V& y_i) const {
        return y_i * y_i;
    }
};

/// y and the sum of its squares.
template <class V>
struct replayed_product {
    std::vector<V> y;
    V sum;
    bool operator==(replayed_product const&) const = default;
};

template <class V, class T>
replayed_product<V> replayed_with(emulated& executor, spmv_plan<T> const& plan, detail::replay_choices const& choices) {
    auto const x = input_vector<V>(plan.column_count(), special_values::none);
    std::vector<V> y(static_cast<std::size_t>(plan.row_count()), V(0.75));
    V const sum = detail::replay_on_emulated<T, V>(executor, V(-1.5), plan, x, V(0.5), y, squared(), choices);
    return {y, sum};
}

template <class V, class T>
void check_staged(hisparse<T> const& a, std::uint64_t seed) {
    emulated executor({.mode = emulation::explore, .seed = seed}),
        other({.mode = emulation::explore, .seed = seed + 1});
    for (bool const transpose : {false, true}) {
        spmv_plan<T> const plan(executor, transpose ? transposed(a) : a);
        auto const expected = replayed_with<V>(executor, plan, {});
        for (auto staged : {plan_staging::leaves, plan_staging::leaves_and_x}) {
            EXPECT_EQ(replayed_with<V>(executor, plan, {.staged = staged}), expected);
            EXPECT_EQ(replayed_with<V>(other, plan, {.fetch_ahead = false, .staged = staged, .keep_twins = false}),
                      expected);
        }
    }
}

template <class T>
hisparse<T> stored_with(coo<double> const& entries, hisparse_options const& options) {
    cpu executor(1);
    return hisparse<T>(executor.memory(), with_values_of<T>(entries), options);
}

void check_staged_for_all_types(coo<double> const& entries, hisparse_options const& options, std::uint64_t seed) {
    auto const takes = [&](std::uint64_t type) { return takes_all_cases || seed % 3 == type; };
    if (takes(0)) check_staged<double>(stored_with<double>(entries, options), seed);
    if (takes(1)) check_staged<float>(stored_with<float>(entries, options), seed + 2);
    if (takes(2)) check_staged<double>(stored_with<float>(entries, options), seed + 4);
}

TEST(replay_staged, gives_the_same_bits_for_all_kinds_of_leaves) {
    std::uint64_t seed = 1;
    for (coo<double> const& entries :
         {mixed_matrix(), mixed_block(), leaves_of_many_sizes(), wide_leaves_of_many_sizes(), all_kinds()})
        check_staged_for_all_types(entries, {.node_dimension = 64}, seed++);
    for (char const* name : {"stencil27:9", "elasticity:4"})
        for (int const d : one_of(std::vector{64, 128, 256}))
            check_staged_for_all_types(generate<double>(name), {.node_dimension = d}, seed++);
}

TEST(replay_staged, gives_the_same_bits_for_values_stored_once_and_twins) {
    coo<double> equal = matrix_where(600, 600, [](auto i, auto j) {
        return j == i || j == i + 1 || i == j + 70 || (i / 64 == j / 64 + 1 && (i * 7 + j * 5) % 11 == 0);
    });
    for (std::size_t k = 0; k < equal.values.size(); ++k) equal.values[k] = equal.rows[k] == equal.columns[k] ? 4 : -1;
    check_staged_for_all_types(equal, {.node_dimension = 64}, 50);
    for (double const below : {1.0, -1.0}) {
        coo<double> const twins = symmetric(
            matrix_where(700, 700,
                         [](auto i, auto j) { return j == i + 65 || j == i + 3 || (i * 3 + j * 7) % 97 == 0; }),
            below);
        check_staged_for_all_types(twins, {.node_dimension = 64, .share_transposed = true}, 60);
    }
}

/// A list of n entries, alone in its block, between leaves of another kind.
coo<double> one_list(int n) {
    return matrix_where(192, 320, [&](auto i, auto j) {
        return i < 64 || i >= 128 ? j / 64 == i / 64 && j - i < 3 && i - j < 3
                                  : j / 64 == 2 && ((i % 64 * 64 + j % 64) * 1237 % 4096) < n;
    });
}
/// Streaks that fill n entries of one block.
coo<double> filled_streaks(int n) {
    return matrix_where(128, 128, [&](auto i, auto j) { return (j - i + 128) % 128 * 128 + i < n; });
}

/// Entries of the largest leaf of a kind that is staged: with one or a few more it is read where it lies.
template <class T, class V, class Entries>
void check_border(int entries, int more, node_kind kind, int d, Entries const& make) {
    for (int const n : {entries, entries + more}) {
        hisparse<T> const a = stored_with<T>(make(n), {.node_dimension = d});
        emulated executor;
        spmv_plan<T> const plan(executor, a);
        auto const& direction = detail::direction_content_of(plan);
        int found = 0;
        for (detail::listed_leaf const& item : direction.lists->items.to_host()) {
            if (!item.leaf || item.leaf.reference.kind() != kind || item.leaf.reference.entries() != n) continue;
            ++found;
            int const bytes = detail::bytes_to_stage<T>(direction.tree, item, detail::staging_ring_bytes<V>);
            auto const all = detail::extent_of(item.leaf.reference, direction.tree.address(item.leaf.reference),
                                               {a.node_dimension() == 64 ? 6 : 7, sizeof(T)})
                                 .bytes;
            EXPECT_EQ(bytes, n == entries ? all : 0) << n;
            EXPECT_GT(all + 32, detail::staging_ring_bytes<V>);
        }
        EXPECT_EQ(found, 1) << n;
        check_staged<V>(a, 80);
    }
}

TEST(replay_staged, gives_the_same_bits_around_the_size_of_the_ring) {
    check_border<double, double>(740, 4, node_kind::sparse, 64, one_list);
    check_border<float, float>(1404, 4, node_kind::sparse, 64, one_list);
    check_border<float, double>(1232, 4, node_kind::sparse, 64, one_list);
    check_border<double, double>(917, 2, node_kind::diagonal, 128, filled_streaks);
    check_border<float, float>(2075, 4, node_kind::diagonal, 128, filled_streaks);
}

/// Each leaf that fits and is not small is copied once, and whole.
TEST(replay_staged, copies_each_leaf_once) {
    hisparse<double> const a = stored_with<double>(generate<double>("stencil27:12"), {});
    emulated executor({.profile = true});
    spmv_plan<double> const plan(executor, a);
    std::int64_t expected = 0, copied = 0;
    auto const& direction = detail::direction_content_of(plan);
    auto const items = direction.lists->items.to_host();
    for (std::int64_t k = 0; k < direction.lists->item_count; ++k) {
        child_reference const leaf = items[static_cast<std::size_t>(k)].leaf.reference;
        auto const bytes = detail::extent_of(leaf, direction.tree.address(leaf), {7, sizeof(double)}).bytes;
        if ((leaf.kind() == node_kind::diagonal || leaf.entries() > 32) && bytes <= detail::staging_ring_bytes<double>)
            expected += bytes;
    }
    replayed_with<double>(executor, plan, {.staged = plan_staging::leaves});
    for (access_line const& line : executor.profile().lines)
        if (std::string_view(line.file).ends_with("replay_staged.hpp") && line.requests == line.lane_accesses)
            copied += line.bytes;
    EXPECT_GT(copied, 0);
    EXPECT_EQ(copied, expected);
}

/// Writes down where a ring puts leaves of these sizes: what has begun when the lanes come to an item.
struct follow_ring {
    using item = std::int64_t;
    static constexpr int width = 32;
    int ring_bytes;
    int count;
    int const* sizes;
    int* places;
    int* begun;  // when the lanes come to the item

    template <class Worker>
    void operator()(item, Worker& w) const {
        detail::staging_ring ring{ring_bytes, w.rank() < count ? sizes[w.rank()] : 0};
        for (int i = 0; i < count; ++i) {
            ring.begin_copies(i, count, w, [&](int next, int at, int size) {
                EXPECT_EQ(size, sizes[next]);
                if (w.rank() == 0) places[next] = at;
            });
            int const begin = w.shuffle(ring.own_begin, i) % ring_bytes;
            if (w.rank() != 0) continue;
            EXPECT_EQ(begin, places[i]);
            begun[i] = ring.begun;
        }
    }
};

TEST(staging_ring, keeps_apart_what_is_on_chip_and_begins_what_has_room) {
    std::mt19937 random(7);
    for (int repeat = 0; repeat < 200; ++repeat) {
        int const ring_bytes = 16 * static_cast<int>(2 + random() % 40), count = static_cast<int>(1 + random() % 32);
        std::vector<int> sizes(static_cast<std::size_t>(count)), begun(sizes.size());
        for (int& size : sizes)
            size = random() % 4 == 0 ? 0 : 16 * static_cast<int>(1 + random() % static_cast<unsigned>(ring_bytes / 16));
        std::vector<int> begins(sizes.size(), -1);
        emulated executor;
        run(executor, seed<follow_ring>(0), follow_ring{ring_bytes, count, sizes.data(), begins.data(), begun.data()});
        for (int i = 0; i < count; ++i) {
            auto const at = [&](int k) { return static_cast<std::size_t>(k); };
            ASSERT_GT(begun[at(i)], i);
            ASSERT_LE(begun[at(i)], std::min(count, i + staged_leaves));
            std::vector<int> owner(at(ring_bytes), -1);  // byte by byte
            for (int k = i; k < begun[at(i)]; ++k) {
                ASSERT_LE(begins[at(k)] + sizes[at(k)], ring_bytes);
                for (int b = 0; b < sizes[at(k)]; ++b) {
                    ASSERT_EQ(owner[at(begins[at(k)] + b)], -1) << "leaves " << i << " to " << k;
                    owner[at(begins[at(k)] + b)] = k;
                }
            }
            if (begun[at(i)] == std::min(count, i + staged_leaves) || sizes[at(i)] == 0) continue;
            // The next one has room neither behind the last one nor at the ring's begin.
            int const wanted = sizes[at(begun[at(i)])], last = begun[at(i)] - 1;
            int const end = begins[at(last)] + sizes[at(last)];
            bool const fits_behind = end + wanted <= ring_bytes &&
                                     std::count(owner.begin() + end, owner.begin() + end + wanted, -1) == wanted;
            bool const fits_at_begin =
                end + wanted > ring_bytes && std::count(owner.begin(), owner.begin() + wanted, -1) == wanted;
            EXPECT_FALSE(fits_behind || fits_at_begin) << "item " << i;
        }
    }
}

// Staged or not, by a warp or by a block, results may have the same bits: so what is chosen is asked of the choice.
TEST(replay_staged, is_the_task_that_was_chosen) {
    emulated executor;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, generate<double>("poisson2d:20")));
    std::vector<double> const x(400);
    std::vector<double> y(400);
    detail::placed_on_emulated<double, double> const ready(executor, "spmv", 1.0, plan, x, 0.0, y);
    auto const writer = detail::writer_of(ready.product, detail::no_epilogue(), nullptr);
    auto const chosen = [&]<bool may_stage>(std::bool_constant<may_stage>, detail::replay_choices const& choices) {
        std::pair<plan_staging, int> taken;
        detail::with_part_task<may_stage, double, double>(ready, writer, choices, [&]<class Task>(Task const&) {
            using none = detail::no_epilogue;
            taken.first = std::is_same_v<Task, detail::replay_staged_task<double, double, none, true>>
                              ? plan_staging::leaves_and_x
                          : std::is_same_v<Task, detail::replay_staged_task<double, double, none, false>>
                              ? plan_staging::leaves
                              : plan_staging::none;
            taken.second = Task::width;
        });
        return taken;
    };
    for (auto staged : {plan_staging::none, plan_staging::leaves, plan_staging::leaves_and_x}) {
        EXPECT_EQ(chosen(std::true_type(), {.staged = staged}), std::pair(staged, 32));
        EXPECT_EQ(chosen(std::false_type(), {.staged = staged}), std::pair(plan_staging::none, 32));
    }
    EXPECT_EQ(chosen(std::true_type(), {.by_blocks = true}), std::pair(plan_staging::none, block_threads));
    EXPECT_EQ(chosen(std::false_type(), {.by_blocks = true}), std::pair(plan_staging::none, 32));
}

}  // namespace
}  // namespace copse::tests
