// One-shots: what controllers cost beside the work.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// Of one competitor in one operation, over the matrices.
struct share {
    geometric_mean seconds, in_run, blocks;
    double batches = 0, launches = 0;
    int matrices = 0;

    void add(measured const& m) {
        seconds.add(1e3 * *m.seconds);
        in_run.add(*m.run_seconds / *m.seconds);
        if (m.task_seconds && *m.run_seconds > 0) blocks.add(*m.task_seconds / *m.run_seconds);
        batches += m.batches.value_or(0);
        launches += m.launches.value_or(0);
        ++matrices;
    }
    std::string each(double sum) const { return fmt::format("{:.0f}", sum / matrices); }
};

}  // namespace

std::string overhead_table(std::vector<measured> const& all) {
    std::map<std::pair<std::string, std::string>, share> rows;
    for (auto const& m : all)
        if (m.is_ours() && m.seconds && m.run_seconds && m.type == "double" && m.bench != "papers")
            rows[{m.bench == "large" ? m.operation + ", large" : m.operation, m.name}].add(m);
    if (rows.empty()) return "";
    measure::table t("llrrrrrr");
    t.add({"", "by", "matrices", "ms", "of it in the run", "blocks in tasks", "batches", "launches"});
    for (auto const& [what, row] : rows)
        t.add({what.first, what.second, std::to_string(row.matrices), row.seconds.text(4), row.in_run.text(2),
               row.blocks.text(1), row.each(row.batches), row.each(row.launches)});
    return "## Controllers beside the work\n\nOne-shots and sums in double; `large`: matrices made on the GPU. In the "
           "run: from its start to its end, "
           "without what comes before and behind; blocks in tasks: how many on average were in a task's function at a "
           "time, not waiting for items; batches: draws from queues; launches: by a controller. Geometric means over "
           "the matrices, of batches and launches plain ones.\n\n" +
           t.markdown() + '\n';
}

}  // namespace copse::bench
