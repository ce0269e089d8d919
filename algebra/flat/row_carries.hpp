// Rows that several items of a product share: each item leaves what it has of the row in a slot, and a later phase adds
// the slots up in order. No atomics, one order of summation.
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// y[row] += factor * (the carries of the row, in order). `carries[0 .. count)` do not descend in `row`, those without
/// a row (-1) aside, and the carries of one row follow one another. An item is 32 carries; a row belongs to the item
/// that has its first one.
template <class T, int Phase>
struct add_carries_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr int phase = Phase;
    static constexpr char const* name = "rows of several items";

    row_carry<T> const* carries;
    std::int64_t count;
    flat_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item block, Worker& w) const {
        for (int lane = 0; lane < 32; lane += w.size()) {
            std::int64_t const first = block * 32 + lane + w.rank();
            bool const begins = begins_row(first);
            // Few carries: the lane adds them itself. A row of more is added by all lanes together.
            T sum = T(0);
            std::int64_t next = first;
            if (begins)
                for (; next < first + few && continues(first, next); ++next) sum += carries[next].sum;
            bool const is_long = begins && next == first + few && continues(first, next);
            if (begins && !is_long) product.y[carries[first].row] += product.factor * sum;
            add_long_rows(first, is_long, w);
        }
    }

    static std::int64_t items(std::int64_t carry_count) { return (carry_count + 31) / 32; }

  private:
    static constexpr int few = 8;

    COPSE_HOST_DEVICE bool begins_row(std::int64_t i) const {
        return i < count && carries[i].row >= 0 && (i == 0 || carries[i - 1].row != carries[i].row);
    }
    COPSE_HOST_DEVICE bool continues(std::int64_t first, std::int64_t i) const {
        return i < count && carries[i].row == carries[first].row;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void add_long_rows(std::int64_t first, bool is_long, Worker& w) const {
        int const any = w.reduce(is_long ? 1 : 0, [](int a, int b) { return a | b; });
        for (int source = 0; any != 0 && source < w.size(); ++source) {
            std::int64_t const begin = w.shuffle(is_long ? first : std::int64_t{-1}, source);
            if (begin >= 0) add_together(begin, w);
        }
    }
    /// Lane k adds up carries k, k + 32, ... of the row.
    template <class Worker>
    COPSE_HOST_DEVICE void add_together(std::int64_t begin, Worker& w) const {
        T own = T(0);
        for (std::int64_t i = begin + w.rank(); continues(begin, i); i += w.size()) own += carries[i].sum;
        T const sum = w.reduce(own, [](T left, T right) { return left + right; });
        if (w.rank() == 0) product.y[carries[begin].row] += product.factor * sum;
    }
};

}  // namespace copse::detail
