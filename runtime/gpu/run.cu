#include <copse/runtime/gpu/controller_registry.hpp>
#include <copse/runtime/gpu/run.cuh>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

namespace copse::detail {
namespace {

bare_run bare_run_of(run_layout const& layout, fact_list tasks) {
    bare_run run{control_in<gpu_machine>(layout), static_cast<int>(tasks.size()), {}};
    for (std::size_t i = 0; i < tasks.size(); ++i)
        run.queues[i] = {levels_in<gpu_machine>(layout.queues[i]), tasks[i].phase};
    return run;
}

/// Notes a launch by the host of that many blocks; returns its number. now: the GPU's clock shortly before; 0: when the
/// run began. Does nothing where the run is not traced.
std::int32_t trace_host_launch(gpu_run& run, int queue, std::int64_t blocks, std::uint64_t now) {
    if (!run.traced) return 0;
    auto const number = static_cast<std::int32_t>(run.host_launches.size());
    auto const time = static_cast<std::int64_t>(now);
    run.host_launches.push_back({time, time, blocks, trace_kind::launch, queue, number, 0, launched_by_host});
    return number;
}

/// Copies the records of a run that is over. Waits.
void fetch_trace(gpu_run& run) {
    if (!run.traced) return;
    auto* const memory = trace_in<gpu_machine>(run.layout);
    trace_memory<gpu_machine> header{};
    auto const copy = [&](void* to, void const* from, std::size_t bytes) {
        if (bytes > 0) COPSE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, run.stream()));
    };
    copy(&header, memory, sizeof header);
    COPSE_CUDA_TRY(cudaStreamSynchronize(run.stream()));
    raw_trace raw = raw_trace_of(header);
    auto* const records = reinterpret_cast<trace_record const*>(memory + 1);
    raw.records.resize(kept(header.written, header.capacity));
    raw.samples.resize(kept(header.sampled, header.sample_capacity));
    copy(raw.records.data(), records, raw.records.size() * sizeof(trace_record));
    copy(raw.samples.data(), records + header.capacity, raw.samples.size() * sizeof(trace_record));
    COPSE_CUDA_TRY(cudaStreamSynchronize(run.stream()));
    for (auto& launch : run.host_launches)
        if (launch.begin == 0) launch.begin = launch.end = static_cast<std::int64_t>(raw.begin);
    raw.records.insert(raw.records.end(), run.host_launches.begin(), run.host_launches.end());
    trace_source source{"gpu " + run.executor.properties().name, name_of(run.executor.controller()), "%globaltimer"};
    add_run(*run.traced, std::move(raw), std::move(source), run.tasks, run.host_begin);
}

}  // namespace

gpu_run begin_run(gpu const& executor, run_options const& options, fact_list tasks) {
    gpu_state& state = state_of(executor);
    refuse_capture(state.stream(), "run()");
    auto const sizes = lay_out(nullptr, options, tasks);
    std::byte* const memory = state.workspace.at_least(sizes.bytes);
    COPSE_CUDA_TRY(cudaMemsetAsync(memory, 0, sizes.zero_bytes, state.stream()));
    auto layout = lay_out(memory, options, tasks);
    auto* const mailbox =
        reinterpret_cast<run_mailbox*>(state.mailbox.at_least(sizeof(run_mailbox) + copy_of(options).bytes));
    bare_run const bare = bare_run_of(layout, tasks);
    gpu_run run{executor, state, tasks, std::move(layout), bare, *mailbox, std::vector<std::uint64_t>(tasks.size())};
    run.copy = copy_of(options);
    if (auto* const trace = trace_in<gpu_machine>(run.layout)) {
        run.traced = options.traced();
        run.host_begin = host_nanoseconds();
        auto const header = fresh_trace<gpu_machine>(run.layout, run.traced->options());
        COPSE_CUDA_TRY(cudaMemcpyAsync(trace, &header, sizeof header, cudaMemcpyDefault, state.stream()));
        write_clock(&trace->begin, state.stream());
    }
    return run;
}

void control_by_residents(gpu_run& run, void const* kernel, void const* view) {
    std::string const name = range_name_of(run.tasks);
    nvtx_range const range(nvtx_room::runtime, name.c_str());
    void* arguments[] = {const_cast<void*>(view)};
    int const blocks = resident_blocks_of(kernel);
    trace_host_launch(run, -1, blocks, 0);
    COPSE_CUDA_TRY(cudaLaunchCooperativeKernel(kernel, blocks, block_threads, arguments, 0, run.stream()));
}

void control_from_host(gpu_run& run, std::span<void const* const> kernels, void const* view) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kernels.size(); ++i) names.push_back(range_name_of(run.tasks.subspan(i, 1)));
    std::vector<std::size_t> const order = by_priority(run.tasks);
    std::int32_t launch = 0;
    void* arguments[] = {const_cast<void*>(view), &launch};
    while (true) {
        look(run.bare, run.mailbox, run.stream());
        if (run.mailbox.finished) return;
        bool launched = false;
        for (std::size_t const i : order) {
            std::int64_t const fill = run.mailbox.fill[i];
            if (fill == 0) continue;
            nvtx_range const range(nvtx_room::runtime, names[i].c_str(), fill);
            int const blocks = blocks_for(fill, block_threads / run.tasks[i].width, resident_blocks_of(kernels[i]));
            launch = trace_host_launch(run, static_cast<int>(i), blocks, run.mailbox.nanoseconds);
            COPSE_CUDA_TRY(cudaLaunchKernel(kernels[i], blocks, block_threads, arguments, 0, run.stream()));
            ++run.launches[i];
            launched = true;
        }
        // With nothing running the fill levels are exact: work that is outstanding but in no queue would be waited for
        // forever.
        if (!launched)
            throw error("gpu: items are outstanding, but no queue holds any; this is a defect of copse: report it");
    }
}

launch_policy policy_of(gpu_run const& run) {
    std::int64_t const multiprocessors = run.executor.properties().multiprocessor_count;
    launch_policy policy{};
    policy.full_blocks = multiprocessors;
    policy.low_blocks = 2 * multiprocessors;
    policy.most_blocks = run.state.pending_launches(16 * multiprocessors);
    policy.stall_nanoseconds = static_cast<std::uint64_t>(run.executor.options().stall_seconds * 1e9);
    return policy;
}

void refuse_device_controller() {
    throw cuda_error(device_target_linked
                         ? "gpu: the device controller does not know these tasks: compile them with -rdc=true "
                           "(CUDA_SEPARABLE_COMPILATION), or choose controller::persistent or controller::host"
                         : "gpu: the device controller is not in this program: link copse::device, or choose "
                           "controller::persistent or controller::host");
}

gpu_cancellation::gpu_cancellation(gpu_run const& run, std::stop_token const& stop) : run_(run) {
    if (!stop.stop_possible()) return;
    COPSE_CUDA_TRY(cudaStreamSynchronize(run.stream()));
    COPSE_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    on_stop_.emplace(stop, cancel{this});
}
gpu_cancellation::~gpu_cancellation() {
    on_stop_.reset();  // waits for a call that has begun
    if (stream_) succeeded(cudaStreamDestroy(stream_));
}
void gpu_cancellation::end() {
    if (!on_stop_) return;
    COPSE_CUDA_TRY(cudaStreamSynchronize(run_.stream()));
    on_stop_.reset();  // waits for a call that has begun
}
/// From the thread that requests the stop. The copy has ended when this returns, so that it cannot hit the next run. If
/// CUDA fails here, the run's own calls say so.
void gpu_cancellation::write() const noexcept {
    failure_record const record{2, failure_kind::cancelled, 0, 0, 0, 0};
    int before = 0;
    if (!succeeded(cudaGetDevice(&before)) || !succeeded(cudaSetDevice(run_.state.device()))) return;
    if (succeeded(
            cudaMemcpyAsync(&run_.bare.control->failure, &record, sizeof record, cudaMemcpyHostToDevice, stream_)))
        succeeded(cudaStreamSynchronize(stream_));
    succeeded(cudaSetDevice(before));
}

run_report finish_run(gpu_run& run) {
    if (run.traced) write_clock(&trace_in<gpu_machine>(run.layout)->end, run.stream());
    auto const& copy = run.copy;
    void* const copied = &run.mailbox + 1;  // page-locked: the copy goes beside the host
    if (copy.bytes > 0)
        COPSE_CUDA_TRY(cudaMemcpyAsync(copied, copy.there, copy.bytes, cudaMemcpyDeviceToHost, run.stream()));
    collect(run.bare, run.mailbox, run.stream());
    fetch_trace(run);
    throw_failure(run.mailbox.failure, run.mailbox.refusal, run.tasks);
    if (copy.bytes > 0) std::memcpy(copy.here, copied, copy.bytes);
    for (std::size_t i = 0; i < run.tasks.size(); ++i) run.mailbox.figures[i].done.launches += run.launches[i];
    return make_report(run.tasks, run.mailbox.figures);
}

}  // namespace copse::detail
