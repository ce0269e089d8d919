#include <copse/runtime/trace/nvtx.hpp>

#ifdef COPSE_HAS_NVTX

#include <nvtx3/nvToolsExt.h>

namespace copse {
namespace {

nvtxDomainHandle_t make_domain() noexcept {
    nvtxDomainHandle_t const made = nvtxDomainCreateA("copse");
    if (made == nullptr) return made;
    nvtxDomainNameCategoryA(made, static_cast<std::uint32_t>(nvtx_room::runtime), "runtime");
    nvtxDomainNameCategoryA(made, static_cast<std::uint32_t>(nvtx_room::formats), "formats");
    nvtxDomainNameCategoryA(made, static_cast<std::uint32_t>(nvtx_room::algebra), "algebra");
    return made;
}

/// Null without a tool: NVTX looks for one at the first call.
nvtxDomainHandle_t domain() noexcept {
    static nvtxDomainHandle_t const handle = make_domain();
    return handle;
}

void push(nvtx_room room, char const* name, std::int64_t const* count) noexcept {
    if (domain() == nullptr) return;
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = static_cast<std::uint32_t>(room);
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    if (count != nullptr) {
        attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
        attributes.payload.llValue = *count;
    }
    nvtxDomainRangePushEx(domain(), &attributes);
}

}  // namespace

nvtx_range::nvtx_range(nvtx_room room, char const* name) noexcept {
    push(room, name, nullptr);
}
nvtx_range::nvtx_range(nvtx_room room, char const* name, std::int64_t count) noexcept {
    push(room, name, &count);
}
nvtx_range::~nvtx_range() {
    if (domain() != nullptr) nvtxDomainRangePop(domain());
}
bool nvtx_range::is_seen() noexcept {
    return domain() != nullptr;
}

}  // namespace copse

#else

namespace copse {

nvtx_range::nvtx_range(nvtx_room, char const*) noexcept {}
nvtx_range::nvtx_range(nvtx_room, char const*, std::int64_t) noexcept {}
nvtx_range::~nvtx_range() = default;
bool nvtx_range::is_seen() noexcept {
    return false;
}

}  // namespace copse

#endif
