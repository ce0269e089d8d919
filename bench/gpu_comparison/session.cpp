#include "bench/gpu_comparison/session.hpp"

#include <fmt/format.h>

#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/machine.hpp"

namespace copse::bench {
namespace {

std::string cuda_version(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

gpu_session describe_session(gpu const& executor) {
    auto const where = this_machine();
    auto const& p = executor.properties();
    int driver = 0, runtime = 0;
    COPSE_CUDA_TRY(cudaDriverGetVersion(&driver));
    COPSE_CUDA_TRY(cudaRuntimeGetVersion(&runtime));
    gpu_session session;
    session.date = where.date;
    session.commit = where.commit;
    session.gpu = p.name;
    session.compute_capability = p.compute_capability;
    session.multiprocessors = p.multiprocessor_count;
    session.l2_bytes = p.l2_bytes;
    session.driver = cuda_version(driver);
    session.runtime = cuda_version(runtime);
    return session;
}

std::string cusparse_version(cusparse_library const& library) {
    cusparseHandle_t handle = nullptr;
    int version = 0;
    if (auto const status = library.create(&handle); status != CUSPARSE_STATUS_SUCCESS)
        throw cuda_error(fmt::format("cusparseCreate: {}", library.error_string(status)));
    library.version(handle, &version);
    library.destroy(handle);
    return fmt::format("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
}

}  // namespace copse::bench
