// An operation as the library has them: declared for plain C++, compiled once without -rdc=true.
#pragma once

#include <copse/runtime/gpu.hpp>
#include <cstdint>

namespace copse::tests {

/// The leaves of a complete tree, counted by tasks: children^height.
std::int64_t count_tree(gpu& executor, int children, int height);

}  // namespace copse::tests
