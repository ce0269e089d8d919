#include "bench/gpu_comparison/matrices.hpp"

#include <algorithm>
#include <copse/runtime/error.hpp>

#include "bench/harness/load.hpp"
#include "bench/hisparse_matrices.hpp"
#include "bench/stand_in.hpp"

namespace copse::bench {
namespace {

constexpr std::string_view prefix = "hisparse:";

}  // namespace

template <class T>
csr<T> load_for_gpu(std::string const& name) {
    if (!name.starts_with(prefix)) return load_matrix<T>(name);
    for (auto const& m : hisparse_matrices())
        if (m.name == name.substr(prefix.size())) return stand_in<T>(m);
    throw argument_error("'" + name + "': HiSparse's paper has no such matrix");
}

std::vector<std::string> hisparse_paper_suite(bool few) {
    auto matrices = hisparse_matrices();
    if (few) std::erase_if(matrices, [](paper_matrix const& m) { return m.entries >= 30'000'000; });
    std::stable_sort(matrices.begin(), matrices.end(),
                     [](paper_matrix const& a, paper_matrix const& b) { return a.entries < b.entries; });
    std::vector<std::string> names;
    for (auto const& m : matrices) names.push_back(std::string(prefix) + m.name);
    return names;
}

template csr<float> load_for_gpu(std::string const&);
template csr<double> load_for_gpu(std::string const&);

}  // namespace copse::bench
