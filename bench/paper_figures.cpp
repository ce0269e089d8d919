#include "bench/paper_figures.hpp"

#include <map>

namespace copse::bench {
namespace {

template <class Figures>
std::optional<Figures> find(std::map<std::string, Figures> const& all, std::string const& name) {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<sellp_figures> sellp_figures_of(std::string const& name) {
    static std::map<std::string, sellp_figures> const all{
        {"AUDIKW_1", {4.55e-02, 7.02e-03, 7.08e-03, 8.79e-03}},
        {"BONE_010", {2.45e-02, 4.28e-03, 6.15e-03, 3.80e-03}},
        {"BONE_S10", {1.32e-02, 3.93e-03, 5.21e-03, 3.43e-03}},
        {"BMW3_2", {4.70e-03, 9.93e-04, 1.50e-03, 9.86e-04}},
        {"BMWCRA_1", {4.60e-03, 9.01e-04, 9.53e-04, 8.79e-04}},
        {"CAGE_10", {4.72e-05, 3.35e-05, 3.45e-05, 6.44e-05}},
        {"CANT", {1.48e-03, 3.44e-04, 5.51e-04, 3.94e-04}},
        {"CRANKSEG_2", {5.25e-03, 1.12e-03, 1.23e-03, 1.48e-03}},
        {"CUBE_COUP_DT0", {4.87e-02, 9.77e-03, 1.68e-02, 9.18e-03}},
        {"DIELFILTERV2REAL", {2.06e-02, 6.14e-03, 6.46e-03, 5.99e-03}},
        {"F1", {1.31e-02, 2.73e-03, 2.77e-03, 3.18e-03}},
        {"FAULT_639", {1.08e-02, 2.53e-03, 3.48e-03, 2.12e-03}},
        {"HOOK_1498", {2.41e-02, 6.60e-03, 7.52e-03, 6.46e-03}},
        {"INLINE_1", {1.41e-02, 3.49e-03, 3.55e-03, 3.85e-03}},
        {"LDOOR", {1.78e-02, 4.11e-03, 5.71e-03, 4.39e-03}},
        {"M_T1", {3.67e-03, 8.27e-04, 8.64e-04, 1.02e-03}},
        {"ML_GEER", {4.23e-02, 8.60e-03, 9.62e-03, 8.19e-03}},
        {"PWTK", {4.47e-03, 9.31e-04, 1.53e-03, 8.94e-04}},
        {"SHIPSEC1", {1.15e-03, 4.74e-04, 4.52e-04, 4.48e-04}},
        {"TREFETHEN_20000", {1.15e-04, 6.47e-05, 8.12e-05, 6.71e-05}},
    };
    return find(all, name);
}

scenario_figures scenario_figures_of(bool on_gpu, bool regular) {
    if (on_gpu)
        return regular ? scenario_figures{3.06, 1.04, 1.34, 1.10, 1.45}
                       : scenario_figures{1.99, 6.43, 48.37, 6.77, 52.31};
    return regular ? scenario_figures{6.14, 0.52, 0.74, 0.59, 0.96} : scenario_figures{3.69, 0.91, 2.37, 1.03, 2.93};
}

std::optional<efficiency_figures> efficiency_figures_of(std::string const& name) {
    static std::map<std::string, efficiency_figures> const all{
        {"p7", {0.09, 0.09}},
        {"tsopf-rs-b2383", {1.22, 0.73}},
    };
    return find(all, name);
}

}  // namespace copse::bench
