// What CMRS's paper expects of a product on a GPU (Koza et al., §5, §6.4): bytes moved, and the gain over a warp per
// row.
#pragma once

#include <cstdint>

namespace copse {

/// A matrix in strips, as the model sees it.
struct cmrs_model {
    double height;               // h, rows of a strip
    double row_entries;          // mu, entries per row on average
    std::int64_t value_bytes;    // b: 4 or 8
    std::int64_t segment_bytes;  // lambda: what the memory moves at once; 128 by the vendor, 256 fits Kepler's doubles

    /// (5.1)  f(h, mu) = 1 + (lambda - b) / (h mu b): bytes moved for each byte asked for.
    constexpr double bytes_per_byte() const noexcept {
        return 1 + static_cast<double>(segment_bytes - value_bytes) /
                       (height * row_entries * static_cast<double>(value_bytes));
    }
    /// (5.2)  a(h, mu) = f(1, mu) / f(h, mu) ~ 1 + (h - 1) / (1 + h mu b / lambda): how many times as fast as a warp
    /// for each row of CSR. The approximation, which the paper's figures draw.
    constexpr double speedup() const noexcept {
        double const b = static_cast<double>(value_bytes), lambda = static_cast<double>(segment_bytes);
        return 1 + (height - 1) / (1 + height * row_entries * b / lambda);
    }
};

/// A product as measured, for (6.1) and (6.2).
struct cmrs_traffic {
    std::int64_t row_count;
    std::int64_t entry_count;
    std::int64_t strip_count;
    std::int64_t value_bytes;

    /// (6.1)  beta-: every entry fetches its element of x from memory.
    constexpr std::int64_t most_bytes() const noexcept {
        return (2 * value_bytes + index_bytes) * entry_count + index_bytes * strip_count + value_bytes * row_count;
    }
    /// (6.1)  beta+: x comes from memory once; what the matrix and the vectors take.
    constexpr std::int64_t least_bytes() const noexcept {
        return (value_bytes + index_bytes) * entry_count + index_bytes * strip_count + 2 * value_bytes * row_count;
    }
    /// (6.2)  eta-: at least 1 where caches hold x well. bytes_per_second: of the memory, by its data sheet.
    constexpr double most_efficiency(double seconds, double bytes_per_second) const noexcept {
        return static_cast<double>(most_bytes()) / seconds / bytes_per_second;
    }
    /// (6.2)  eta+: at most 1.
    constexpr double least_efficiency(double seconds, double bytes_per_second) const noexcept {
        return static_cast<double>(least_bytes()) / seconds / bytes_per_second;
    }

  private:
    static constexpr std::int64_t index_bytes = 4;  // s_i of the paper, whose offsets are as long as its indices
};

}  // namespace copse
