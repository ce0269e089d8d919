#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "bench/tuning.hpp"

namespace copse::bench {
namespace {

/// "sigma 16"
int height_of(tried_size const& s) {
    return std::atoi(s.size.c_str() + s.size.find(' '));
}

/// Seconds by height, of those that took part.
using heights = std::map<int, double>;

heights heights_of(tuning_race const& race) {
    heights all;
    for (auto const& s : race.sizes)
        if (s.seconds > 0) all[height_of(s)] = s.seconds;
    return all;
}

double seconds_near(heights const& all, int sigma) {
    auto const nearest = std::min_element(all.begin(), all.end(), [&](auto const& a, auto const& b) {
        return std::abs(a.first - sigma) < std::abs(b.first - sigma);
    });
    return nearest->second;
}

/// A matrix as the rule sees it.
struct matrix_times {
    std::int64_t rows;
    std::int64_t entries;
    heights by_height;
    double of_default;
};

std::vector<matrix_times> times_of(std::vector<tuning_race> const& races) {
    std::vector<matrix_times> all;
    for (auto const& race : races)
        if (auto const* const chosen = race.of_default(); chosen && chosen->seconds > 0)
            all.push_back({race.rows, race.entries, heights_of(race), chosen->seconds});
    return all;
}

double mean_with(csr5_sigma_rule const& rule, std::vector<matrix_times> const& all) {
    double logarithms = 0;
    for (auto const& m : all)
        logarithms += std::log(seconds_near(m.by_height, rule.sigma(m.entries, m.rows)) / m.of_default);
    return std::exp(logarithms / static_cast<double>(all.size()));
}

}  // namespace

fitted_rule fit_sigma_rule(std::vector<tuning_race> const& races) {
    auto const all = times_of(races);
    fitted_rule best;
    if (all.empty()) return best;
    best.relative = mean_with(best.rule, all);
    for (auto const& [r, of_r] : all.front().by_height)
        for (auto const& [s, of_s] : all.front().by_height)
            for (int const t : std::array{32, 64, 128, 256, 512, 1024})
                for (auto const& [u, of_u] : all.front().by_height) {
                    csr5_sigma_rule const rule{r, s, t, u};
                    double const relative = r <= s && s <= t ? mean_with(rule, all) : best.relative;
                    if (relative < best.relative) best = {rule, relative};
                }
    return best;
}

}  // namespace copse::bench
