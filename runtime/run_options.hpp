// The options of a run: how many items its queues hold.
#pragma once

#include <cstdint>
#include <map>
#include <typeindex>

namespace copse {

struct queue_capacity {
    std::int64_t items = std::int64_t{1} << 18;
    std::int64_t spill = 0;
    std::int64_t ranges = 256;
};

/// Queues hold 2^18 items, and take 256 ranges per run, unless told otherwise:
///     copse::run(cpu, copse::run_options().capacity<visit>(1'000'000), seeds, visit{...});
class run_options {
  public:
    /// Lets Task's queue hold at least `items` + `spill` waiting items at once, and take `ranges` ranges in all.
    template <class Task>
    run_options& capacity(std::int64_t items, std::int64_t spill = 0, std::int64_t ranges = 256) {
        capacities_[typeid(Task)] = {items, spill, ranges};
        return *this;
    }
    template <class Task>
    queue_capacity of() const {
        auto const found = capacities_.find(typeid(Task));
        return found == capacities_.end() ? queue_capacity{} : found->second;
    }

  private:
    std::map<std::type_index, queue_capacity> capacities_;
};

}  // namespace copse
