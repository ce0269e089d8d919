// HiSparse's one-shots: which controller is fastest for which matrix.
#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

constexpr std::array<char const*, 3> controllers{"persistent", "host", "device"};

/// Where in `controllers` the one is that HiSparse ran under; none for plans, other formats and other libraries.
std::optional<std::size_t> controller_of(measured const& m) {
    for (std::size_t i = 0; i < controllers.size(); ++i)
        if (m.name == std::string("copse hisparse ") + controllers[i]) return i;
    return std::nullopt;
}

}  // namespace

std::string controller_table(std::vector<measured> const& all) {
    std::map<std::tuple<std::string, std::string, std::string>, std::array<double, controllers.size()>> rows;
    for (auto const& m : all)
        if (auto const i = controller_of(m); i && m.seconds && m.type == "double")
            rows[{m.operation, m.bench, m.matrix}][*i] = *m.seconds;
    if (rows.empty()) return "";
    measure::table t("lllrrrl");
    t.add({"", "stage", "matrix", controllers[0], controllers[1], controllers[2], "fastest"});
    std::array<int, controllers.size()> wins{};
    for (auto const& [what, seconds] : rows) {
        std::size_t best = controllers.size();
        std::vector<std::string> cells{std::get<0>(what), std::get<1>(what), measure::one_line(std::get<2>(what))};
        for (std::size_t i = 0; i < controllers.size(); ++i) {
            cells.push_back(seconds[i] > 0 ? fmt::format("{:.4f}", 1e3 * seconds[i]) : "");
            if (seconds[i] > 0 && (best == controllers.size() || seconds[i] < seconds[best])) best = i;
        }
        ++wins[best];
        cells.emplace_back(controllers[best]);
        t.add(cells);
    }
    return fmt::format(
        "## Controllers\n\nHiSparse's one-shots in double, milliseconds by the wall clock. Fastest: {} {} times, {} {} "
        "times, {} {} times.\n\n{}\n",
        controllers[0], wins[0], controllers[1], wins[1], controllers[2], wins[2], t.markdown());
}

}  // namespace copse::bench
