// Products of the flat formats, measured.
#pragma once

#include <functional>
#include <string>

#include "bench/harness/competitors.hpp"
#include "bench/harness/flat_formats.hpp"

namespace copse::bench::measure {

/// Makes a competitor for a product with the one matrix that it holds, converted, in either direction.
template <class T>
using flat_entrant = std::function<competitor<T>(problem<T> const& what)>;

/// `a`, whose name is `matrix`, in `format`, one of flat_format_names; with `by_plan` a plan for it, whose bytes and
/// seconds the records then have. `where` and problem.v must outlive the competitors. Throws what the format's
/// conversion throws, and error when memory runs out.
template <class T>
flat_entrant<T> make_flat_entrant(target& where, std::string const& matrix, csr<T> const& a, std::string const& format,
                                  bool by_plan, flat_options const& options = {});

}  // namespace copse::bench::measure
