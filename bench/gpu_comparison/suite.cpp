#include "bench/gpu_comparison/suite.hpp"

#include <algorithm>
#include <copse/runtime/error.hpp>

#include "bench/harness/load.hpp"
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

bool is_checked_on_gpu(std::int64_t entry_count) {
    return entry_count >= 2'000'000;
}

std::vector<large_stretch> large_stretches(std::vector<std::string> const& named, bool quick) {
    if (!named.empty()) return {{named, true, true}};
    return {{quick ? quick_large_sum_suite : large_sum_suite, false, true},
            {quick ? quick_large_suite : large_suite, true, false}};
}

template csr<float> load_for_gpu(std::string const&);
template csr<double> load_for_gpu(std::string const&);

}  // namespace copse::bench
