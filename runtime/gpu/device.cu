// What copse::device holds even without any operation: the word that it is linked.
#include <copse/runtime/gpu/controller_registry.hpp>

extern "C" {
int copse_anchor_runtime_gpu_device = 0;  // what the link line asks for, so that this file is taken out of its archive
}

namespace {

[[maybe_unused]] bool const linked = copse::detail::device_target_linked = true;

}  // namespace
