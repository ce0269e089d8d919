#include "bench/gpu_comparison/matrices.hpp"

#include <copse/runtime/error.hpp>

#include "bench/hisparse_matrices.hpp"
#include "bench/stand_in.hpp"
#include "cli/load.hpp"

namespace copse::bench {
namespace {

constexpr std::string_view prefix = "hisparse:";

}  // namespace

template <class T>
csr<T> load_for_gpu(std::string const& name) {
    if (!name.starts_with(prefix)) return measure::load_matrix<T>(name);
    for (auto const& m : hisparse_matrices())
        if (m.name == name.substr(prefix.size())) return stand_in<T>(m);
    throw argument_error("'" + name + "': HiSparse's paper has no such matrix");
}

std::vector<std::string> hisparse_paper_suite(bool few) {
    std::vector<std::string> names;
    for (auto const& m : hisparse_matrices())
        if (!few || m.entries < 20'000'000) names.push_back(std::string(prefix) + m.name);
    return names;
}

template csr<float> load_for_gpu(std::string const&);
template csr<double> load_for_gpu(std::string const&);

}  // namespace copse::bench
