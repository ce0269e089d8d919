// What a sum reserves and what it takes of it, seen from its memory.
#pragma once

#include <gtest/gtest.h>

#include <copse/algebra/add.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <runtime/forwarding_memory.hpp>

namespace copse::tests {

/// The host's, which remembers what a sum's notes said at its end, whose loops the last piece was for, and whether
/// somebody wrote behind a piece that was given back.
class observed_memory : public forwarding_memory {
  public:
    void* allocate(std::size_t bytes) override {
        last_team = detail::loop_team::current();
        auto* const p = static_cast<std::byte*>(forwarding_memory::allocate(bytes + behind));
        std::memset(p + bytes, untouched, behind);
        sizes_[p] = bytes;
        if (bytes == sizeof notes && !notes_there_) notes_there_ = p;
        return p;
    }
    void deallocate(void* p) noexcept override {
        if (auto const piece = sizes_.find(static_cast<std::byte*>(p)); piece != sizes_.end()) {
            for (std::size_t i = 0; i < behind; ++i)
                overrun |= std::to_integer<int>(piece->first[piece->second + i]) != untouched;
            if (p == notes_there_) std::memcpy(&notes, p, sizeof notes);
            sizes_.erase(piece);
        }
        forwarding_memory::deallocate(p);
    }

    detail::sum_notes notes;
    detail::thread_team* last_team = nullptr;
    bool overrun = false;

  private:
    static constexpr std::size_t behind = 256;
    static constexpr int untouched = 0xa5;

    std::map<std::byte*, std::size_t> sizes_;
    void* notes_there_ = nullptr;  // the first piece of their size
};

/// Bytes that were reserved for a sum and not used; of tables in lanes, as a CPU's threads have workspaces.
struct bytes_left {
    std::int64_t of_nodes;
    std::int64_t of_tables;
    bool overrun;
    bool none_missing() const { return of_nodes >= 0 && of_tables >= 0 && !overrun; }
};

inline cpu with_memory(cpu const& executor, std::shared_ptr<memory> const& memory) {
    return cpu(executor.threads(), memory);
}
inline emulated with_memory(emulated const& executor, std::shared_ptr<memory> const& memory) {
    emulated_options options = executor.options();
    options.memory = options.temporary = memory;
    return emulated(options);
}

/// Of alpha A + 2 B, where an executor like this one does the work.
template <class T, class Executor>
bytes_left left_by_sum(Executor& executor, T alpha, hisparse<T> const& a, hisparse<T> const& b) {
    auto const memory = std::make_shared<observed_memory>();
    auto on = with_memory(executor, memory);
    add(on, alpha, a, T(2), b);
    detail::sum_notes const& used = memory->notes;
    EXPECT_GT(used.node_bytes, 0u);
    return {detail::node_bytes_bound<T>(a.census(), b.census()) - static_cast<std::int64_t>(used.node_bytes),
            detail::table_bytes_bound<T>(a.census(), b.census(), a.node_dimension()) -
                static_cast<std::int64_t>(used.table_bytes),
            memory->overrun};
}

}  // namespace copse::tests
