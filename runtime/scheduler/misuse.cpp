#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/misuse.hpp>

namespace copse::detail {

std::string exceeded_scratch(std::int64_t bytes, std::int64_t scratch_bytes, std::int64_t taken) {
    return std::to_string(bytes) + " bytes of scratch are asked for, but the task's scratch_bytes is " +
           std::to_string(scratch_bytes) +
           (taken > 0 ? ", of which open tiles have " + std::to_string(taken) : std::string()) +
           (bytes < 0 ? std::string()
                      : "; give the task scratch_bytes = " + std::to_string(bytes + taken) + " or more");
}

void throw_misuse(std::string const& task, std::string const& what) {
    throw worker_misuse("task '" + task + "': " + what);
}

}  // namespace copse::detail
