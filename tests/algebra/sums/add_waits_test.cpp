// How often a sum waits for its device: for a run, for a copy to the host, for a copy from there that others than the
// executor's own work may read.
#include <gtest/gtest.h>

#include <algebra/sums/add_pairs.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/trace.hpp>
#include <cstddef>
#include <memory>
#include <runtime/forwarding_memory.hpp>

namespace copse::tests {
namespace {

/// A GPU's memory, pretended in the host's, which counts who waits for it. What is sent to temporary memory comes in
/// the order of the stream.
class awaited_memory final : public forwarding_memory {
  public:
    explicit awaited_memory(bool temporary) : temporary_(temporary) {}

    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        waits += temporary_ ? 0 : 1;
        forwarding_memory::copy_from_host(to, from, bytes);
    }
    void send_from_host(void* to, void const* from, std::size_t bytes) override {
        forwarding_memory::copy_from_host(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        ++waits;
        forwarding_memory::copy_to_host(to, from, bytes);
    }

    int waits = 0;

  private:
    bool temporary_;
};

struct sum_waits {
    int for_runs;
    int for_copies;
};

template <class T>
void expect_waits(sum_waits const& expected, T alpha, hisparse<T> const& a, T beta, hisparse<T> const& b) {
    auto const own = std::make_shared<awaited_memory>(false), in_between = std::make_shared<awaited_memory>(true);
    emulated lanes({.seed = 5, .memory = own, .temporary = in_between});
    trace runs({.records = 0, .samples = 0});
    {
        tracing const here(runs);
        add(lanes, alpha, a, beta, b);
    }
    EXPECT_EQ(static_cast<int>(runs.runs().size()), expected.for_runs);
    EXPECT_EQ(own->waits + in_between->waits, expected.for_copies);
}

hisparse<double> small_nodes(coo<double> const& a) {
    return hisparse<double>(host_memory(), a, {.node_dimension = 64, .values = stored_values::each});
}

bool in_fifths(std::int64_t i, std::int64_t j) {
    return (i + j) % 5 == 0;
}

// One run is all that a sum waits for.
TEST(add_waits, are_one) {
    hisparse<double> const all = small_nodes(matrix_where(512, 512, in_fifths));
    hisparse<double> const above =
        small_nodes(matrix_where(512, 512, [](auto i, auto j) { return i < 256 && in_fifths(i, j); }));
    hisparse<double> const wide = small_nodes(blocks_of(8, 64, 1, 1, 4096));
    expect_waits({1, 0}, 1.0, all, 1.0, all);
    expect_waits({1, 0}, 1.0, all, 1.0, above);
    expect_waits({1, 0}, 3.0, all, 1.0, above);
    expect_waits({1, 0}, 3.0, wide, 1.0, wide);
}

TEST(add_waits, are_more_where_nodes_move) {
    auto const few = [&](int row) {
        return small_nodes(matrix_where(
            512, 512, [&](auto i, auto j) { return (i < 128 && j < 128 && in_fifths(i, j)) || (i == row && j < 9); }));
    };
    expect_waits({2, 0}, 1.0, few(200), 1.0, few(300));
    // A wide leaf in the root's place: moved, its head read, and the table of arenas has another address.
    auto const one_entry = [](std::int32_t row) { return small_nodes({4096, 4096, {row}, {200}, {1.0}}); };
    expect_waits({2, 2}, 1.0, one_entry(5), 1.0, one_entry(500));
    // Factors below 1 that come out of the sum: values may be too large without them.
    hisparse<double> const all = small_nodes(matrix_where(512, 512, in_fifths));
    expect_waits({2, 0}, 0.5, all, 0.5, all);
}

}  // namespace
}  // namespace copse::tests
