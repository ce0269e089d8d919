#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <string>

namespace copse::detail {

void refuse_without_cuda(char const* operation) {
    throw cuda_error(std::string(operation) + ": copse was built without GPU code; use copse::cpu");
}

}  // namespace copse::detail
