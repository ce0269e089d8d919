// Scratch memory that a task function asks for and its task does not have: the same words from all executors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace copse::detail {

/// bytes: what was asked for. taken: what open tiles have.
std::string exceeded_scratch(std::int64_t bytes, std::int64_t scratch_bytes, std::int64_t taken);

/// Throws worker_misuse, which names the task.
[[noreturn]] void throw_misuse(std::string const& task, std::string const& what);

}  // namespace copse::detail
