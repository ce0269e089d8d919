#include <copse/runtime/buffer.hpp>

#include <gtest/gtest.h>

#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

/// Counts what is allocated and copied.
class counting_memory final : public memory {
  public:
    int allocations = 0;
    int alive = 0;
    std::size_t copied_bytes = 0;
    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override {
        if (bytes == 0) return nullptr;
        ++allocations;
        ++alive;
        return host_memory()->allocate(bytes);
    }
    void deallocate(void* p) noexcept override {
        --alive;
        host_memory()->deallocate(p);
    }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        copied_bytes += bytes;
        host_memory()->copy_from_host(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        copied_bytes += bytes;
        host_memory()->copy_to_host(to, from, bytes);
    }
};

TEST(buffer, takes_values_there_and_back) {
    cpu executor(1);
    buffer<int> const b(executor, std::vector<int>{3, 1, 4});
    EXPECT_EQ(b.size(), 3);
    EXPECT_EQ(b.bytes(), 12u);
    EXPECT_EQ(b.to_host(), (std::vector<int>{3, 1, 4}));
    buffer<double> const empty(executor, std::vector<double>());
    EXPECT_EQ(empty.size(), 0);
    EXPECT_TRUE(empty.to_host().empty());
}

TEST(buffer, refuses_a_negative_size) {
    cpu executor(1);
    EXPECT_THROW(
        {
            try {
                buffer<double> const b(executor, -3, 0.0);
            } catch (argument_error const& e) {
                EXPECT_STREQ(e.what(), "buffer: -3 elements were asked for; give a size of 0 to 1152921504606846975");
                throw;
            }
        },
        argument_error);
    EXPECT_THROW(buffer<double>(executor, -1), argument_error);
    // 2^64 + 8 bytes: a product of 64 bits would say 8.
    EXPECT_THROW(buffer<double>(executor, (std::int64_t{1} << 61) + 1), argument_error);
}

TEST(buffer, refuses_elements_that_it_does_not_have) {
    cpu executor(1);
    buffer<int> b(executor, std::vector<int>{3, 1, 4});
    std::vector<int> two(2);
    for (std::int64_t first : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{4}, INT64_MAX - 1})
        EXPECT_THROW(b.read(first, two), shape_error) << first;
    for (std::int64_t size : {-1, 4}) EXPECT_THROW(b.shrink(size), argument_error) << size;
    EXPECT_EQ(b.to_host(), (std::vector<int>{3, 1, 4}));
    b.shrink(1);
    EXPECT_EQ(b.to_host(), std::vector<int>{3});
}

/// Many elements: all threads fill them.
TEST(buffer, is_filled_with_a_value) {
    cpu executor(3);
    std::int64_t const size = 200'001;
    buffer<double> const b(executor, size, 2.5);
    EXPECT_EQ(b.to_host(), std::vector<double>(static_cast<std::size_t>(size), 2.5));
    EXPECT_EQ((buffer<int>(executor, 0, 1).size()), 0);
    struct {
        std::shared_ptr<counting_memory> where;
        std::shared_ptr<copse::memory> memory() const { return where; }
    } const distant{std::make_shared<counting_memory>()};
    buffer<int> const there(distant, 5, 7);
    EXPECT_EQ(distant.where->copied_bytes, 5 * sizeof(int));
    EXPECT_EQ(there.to_host(), std::vector<int>(5, 7));
}

TEST(buffer, is_read_in_place_where_the_host_can) {
    cpu executor(1);
    buffer<int> const b(executor, std::vector<int>{3, 1, 4});
    EXPECT_EQ(b.on_host().data(), b.data());
    buffer<int> const there(std::make_shared<counting_memory>(), std::span<int const>(std::vector<int>{3, 1, 4}));
    auto const copy = there.on_host();
    EXPECT_NE(copy.data(), there.data());
    EXPECT_EQ(std::vector<int>(copy.begin(), copy.end()), (std::vector<int>{3, 1, 4}));
    EXPECT_EQ(copy[2], 4);
    EXPECT_TRUE(buffer<int>().on_host().empty());
}

TEST(buffer, owns_its_memory_and_moves_it) {
    auto const where = std::make_shared<counting_memory>();
    {
        std::vector<int> const values{1, 2, 3};
        buffer<int> a(where, std::span<int const>(values));
        int* const data = a.data();
        buffer<int> b = std::move(a);
        EXPECT_EQ(b.data(), data);
        EXPECT_EQ(a.size(), 0);  // NOLINT: a moved-from buffer is empty
        EXPECT_EQ(a.data(), nullptr);
        buffer<int> c(where, 100);
        EXPECT_EQ(where->alive, 2);
        c = std::move(b);  // gives back its own
        EXPECT_EQ(where->alive, 1);
        EXPECT_EQ(c.data(), data);
        EXPECT_EQ(c.to_host(), values);
        auto& same = c;
        c = std::move(same);
        EXPECT_EQ(c.to_host(), values);
    }
    EXPECT_EQ(where->alive, 0);
    EXPECT_EQ(where->allocations, 2);
    EXPECT_EQ(where->copied_bytes, 3 * 3 * sizeof(int));
    static_assert(!std::is_copy_constructible_v<buffer<int>>);
}

TEST(buffer, keeps_its_memory_alive) {
    auto where = std::make_shared<counting_memory>();
    std::weak_ptr<counting_memory> const still_there = where;
    buffer<int> b(std::move(where), 10);
    EXPECT_FALSE(still_there.expired());
    b = buffer<int>();
    EXPECT_TRUE(still_there.expired());
}

TEST(vector_view, says_where_its_elements_are) {
    std::vector<float> host{1, 2};
    std::vector<float> const constant{3};
    vector_view<float> const v = host;
    vector_view<float const> const w = v;  // a view of constants from one of variables, and from constants
    vector_view<float const> const c = constant;
    EXPECT_EQ(v.data(), host.data());
    EXPECT_EQ(v.size(), 2);
    EXPECT_EQ(v.space(), memory_space::host);
    EXPECT_EQ(w.data(), host.data());
    EXPECT_EQ(c.data(), constant.data());

    buffer<float> const there(std::make_shared<counting_memory>(), 4);
    vector_view<float const> const view = there;
    EXPECT_EQ(view.space(), memory_space::device);
    EXPECT_EQ(view.size(), 4);
    EXPECT_EQ(vector_view<int>().size(), 0);
}

}  // namespace
}  // namespace copse::tests
