// Products of the flat formats, measured.
#pragma once

#include <string>

#include "cli/competitors.hpp"

namespace copse::measure {

/// The product in `format`, one of flat_formats; with `by_plan` by a plan, whose bytes and seconds the record then has.
/// `where` and problem.v must outlive the competitor. Throws what the format's conversion throws, and error when memory
/// runs out.
template <class T>
competitor<T> flat_competitor(problem<T> const& what, std::string const& format, bool by_plan, target& where);

}  // namespace copse::measure
