// Products of one kind against each other: checked, and timed in turn.
#pragma once

#include <memory>
#include <vector>

#include "cli/measurement.hpp"
#include "cli/product.hpp"

namespace copse::measure {

template <class T>
struct competitor {
    measurement record;
    std::unique_ptr<product<T>> what;
};

/// Each competitor runs once, then each in turn for `repeats` rounds, so that whatever else the machine does meets all
/// of them. Every result is checked; who is wrong does not run again. Fills in the records' seconds and errors.
/// Throws what the products throw.
template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, expectation<T> const& expected, int repeats);

/// The p-quantile of a sorted list that is not empty, 0 <= p <= 1: linear between neighbours.
double quantile(std::vector<double> const& sorted, double p);

}  // namespace copse::measure
