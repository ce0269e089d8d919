// What functions for elements return, summed over the pieces of a product, and in the pieces' order in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

namespace copse::detail {

/// Where the sum of each piece goes: Result*, or nullptr_t if there is none.
template <class Result>
using result_pointer = std::conditional_t<std::is_void_v<Result>, std::nullptr_t, std::add_pointer_t<Result>>;

template <class Result>
class sums_of_pieces {
  public:
    explicit sums_of_pieces(std::int64_t most) : sums_(static_cast<std::size_t>(most)) {}
    /// Of f(first) .. f(last - 1). For one piece, by one thread.
    template <class F>
    void add(std::int64_t piece, std::int64_t first, std::int64_t last, F f) {
        Result sum{};
        for (std::int64_t i = first; i < last; ++i) sum += f(i);
        sums_[static_cast<std::size_t>(piece)] = sum;
    }
    result_pointer<Result> data() { return sums_.data(); }
    Result total() const {
        Result sum{};
        for (Result const& piece : sums_) sum += piece;
        return sum;
    }

  private:
    std::vector<Result> sums_;
};
template <>
class sums_of_pieces<void> {
  public:
    explicit sums_of_pieces(std::int64_t) {}
    template <class F>
    void add(std::int64_t, std::int64_t first, std::int64_t last, F f) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    }
    std::nullptr_t data() { return nullptr; }
    std::monostate total() const { return {}; }
};

}  // namespace copse::detail
