// The entries of a leaf of d x d by their positions, on one core: for pairs of leaves that cannot be merged, because
// they are of two kinds, or one of them is stored transposed. A search in a leaf takes several steps; here it is a
// load.
#pragma once

#include <copse/formats/leaves/leaf_order.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace copse::detail {

/// A thread has at most one, is_there(). d * d numbers of two bytes, which are zero between two tables, and what the
/// entries need.
template <class T>
class leaf_table {
  public:
    static constexpr int most_entries = 65535;

    /// Whether the thread has one: what is called with pairs of entries may be pairing others.
    static bool is_there() { return of_this_thread().is_taken; }

    explicit leaf_table(leaf_order order) : order_(order), memory_(of_this_thread()) {
        std::size_t const positions = std::size_t{1} << (2 * order.dimension_log2);
        if (memory_.numbers.size() < positions) {
            memory_.positions = std::make_unique_for_overwrite<std::uint16_t[]>(positions);
            memory_.values = std::make_unique_for_overwrite<T[]>(positions);
            memory_.numbers.resize(positions);
        }
        memory_.is_taken = true;
    }
    leaf_table(leaf_table const&) = delete;
    leaf_table& operator=(leaf_table const&) = delete;
    ~leaf_table() {
        memory_.is_taken = false;
        for (int k = 0; k < count_; ++k) memory_.numbers[memory_.positions[k]] = 0;
    }

    void insert(int row, int column, T value) {
        int const position = order_.position(row, column);
        memory_.positions[count_] = static_cast<std::uint16_t>(position);
        memory_.values[count_++] = value;
        memory_.numbers[static_cast<std::size_t>(position)] = static_cast<std::uint16_t>(count_);
    }
    /// The value, null where there is no entry; takes the entry out.
    T const* take(int row, int column) {
        std::uint16_t& number = memory_.numbers[static_cast<std::size_t>(order_.position(row, column))];
        T const* const value = number == 0 ? nullptr : &memory_.values[number - 1];
        number = 0;
        return value;
    }
    /// f(row, column, value) for the entries that were not taken.
    template <class F>
    void for_each_left(F f) const {
        for (int k = 0; k < count_; ++k)
            if (int const position = memory_.positions[k]; memory_.numbers[static_cast<std::size_t>(position)] != 0)
                f(order_.row(position), order_.column(position), memory_.values[k]);
    }

  private:
    struct memory {
        std::vector<std::uint16_t> numbers;  // by position: an entry's number, from 1
        std::unique_ptr<std::uint16_t[]> positions;
        std::unique_ptr<T[]> values;
        bool is_taken = false;
    };
    static memory& of_this_thread() {
        static thread_local memory instance;
        return instance;
    }

    leaf_order order_;
    memory& memory_;
    int count_ = 0;
};

}  // namespace copse::detail
