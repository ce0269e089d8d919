#include "bench/addition.hpp"

#include <copse/formats/generators.hpp>
#include <cstdlib>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bench/peers/peers.hpp"
#include "bench/harness/addition.hpp"
#include "bench/harness/load.hpp"

namespace copse::bench {
namespace {

constexpr int sigma = 10;
constexpr int seed = 1;

/// The records of all competitors for one sum.
template <class T>
std::vector<measure::measurement> race(measure::sum_problem<T> const& what, comparison_options const& options,
                                       measure::converted<hisparse<T>> const& a,
                                       measure::converted<hisparse<T>> const& b, measure::target& where) {
    std::vector<measure::adder<T>> adders;
    adders.push_back(measure::hisparse_adder(what, a, b, where));
    adders.push_back(measure::csr_adder(what, options.threads));
    for (auto& peer : peer_adders(what, options.threads)) adders.push_back(std::move(peer));
    measure::run_in_turn(adders, measure::expect(what), options.repeats);
    std::vector<measure::measurement> records;
    for (auto& one : adders) records.push_back(std::move(one.record));
    return records;
}

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

template <class T>
std::vector<measure::measurement> compare_additions(std::string const& matrix, comparison_options const& options,
                                                    progress const& report) {
    report("load");
    auto const a = measure::load_matrix<T>(matrix);
    report("move");
    auto const b = to_csr(moved(to_coo(a), sigma, seed));
    auto const name_of_b = "moved:" + std::to_string(sigma) + "," + std::to_string(seed) + "," + matrix;
    struct transpositions {
        char const* name;
        bool a, b;
    };
    report("convert");
    measure::target where({.on = "cpu", .threads = options.threads});
    auto const tree_a = measure::convert(where, matrix, a, options.node_dimension);
    auto const tree_b = measure::convert(where, name_of_b, b, options.node_dimension);
    std::vector<measure::measurement> records;
    for (auto const& op :
         {transpositions{"A + B", false, false}, {"A^T + B^T", true, true}, {"A + B^T", false, true}}) {
        if (op.a != op.b && a.row_count != a.column_count) continue;
        report(op.name);
        for (auto& record : race<T>({1, {matrix, a, op.a}, 1, {name_of_b, b, op.b}}, options, tree_a, tree_b, where))
            records.push_back(std::move(record));
    }
    return records;
}

template std::vector<measure::measurement> compare_additions<float>(std::string const&, comparison_options const&,
                                                                    progress const&);
template std::vector<measure::measurement> compare_additions<double>(std::string const&, comparison_options const&,
                                                                     progress const&);

}  // namespace copse::bench
