#include "bench/addition.hpp"

#include <copse/formats/coo.hpp>
#include <copse/formats/generators.hpp>
#include <cstdlib>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bench/harness/addition.hpp"
#include "bench/harness/load.hpp"
#include "bench/peers/peers.hpp"

namespace copse::bench {

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

template <class T>
std::vector<measurement> compare_additions(std::string const& matrix, comparison_options const& options,
                                           progress const& report) {
    report("load");
    auto const a = load_matrix<T>(matrix);
    report("move");
    auto const b = to_csr(moved(to_coo(a), 10, 1));
    auto const name_of_b = "moved:10,1," + matrix;
    report("convert");
    target where({.on = "cpu", .threads = options.threads});
    hisparse_options const tree{.node_dimension = options.node_dimension};
    auto const tree_a = convert_to<hisparse<T>>(where, matrix, a, tree);
    auto const tree_b = convert_to<hisparse<T>>(where, name_of_b, b, tree);
    std::vector<measurement> records;
    for (auto const& [transpose_a, transpose_b] : {std::pair{false, false}, {true, true}, {false, true}}) {
        if (transpose_a != transpose_b && a.row_count != a.column_count) continue;
        sum_problem<T> const what{{matrix, a, transpose_a}, {name_of_b, b, transpose_b}};
        additions<T> all;
        all.push_back(hisparse_addition(what, tree_a, tree_b, where));
        report(operation_of(all.front()->record.m));
        all.push_back(csr_addition(what, options.threads));
        for (auto& peer : peer_additions(what, options.threads)) all.push_back(std::move(peer));
        run_race(all, on_cpu(options.repeats, false));
        for (auto& one : all) {
            if (!one->record.failure.empty()) throw error(race_name(one->record) + ": " + one->record.failure);
            records.push_back(std::move(one->record.m));
        }
    }
    return records;
}

template std::vector<measurement> compare_additions<float>(std::string const&, comparison_options const&,
                                                           progress const&);
template std::vector<measurement> compare_additions<double>(std::string const&, comparison_options const&,
                                                            progress const&);

}  // namespace copse::bench
