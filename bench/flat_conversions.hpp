// Conversions from CSR to the flat formats and back in host memory, checked and timed in units of one product.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/timing.hpp"

namespace copse::bench {

struct flat_conversion {
    std::string matrix;
    std::string type;
    std::string way;  // format, order, and whether in place: "cmrs sorted in place"
    std::int64_t entries = 0;
    std::int64_t bytes = 0;  // in the format
    int threads = 0;
    timing product;  // y <- A x by a plan for CSR: the unit
    timing there;
    timing back;
    std::string refusal;  // why the format does not take the matrix: there are no times then

    double products_there() const { return there.median / product.median; }
    double products_back() const { return back.median / product.median; }
};

/// In place: from a csr_matrix whose arrays nobody shares, which the conversion takes; and back in the same way. Throws
/// error where what comes back is not what went in, or where what should be in place is a copy.
template <class T>
std::vector<flat_conversion> measure_flat_conversions(cpu& executor, std::string const& name, csr<T> const& rows,
                                                      int repeats);

/// One line for people, without the line feed.
std::string text_of(flat_conversion const& c);
std::string json_line(flat_conversion const& c);

/// Markdown. For each matrix, products there and back in each way. Below, medians, and how many matrices meet the goal: there
/// CSR5 in 4, SELL-P in 12, CMRS without an order in 2. `all`: some matrices, each in all ways.
std::string flat_conversion_table(std::vector<flat_conversion> const& all);

}  // namespace copse::bench
