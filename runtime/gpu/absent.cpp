// The gpu executor of a library that was built without a CUDA toolkit: there is none, and it says so.
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>

namespace copse {
namespace detail {

class gpu_state {};

}  // namespace detail

namespace {

char const* const reason =
    "no GPU can be used: copse was built without GPU code; install a CUDA toolkit, 13.0 or newer, configure with "
    "-DCOPSE_CUDA=ON and build it again, or use copse::cpu";

}  // namespace

gpu::gpu(gpu_options const& options) : options_(options) {
    throw cuda_error(reason);
}
gpu::gpu(gpu&&) noexcept = default;
gpu& gpu::operator=(gpu&&) noexcept = default;
gpu::~gpu() = default;

bool gpu::usable(std::string* why, int) {
    if (why) *why = reason;
    return false;
}

void* gpu::stream() const {
    return nullptr;
}
void gpu::release_workspace() {}
std::int64_t gpu::peak_bytes() const {
    return 0;
}
std::int64_t gpu::restart_peak() {
    return 0;
}

}  // namespace copse
