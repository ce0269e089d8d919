#include <copse/runtime/scheduler/misuse.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>

namespace copse::detail {

void throw_failure(failure_record const& failure, std::string const& queue) {
    switch (failure.kind) {
        case failure_kind::queue_full:
            throw queue_full(queue, failure.capacity, failure.items);
        case failure_kind::task_failed:
            throw task_error(queue, failure.code);
        case failure_kind::scratch_exceeded:
            throw_misuse(queue, exceeded_scratch(failure.code, failure.capacity, failure.items));
        case failure_kind::launch_failed:
            throw cuda_error("the controller could not launch a kernel for queue '" + queue + "': CUDA error " +
                             std::to_string(failure.code));
        case failure_kind::stalled:
            throw stalled("a kernel launched for queue '" + queue +
                          "' did not start, and no item of the run came or went, for " + std::to_string(failure.code) +
                          " ms; if other work keeps the GPU busy, set a longer stall_seconds");
        case failure_kind::cancelled:
            throw cancelled();
        case failure_kind::none:
            break;
    }
    throw error("queue '" + queue + "': the run failed and gave no reason; this is a defect of copse: report it");
}

}  // namespace copse::detail
