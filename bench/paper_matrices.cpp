#include "bench/paper_matrices.hpp"

#include <algorithm>

namespace copse::bench {
namespace {

using enum pattern;

// Table 2. The means are cut or rounded there, each as it stands.
std::vector<paper_matrix> csr5_matrices() {
    auto constexpr p = paper::csr5;
    return {
        {p, "r1", "Dense", "", 2000, 2000, 4'000'000, {2000, 2000, 2000}, dense},
        {p, "r2", "Protein", "pdb1HYS", 36'417, 36'417, 4'344'765, {18, 119, 204}, blocks},
        {p, "r3", "FEM/Spheres", "consph", 83'334, 83'334, 6'010'480, {1, 72, 81}, blocks},
        {p, "r4", "FEM/Cantilever", "cant", 62'451, 62'451, 4'007'383, {1, 64, 78}, blocks},
        {p, "r5", "Wind Tunnel", "pwtk", 217'918, 217'918, 11'634'424, {2, 53, 180}, blocks},
        {p, "r6", "QCD", "qcd5_4", 49'152, 49'152, 1'916'928, {39, 39, 39}, generated, "qcd:8"},
        {p, "r7", "Epidemiology", "mc2depi", 525'825, 525'825, 2'100'225, {2, 3, 4}, generated, "epidemiology:1024"},
        {p, "r8", "FEM/Harbor", "rma10", 46'835, 46'835, 2'374'001, {4, 50, 145}, blocks},
        {p, "r9", "FEM/Ship", "shipsec1", 140'874, 140'874, 7'813'404, {24, 55, 102}, blocks},
        {p, "r10", "Economics", "mac_econ_fwd500", 206'500, 206'500, 1'273'389, {1, 6, 44}, local},
        {p, "r11", "FEM/Accelerator", "cop20k_A", 121'192, 121'192, 2'624'331, {0, 21, 81}, local},
        {p, "r12", "Circuit", "scircuit", 170'998, 170'998, 958'936, {1, 5, 353}, long_rows},
        {p, "r13", "Ga41As41H72", "Ga41As41H72", 268'096, 268'096, 18'488'476, {18, 68, 702}, local},
        {p, "r14", "Si41Ge41H72", "Si41Ge41H72", 185'639, 185'639, 15'011'265, {13, 80, 662}, local},
        {p, "i1", "Webbase", "webbase-1M", 1'000'005, 1'000'005, 3'105'536, {1, 3, 4700}, skewed},
        {p, "i2", "LP", "rail4284", 4284, 1'096'894, 11'284'032, {1, 2600, 56'200}, scattered},
        {p, "i3", "Circuit5M", "circuit5M", 5'558'326, 5'558'326, 59'524'291, {1, 10, 1'290'000}, long_rows},
        {p, "i4", "eu-2005", "eu-2005", 862'664, 862'664, 19'235'140, {0, 22, 6900}, skewed},
        {p, "i5", "in-2004", "in-2004", 1'382'908, 1'382'908, 16'917'053, {0, 12, 7800}, skewed},
        {p, "i6", "mip1", "mip1", 66'463, 66'463, 10'352'819, {4, 155, 66'400}, long_rows},
        {p, "i7", "ASIC_680k", "ASIC_680k", 682'862, 682'862, 3'871'773, {1, 6, 395'000}, long_rows},
        {p, "i8", "dc2", "dc2", 116'835, 116'835, 766'396, {1, 7, 114'000}, long_rows},
        {p, "i9", "FullChip", "FullChip", 2'987'012, 2'987'012, 26'621'990, {1, 9, 2'300'000}, long_rows},
        {p, "i10", "ins2", "ins2", 309'412, 309'412, 2'751'484, {5, 9, 309'000}, long_rows},
    };
}

paper_matrix of_sellp(std::string name, std::string file, std::int64_t n, std::int64_t entries, double mean,
                      pattern kind = blocks, std::string generator = {}) {
    return {paper::sellp, "",   std::move(name),     std::move(file), n, n, entries,
            {0, mean, 0}, kind, std::move(generator)};
}

// Table I.
std::vector<paper_matrix> sellp_matrices() {
    return {
        of_sellp("AUDIKW_1", "audikw_1", 943'645, 77'651'847, 82.28),
        of_sellp("BONE_010", "bone010", 986'703, 47'851'783, 48.50),
        of_sellp("BONE_S10", "boneS10", 914'898, 40'878'708, 44.68),
        of_sellp("BMW3_2", "bmw3_2", 227'362, 11'288'630, 49.65),
        of_sellp("BMWCRA_1", "bmwcra_1", 148'770, 10'641'602, 71.53),
        of_sellp("CAGE_10", "cage10", 11'397, 150'645, 13.22, local),
        of_sellp("CANT", "cant", 62'451, 4'007'383, 64.17),
        of_sellp("CRANKSEG_2", "crankseg_2", 63'838, 14'148'858, 221.63),
        of_sellp("CUBE_COUP_DT0", "Cube_Coup_dt0", 2'164'760, 124'406'070, 57.47),
        of_sellp("DIELFILTERV2REAL", "dielFilterV2real", 1'157'456, 48'538'952, 41.94, local),
        of_sellp("F1", "F1", 343'791, 26'837'113, 78.06),
        of_sellp("FAULT_639", "Fault_639", 638'802, 27'245'944, 42.65),
        of_sellp("HOOK_1498", "Hook_1498", 1'498'023, 59'374'451, 39.64),
        of_sellp("INLINE_1", "inline_1", 503'712, 36'816'170, 73.09),
        of_sellp("LDOOR", "ldoor", 952'203, 42'493'817, 44.63),
        of_sellp("M_T1", "m_t1", 97'578, 9'753'570, 99.96),
        of_sellp("ML_GEER", "ML_Geer", 1'504'002, 110'686'677, 73.59),
        of_sellp("PWTK", "pwtk", 217'918, 11'524'432, 52.88),
        of_sellp("SHIPSEC1", "shipsec1", 140'874, 3'568'176, 25.33),
        of_sellp("TREFETHEN_20000", "Trefethen_20000", 20'000, 554'466, 27.72, generated, "trefethen:20000"),
    };
}

// §6.2, §6.5. The mu of 484 that the text has for tsopf-rs-b2383 is not that of the collection's matrix, which is
// taken.
std::vector<paper_matrix> cmrs_matrices() {
    auto constexpr p = paper::cmrs;
    return {
        {p, "", "p7", "", 10'000'000, 10'000'000, 10'000'000, {1, 1, 1}, generated, "permutation:10000000"},
        {p, "", "dense4", "", 10'000, 10'000, 100'000'000, {10'000, 10'000, 10'000}, dense},
        {p, "", "tsopf-rs-b2383", "TSOPF_RS_b2383", 38'120, 38'120, 16'171'169, {}, blocks},
    };
}

}  // namespace

std::string name_of(pattern which) {
    switch (which) {
        case dense:
            return "dense";
        case blocks:
            return "blocks near the diagonal";
        case local:
            return "entries near the diagonal";
        case scattered:
            return "entries anywhere";
        case skewed:
            return "power law";
        case long_rows:
            return "short rows and few long ones";
        case generated:
            return "the matrix's own formula";
    }
    return "";  // not reached: all are above
}

std::vector<paper_matrix> const& paper_matrices() {
    static std::vector<paper_matrix> const all = [] {
        auto joined = csr5_matrices();
        for (auto&& more : {sellp_matrices(), cmrs_matrices()}) joined.insert(joined.end(), more.begin(), more.end());
        return joined;
    }();
    return all;
}

std::vector<paper_matrix> few_paper_matrices() {
    auto constexpr few = 3, small = 5'000'000;
    std::vector<paper_matrix> chosen;
    for (auto const& m : paper_matrices()) {
        auto const smaller = std::count_if(paper_matrices().begin(), paper_matrices().end(), [&](auto const& other) {
            return other.where == m.where && other.entries < m.entries;
        });
        if (smaller < few && m.entries < small) chosen.push_back(m);
    }
    return chosen;
}

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
