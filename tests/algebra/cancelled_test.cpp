// Operations of which a stop is requested before they begin, and at each of their allocations in turn: they throw
// `cancelled` or come to their end, leave nothing behind, and do their work when they are called again.
#include <gtest/gtest.h>

#include <atomic>
#include <copse/algebra/add.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <runtime/forwarding_memory.hpp>
#include <stop_token>
#include <vector>

namespace copse::tests {
namespace {

/// The host's, which requests a stop at an allocation.
class stopping_memory final : public forwarding_memory {
  public:
    void* allocate(std::size_t bytes) override {
        if (left_-- == 0) source.request_stop();
        in_use_ += bytes > 0;
        return forwarding_memory::allocate(bytes);
    }
    void deallocate(void* p) noexcept override {
        in_use_ -= p != nullptr;
        forwarding_memory::deallocate(p);
    }
    /// allocation < 0: at once.
    void stop_at(int allocation) {
        source = {};
        left_ = allocation;
        if (allocation < 0) source.request_stop();
    }
    bool has_stopped() const { return left_ < 0; }
    int in_use() const { return in_use_; }

    std::stop_source source;

  private:
    std::atomic<int> left_ = -1;
    std::atomic<int> in_use_ = 0;
};

/// Calls work() with a stop at once, and at its allocation 0, 1, ... until one call makes fewer. Returns how many calls
/// were cancelled.
template <class Work>
int calls_cancelled(stopping_memory& memory, Work const& work) {
    work();  // what a matrix keeps from then on is there
    int const in_use = memory.in_use();
    int count = 0;
    for (int allocation = -1;; ++allocation) {
        memory.stop_at(allocation);
        {
            cancellable const scope(memory.source.get_token());
            try {
                work();
            } catch (cancelled const&) {
                ++count;
            }
        }
        EXPECT_EQ(memory.in_use(), in_use) << "a stop at allocation " << allocation;
        if (allocation >= 0 && !memory.has_stopped()) return count;
    }
}

TEST(cancelled, operations_leave_nothing_behind) {
    auto const memory = std::make_shared<stopping_memory>();
    cpu executor(2, memory);
    coo<double> const entries = generate<double>("uniform:900,10");
    csr<double> const rows = to_csr(entries);
    hisparse<double> const a(executor, entries), b = transposed(a);
    csr<double> const sum = to_csr(add(executor, 1.0, a, 2.0, b));
    std::vector<double> const values(static_cast<std::size_t>(a.entry_count()), 3.0);
    sum_plan<double> const plan(executor, a, b);
    std::optional<hisparse<double>> const kept = add(executor, plan, 1.0, a, 1.0, b);  // the plan has no other to write

    EXPECT_GT(calls_cancelled(*memory, [&] { hisparse<double>(executor, entries); }), 0);
    EXPECT_GT(calls_cancelled(*memory, [&] { hisparse<double>(executor, rows); }), 0);
    EXPECT_GT(calls_cancelled(*memory, [&] { csr5<double>(executor, rows); }), 0);
    EXPECT_GT(calls_cancelled(*memory, [&] { add(executor, 1.0, a, 2.0, b); }), 1);
    EXPECT_GT(calls_cancelled(*memory, [&] { with_values(executor, a, values); }), 1);
    EXPECT_GT(calls_cancelled(*memory, [&] { prune(executor, a); }), 1);
    EXPECT_GT(calls_cancelled(*memory, [&] { spmv_plan<double>(executor, a); }), 1);
    EXPECT_GT(calls_cancelled(*memory, [&] { sum_plan<double>(executor, a, b); }), 1);
    EXPECT_GT(calls_cancelled(*memory, [&] { add(executor, plan, 1.0, a, 2.0, b); }), 1);

    EXPECT_EQ(to_csr(add(executor, 1.0, hisparse<double>(executor, entries), 2.0, b)).values, sum.values);
    EXPECT_EQ(to_csr(add(executor, plan, 1.0, a, 2.0, b)).values, sum.values);
}

}  // namespace
}  // namespace copse::tests
