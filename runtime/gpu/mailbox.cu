#include <algorithm>
#include <copse/runtime/gpu/access.cuh>
#include <copse/runtime/gpu/mailbox.cuh>

namespace copse::detail {
namespace {

/// One block; a thread per queue.
template <class Run>
__global__ void __launch_bounds__(most_gpu_tasks) look_kernel(__grid_constant__ Run const run, run_mailbox* mailbox) {
    int const i = static_cast<int>(threadIdx.x);
    if (i < run.queue_count) mailbox->fill[i] = run.queues[i].open_fill(*run.control);
    if (i == 0) mailbox->finished = run.control->finished() || run.control->stopped();
    if (i == 0) mailbox->nanoseconds = nanoseconds();
}

/// One block; a thread per queue.
template <class Run>
__global__ void __launch_bounds__(most_gpu_tasks)
    collect_kernel(__grid_constant__ Run const run, run_mailbox* mailbox) {
    int const i = static_cast<int>(threadIdx.x);
    if (i < run.queue_count) mailbox->figures[i] = run.queues[i].levels.figures();
    if (i == 0) mailbox->failure = run.control->failure;
    if (run.control->failure.kind == failure_kind::refused)
        for (int k = i; k < refusal_bytes; k += most_gpu_tasks) mailbox->refusal[k] = run.control->refusal[k];
}

__global__ void clock_kernel(std::uint64_t* to) {
    *to = nanoseconds();
}

/// f(the run as a kernel's argument): each launch copies all of it, 7.5 KB with all queues, so that few go without the
/// others.
template <class F>
void with_argument(bare_run const& run, F f) {
    int constexpr few = 12;
    if (run.queue_count > few) return f(run);
    bare_run_of_most<few> short_run{run.control, run.queue_count, {}};
    std::copy_n(run.queues, run.queue_count, short_run.queues);
    f(short_run);
}

}  // namespace

void look(bare_run const& run, run_mailbox& mailbox, cudaStream_t stream) {
    with_argument(run, [&](auto const& own) { look_kernel<<<1, most_gpu_tasks, 0, stream>>>(own, &mailbox); });
    COPSE_CUDA_TRY(cudaGetLastError());
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
}

void collect(bare_run const& run, run_mailbox& mailbox, cudaStream_t stream) {
    with_argument(run, [&](auto const& own) { collect_kernel<<<1, most_gpu_tasks, 0, stream>>>(own, &mailbox); });
    COPSE_CUDA_TRY(cudaGetLastError());
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
}

void write_clock(std::uint64_t* to, cudaStream_t stream) {
    clock_kernel<<<1, 1, 0, stream>>>(to);
    COPSE_CUDA_TRY(cudaGetLastError());
}

}  // namespace copse::detail
