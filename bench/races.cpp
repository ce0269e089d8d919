#include "bench/races.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/peers/peers.hpp"

namespace copse::bench {

std::vector<race> races_of(std::span<measurement const> records) {
    std::vector<race> all;
    while (!records.empty()) {
        auto const is_other = [&first = records.front()](measurement const& m) {
            return m.matrix != first.matrix || m.type != first.type || operation_of(m) != operation_of(first);
        };
        all.push_back(records.first(std::find_if(records.begin(), records.end(), is_other) - records.begin()));
        records = records.subspan(all.back().size());
    }
    return all;
}

measurement const* fastest_peer(race all) {
    return fastest(all, [](measurement const& m) { return is_peer(m.format); });
}

std::string times_faster(measurement const& m, measurement const* other) {
    return other && m.is_right() && other->is_right() ? fmt::format("{:.2f}x", other->seconds / m.seconds) : "-";
}

}  // namespace copse::bench
