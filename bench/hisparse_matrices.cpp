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

std::vector<paper_line> const& hisparse_table_1() {
    static std::vector<paper_line> const lines{
        {"HiSparse", "float", {3.45, 3.45}, {3.45, 3.88}},
        {"cuSPARSE", "float", {23.51, 67.27}, {24.16, 37.78}},
        {"cusp", "float", {4.28, 8.65}, {67.31, 64.85}},
        {"naive", "float", {22.51, 57.80}, {18.11, 42.01}},
        {"bhSparse", "float", {1.52, 2.51}, {}},
        {"clSpMV", "float", {1.31, 1.34}, {}},
        {"yaSpMV", "float", {0.77, 0.76}, {}},
        {"HiSparse", "double", {4.68, 4.13}, {4.47, 4.62}},
        {"cuSPARSE", "double", {27.11, 76.00}, {27.90, 42.76}},
        {"cusp", "double", {5.29, 10.40}, {61.01, 58.19}},
        {"naive", "double", {30.71, 74.65}, {23.92, 51.92}},
        {"bhSparse", "double", {2.16, 3.23}, {}},
    };
    return lines;
}

std::vector<paper_line> const& hisparse_table_2() {
    static std::vector<paper_line> const lines{
        {"HiSparse", "float", {12.79, 12.99}, {26.42, 28.23}, {26.43, 28.24}},
        {"cuSPARSE", "float", {52.08, 99.65}, {165.35, 175.95}, {55.43, 100.78}},
        {"cusp", "float", {86.08, 86.06}, {144.29, 140.72}, {79.54, 78.30}},
        {"HiSparse", "double", {14.94, 15.06}, {27.91, 29.20}, {27.91, 29.20}},
        {"cuSPARSE", "double", {59.73, 112.35}, {195.50, 206.95}, {61.64, 112.43}},
        {"cusp", "double", {119.08, 101.63}, {208.03, 174.96}, {126.07, 100.07}},
    };
    return lines;
}

}  // namespace copse::bench
