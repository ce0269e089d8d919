#include <copse/runtime/scheduler/host_run.hpp>
#include <cstring>
#include <utility>

namespace copse::detail {

host_run::host_run(run_options const& options, fact_list tasks, trace_source source)
    : tasks_(tasks),
      layout_(lay_out(nullptr, options, tasks)),
      memory_(host_memory(), static_cast<std::int64_t>(layout_.bytes)),
      to_(options.traced()),
      source_(std::move(source)),
      copy_(copy_of(options)) {
    std::memset(memory_.data(), 0, layout_.zero_bytes);
    layout_ = lay_out(memory_.data(), options, tasks);
    if (!to_) return;
    host_begin_ = host_nanoseconds();
    *trace() = fresh_trace<cpu_machine>(layout_, to_->options());
}

host_run::~host_run() {
    try {
        end();
    } catch (...) {
    }
}

void host_run::end() {
    if (!to_) return;
    copse::trace& to = *std::exchange(to_, nullptr);
    auto& header = *trace();
    raw_trace raw = raw_trace_of(header);
    raw.records.assign(header.records(), header.records() + kept(header.written, header.capacity));
    raw.samples.assign(header.samples(), header.samples() + kept(header.sampled, header.sample_capacity));
    add_run(to, std::move(raw), std::move(source_), tasks_, host_begin_);
}

run_report host_run::report() const {
    throw_failure(layout_.control->failure, layout_.control->refusal, tasks_);
    if (copy_.bytes > 0) std::memcpy(copy_.here, copy_.there, copy_.bytes);
    std::vector<queue_figures> figures;
    for (queue_memory const& queue : layout_.queues) figures.push_back(levels_in<cpu_machine>(queue).figures());
    run_report report = make_report(tasks_, figures.data());
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return report;
}

}  // namespace copse::detail
