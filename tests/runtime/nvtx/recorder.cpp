#include <nvtx3/nvToolsExt.h>

#include <map>
#include <mutex>
#include <runtime/nvtx/recorder.hpp>
#include <thread>

namespace copse::tests {
namespace {

/// What nvtxDomainHandle_t points to.
struct domain {
    std::string name;
    std::map<std::uint32_t, std::string> categories;
};

struct recorder {
    std::mutex mutex;
    recorded_ranges all;
    std::map<std::thread::id, std::vector<std::size_t>> open;
};

recorder& own() {
    static recorder one;
    return one;
}

nvtxDomainHandle_t NVTX_API create(char const* name) {
    return reinterpret_cast<nvtxDomainHandle_t>(new domain{name, {}});  // lives as long as the process
}

void NVTX_API name_category(nvtxDomainHandle_t handle, std::uint32_t number, char const* name) {
    std::scoped_lock const lock(own().mutex);
    reinterpret_cast<domain*>(handle)->categories[number] = name;
}

int NVTX_API push(nvtxDomainHandle_t handle, nvtxEventAttributes_t const* e) {
    std::scoped_lock const lock(own().mutex);
    auto const id = std::this_thread::get_id();
    auto& open = own().open[id];
    auto* const of = reinterpret_cast<domain*>(handle);
    bool const has_count = e->payloadType == NVTX_PAYLOAD_TYPE_INT64;
    own().all.ranges.push_back({of->name, of->categories[e->category], e->message.ascii,
                                has_count ? e->payload.llValue : -1, std::hash<std::thread::id>()(id),
                                static_cast<int>(open.size()), false});
    open.push_back(own().all.ranges.size() - 1);
    return static_cast<int>(open.size()) - 1;
}

int NVTX_API pop(nvtxDomainHandle_t) {
    std::scoped_lock const lock(own().mutex);
    auto& open = own().open[std::this_thread::get_id()];
    if (open.empty()) return ++own().all.pops_without_push, -1;
    own().all.ranges[open.back()].closed = true;
    open.pop_back();
    return static_cast<int>(open.size());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) recorded_ranges* copse_take_recorded() {
    static recorded_ranges taken;
    std::scoped_lock const lock(own().mutex);
    taken = std::move(own().all);
    own().all = {};
    own().open.clear();
    return &taken;
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
    auto const* const callbacks = static_cast<NvtxExportTableCallbacks const*>(table_of(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
    auto const set = [&](int place, auto* function) {
        *table[place] = reinterpret_cast<NvtxFunctionPointer>(function);
    };
    set(NVTX_CBID_CORE2_DomainCreateA, &create);
    set(NVTX_CBID_CORE2_DomainNameCategoryA, &name_category);
    set(NVTX_CBID_CORE2_DomainRangePushEx, &push);
    set(NVTX_CBID_CORE2_DomainRangePop, &pop);
    return 1;
}

}  // namespace copse::tests
