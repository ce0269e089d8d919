// What a sum reserves for its tables: as much as they take, and hardly more.
#include <gtest/gtest.h>

#include <algebra/add_suite.hpp>
#include <copse/algebra/add_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace copse::tests {
namespace {

/// The host's, which remembers what the counters of a run said when they were read: the first four numbers of 8 bytes.
class observed_memory : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::host; }
    void* allocate(std::size_t bytes) override { return host_memory()->allocate(bytes); }
    void deallocate(void* p) noexcept override { host_memory()->deallocate(p); }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        std::memcpy(to, from, bytes);
        if (bytes == sizeof counters && counters[0] == 0) std::memcpy(counters, from, bytes);
    }

    std::uint64_t counters[4] = {};
};

/// What is shrunk moves, as a GPU's memory does.
class moving_memory final : public observed_memory {
  public:
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override {
        void* const smaller = allocate(kept);
        std::memcpy(smaller, p, kept);
        std::memset(p, 0xff, bytes);
        deallocate(p);
        return smaller;
    }
};

template <class Executor>
struct observed {
    Executor& executor;
    std::shared_ptr<copse::memory> where = std::make_shared<observed_memory>();

    std::shared_ptr<copse::memory> const& memory() const { return where; }
    auto& team() const requires requires { executor.team(); }
    { return executor.team(); }
};

template <class Executor, class... Of>
run_report run(observed<Executor>& on, Of const&... of_run) {
    return copse::run(on.executor, of_run...);
}

/// Bytes of the bound that A + B leaves, where the executor does the work.
template <class T, class Executor>
std::int64_t bytes_left(Executor& executor, hisparse<T> const& a, hisparse<T> const& b) {
    observed<Executor> on{executor};
    detail::unite<T>(on, T(1), a, T(2), b);
    auto const used = static_cast<observed_memory const&>(*on.where).counters[1];
    EXPECT_GT(used, 0u);
    return detail::table_bytes_bound<T>(a.census(), b.census()) - static_cast<std::int64_t>(used);
}

/// Entries in blocks of their own, `first`, first + 2, ...
template <class T>
hisparse<T> wide_leaf(int count, int first) {
    csr<double> const a =
        to_csr(matrix_where(1, 64 * 64, [=](auto, auto j) { return j % 128 == 64 * first && j < 128 * count; }));
    return hisparse<T>(host_memory(), to_csr(with_values_of<T>(to_coo(a))), {.node_dimension = 64});
}

/// Two wide leaves, which take most for each entry: all their blocks are different.
template <class T>
void check_wide_leaves() {
    cpu core(1);
    emulated lanes;
    for (int count_a : {2, 3, 4, 17})
        for (int count_b : {2, 3, 4, 30}) {
            SCOPED_TRACE(std::to_string(count_a) + " + " + std::to_string(count_b));
            hisparse<T> const a = wide_leaf<T>(count_a, 0), b = wide_leaf<T>(count_b, 1);
            ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
            ASSERT_EQ(b.root().reference.kind(), node_kind::wide);
            EXPECT_GE(bytes_left<T>(core, a, b), 0);
            std::int64_t const left = bytes_left<T>(lanes, a, b);
            EXPECT_GE(left, 0);
            EXPECT_LE(left, 128);
        }
}

TEST(add_memory, suffices_for_wide_leaves) {
    check_wide_leaves<double>();
    check_wide_leaves<float>();
}

TEST(add_memory, suffices_for_nodes_of_all_kinds) {
    cpu core(1);
    emulated lanes;
    csr<double> const thin = to_csr(scattered(300, 300, 150, 4)), far = to_csr(scattered(300, 300, 90, 9));
    csr<double> const thick = to_csr(matrix_where(300, 300, [](auto i, auto j) { return (i + j) % 7 == 0; }));
    for (auto const* other : {&far, &thick})
        for (bool transpose : {false, true}) {
            hisparse<double> const a = stored_as(host_memory(), thin, transpose, 64);
            hisparse<double> const b = stored_as(host_memory(), *other, false, 64);
            EXPECT_GE(bytes_left<double>(core, a, b), 0);
            EXPECT_GE(bytes_left<double>(lanes, a, b), 0);
        }
    hisparse<double> const tall(core, to_csr(scattered(5000, 300000, 3000, 6)), {.node_dimension = 64});
    EXPECT_GE(bytes_left<double>(core, tall, tall), 0);
}

TEST(add_memory, may_move_when_it_shrinks) {
    cpu executor(2);
    auto const sum = [&](auto keep_a, auto keep_b, std::size_t arenas) {
        csr<double> const a = to_csr(matrix_where(512, 512, keep_a)), b = to_csr(matrix_where(512, 512, keep_b));
        observed<cpu> on{executor, std::make_shared<moving_memory>()};
        hisparse<double> const c =
            detail::unite<double>(on, 1, hisparse<double>(executor, a), 1, hisparse<double>(executor, b));
        EXPECT_EQ(c.content()->arenas.size(), arenas);
        expect_sum<double>(c, 1, a, 1, b, std::to_string(arenas) + " arenas");
        expect_sum<double>(add(executor, 1.0, c, 1.0, c), 1, to_csr(to_coo(c)), 1, to_csr(to_coo(c)), "twice");
        std::byte const* own = nullptr;
        c.content()->arena_table.read(c.content()->arenas.front().number, std::span(&own, 1));
        EXPECT_EQ(own, c.content()->arenas.front().memory->data());
    };
    auto const often = [](auto i, auto j) { return (i + j) % 5 == 0; };
    sum([&](auto i, auto j) { return i < 256 && often(i, j); }, [&](auto i, auto j) { return i >= 256 && often(i, j); },
        3);
    auto const common = [&](auto i, auto j) { return i < 128 && j < 128 && often(i, j); };
    sum([&](auto i, auto j) { return common(i, j) || (i == 200 && j < 9); },
        [&](auto i, auto j) { return common(i, j) || (i == 300 && j < 9); }, 1);
}

}  // namespace
}  // namespace copse::tests
