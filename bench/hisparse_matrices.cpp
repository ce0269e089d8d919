#include "bench/hisparse_matrices.hpp"

namespace copse::bench {

using enum pattern;

std::vector<paper_matrix> const& hisparse_matrices() {
    auto constexpr p = paper::hisparse;
    static std::vector<paper_matrix> const all{
        {p, "", "asia_osm", "asia_osm", 11'950'757, 11'950'757, 25'423'206, {1, 2.1, 9}, local},
        {p, "", "ASIC_320k", "ASIC_320k", 321'821, 321'821, 2'635'364, {1, 8.2, 203'800}, long_rows},
        {p, "", "bone010", "bone010", 986'703, 986'703, 71'666'325, {1, 72.6, 81}, blocks},
        {p, "", "cage12", "cage12", 130'228, 130'228, 2'032'536, {1, 15.6, 33}, local},
        {p, "", "dense", "", 5000, 5000, 25'000'000, {5000, 5000, 5000}, dense},
        {p, "", "FullChip", "FullChip", 2'987'012, 2'987'012, 26'621'990, {1, 8.9, 2'300'000}, long_rows},
        {p, "", "in-2004", "in-2004", 1'382'908, 1'382'908, 16'917'053, {0, 12.2, 7800}, skewed},
        {p, "", "kkt_power", "kkt_power", 2'063'494, 2'063'494, 14'612'663, {1, 7.1, 96}, local},
        {p, "", "ldoor", "ldoor", 952'203, 952'203, 46'522'475, {1, 48.9, 77}, blocks},
        {p, "", "mip1", "mip1", 66'463, 66'463, 10'352'819, {1, 155.8, 66'400}, long_rows},
        {p, "", "parabolic_fem", "parabolic_fem", 525'825, 525'825, 3'674'625, {1, 7, 7}, local},
        {p, "", "poisson3Da", "poisson3Da", 13'514, 13'514, 352'762, {1, 26.1, 110}, local},
        {p, "", "special", "", 7'000'000, 7'000'000, 52'300'000, {0, 7.5, 6300}, local},
        {p, "", "webbase-1M", "webbase-1M", 1'000'005, 1'000'005, 3'105'536, {1, 3.1, 4700}, skewed},
    };
    return all;
}

}  // namespace copse::bench
