// A table by block column that costs only what is used of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace copse::detail {

/// Block column -> a number, 0 at first, for one block row at a time. As long as the matrix is wide, but only touched
/// pages take memory.
class column_block_map {
  public:
    explicit column_block_map(std::int64_t blocks)
        : numbers_(
              static_cast<std::uint32_t*>(std::calloc(static_cast<std::size_t>(blocks) + 1, sizeof(std::uint32_t)))) {
        if (!numbers_) throw std::bad_alloc();
    }
    ~column_block_map() { std::free(numbers_); }
    column_block_map(column_block_map&& other) noexcept : numbers_(other.numbers_) { other.numbers_ = nullptr; }
    column_block_map& operator=(column_block_map const&) = delete;

    std::uint32_t& operator[](std::int64_t block) { return numbers_[block]; }
    std::uint32_t* data() { return numbers_; }

  private:
    std::uint32_t* numbers_;
};

}  // namespace copse::detail
