#include <copse/runtime/nvtx.hpp>

#ifdef COPSE_HAS_CUDA

#include <nvtx3/nvToolsExt.h>

namespace copse {
namespace {

nvtxDomainHandle_t domain() noexcept {
    static nvtxDomainHandle_t const handle = nvtxDomainCreateA("copse");
    return handle;
}

}  // namespace

nvtx_range::nvtx_range(char const* name) noexcept {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
}

nvtx_range::~nvtx_range() {
    nvtxDomainRangePop(domain());
}

}  // namespace copse

#else

namespace copse {

nvtx_range::nvtx_range(char const*) noexcept {}
nvtx_range::~nvtx_range() = default;

}  // namespace copse

#endif
