// ncu.csv as a table: what Nsight Compute says of each kernel.
#include <fmt/format.h>

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// Fields of one line, each in quotes or not; a doubled quote within stands for one.
std::vector<std::string> fields_of(std::string const& line) {
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back() += c;
    }
    return fields;
}

/// "1,234.5" is 1234.5; what is no number is 0.
double number_of(std::string text) {
    std::erase(text, ',');
    return std::strtod(text.c_str(), nullptr);
}

/// Without what all names of ours have, and not too long.
std::string short_name(std::string name) {
    std::size_t constexpr longest = 100;
    for (std::string const part : {"void ", "copse::", "detail::", "(anonymous namespace)::", "<unnamed>::"})
        for (auto at = name.find(part); at != name.npos; at = name.find(part)) name.erase(at, part.size());
    auto const arguments = name.rfind(">(");
    if (arguments != name.npos) name.erase(arguments + 1);
    return name.size() > longest ? name.substr(0, longest) + "..." : name;
}

/// Sums over the launches of one kernel; rates are weighted by time.
struct kernel {
    int launches = 0;
    double seconds = 0, bytes = 0, memory_use = 0, sm_use = 0, warps = 0, l1_hits = 0, l2_hits = 0, registers = 0;
    double shared_wavefronts = 0, bank_conflicts = 0, local_bytes = 0;
};

class columns {
  public:
    explicit columns(std::vector<std::string> const& head) {
        for (std::size_t i = 0; i < head.size(); ++i) places_[head[i]] = i;
    }
    std::string text(std::vector<std::string> const& fields, std::string const& name) const {
        auto const found = places_.find(name);
        return found != places_.end() && found->second < fields.size() ? fields[found->second] : "";
    }
    double number(std::vector<std::string> const& fields, std::string const& name) const {
        return number_of(text(fields, name));
    }

  private:
    std::map<std::string, std::size_t> places_;
};

void add_launch(kernel& k, columns const& in, std::vector<std::string> const& fields) {
    double const seconds = 1e-9 * in.number(fields, "gpu__time_duration.sum");
    ++k.launches;
    k.seconds += seconds;
    k.bytes += in.number(fields, "dram__bytes_read.sum") + in.number(fields, "dram__bytes_write.sum");
    k.memory_use += seconds * in.number(fields, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    k.sm_use += seconds * in.number(fields, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    k.warps += seconds * in.number(fields, "sm__warps_active.avg.pct_of_peak_sustained_active");
    k.l1_hits += seconds * in.number(fields, "l1tex__t_sector_hit_rate.pct");
    k.l2_hits += seconds * in.number(fields, "lts__t_sector_hit_rate.pct");
    k.shared_wavefronts += in.number(fields, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
    k.bank_conflicts += in.number(fields, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
    k.local_bytes += in.number(fields, "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum") +
                     in.number(fields, "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum");
    k.registers = std::max(k.registers, in.number(fields, "launch__registers_per_thread"));
}

std::map<std::string, kernel> read_kernels(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw error("cannot read '" + path + "'");
    std::map<std::string, kernel> kernels;
    std::string line;
    columns in({});
    while (std::getline(file, line)) {
        auto const fields = fields_of(line);
        if (fields.front() == "ID") {  // one head for each run of ncu
            in = columns(fields);
            continue;
        }
        auto const name = in.text(fields, "Kernel Name");
        if (!name.empty()) add_launch(kernels[name], in, fields);  // the second line has units, and no name
    }
    return kernels;
}

}  // namespace

std::string kernel_table(std::string const& path) {
    std::size_t constexpr most = 24;
    auto const kernels = read_kernels(path);
    if (kernels.empty()) return "";
    std::vector<std::pair<std::string, kernel>> sorted(kernels.begin(), kernels.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](auto const& a, auto const& b) { return a.second.seconds > b.second.seconds; });
    sorted.resize(std::min(sorted.size(), most));
    measure::table t("lrrrrrrrrrrr");
    t.add({"kernel", "launches", "ms", "DRAM GB/s", "DRAM %", "SM %", "warps %", "L1 hits %", "L2 hits %",
           "bank conflicts %", "local bytes", "registers"});
    for (auto const& [name, k] : sorted) {
        double const seconds = std::max(k.seconds, 1e-12);
        auto const rate = [&](double sum) { return fmt::format("{:.0f}", sum / seconds); };
        t.add({short_name(name), std::to_string(k.launches), fmt::format("{:.3f}", 1e3 * k.seconds),
               fmt::format("{:.0f}", 1e-9 * k.bytes / seconds), rate(k.memory_use), rate(k.sm_use), rate(k.warps),
               rate(k.l1_hits), rate(k.l2_hits),
               fmt::format("{:.1f}", 100 * k.bank_conflicts / std::max(k.shared_wavefronts, 1.0)),
               fmt::format("{:.0f}", k.local_bytes), fmt::format("{:.0f}", k.registers)});
    }
    return "## Kernels\n\nBy Nsight Compute, under the host controller and in plans, with clocks as they are and caches "
           "emptied before each launch. Bank conflicts: of the wavefronts of shared memory.\n\n" +
           t.markdown() + '\n';
}

}  // namespace copse::bench
