#include "bench/size_mode.hpp"

#include <fmt/format.h>

#include <copse/formats/csr.hpp>
#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <utility>

#include "bench/json_file.hpp"
#include "bench/machine.hpp"
#include "bench/size_report.hpp"
#include "bench/sizes.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/threads.hpp"

namespace copse::bench {
namespace {

/// In the type, or in each: CSR with the same structure.
void measure_sizes_of(std::string const& matrix, size_arguments const& a, std::vector<matrix_sizes>& all) {
    csr<double> wide = measure::load_matrix<double>(matrix);
    if (a.type != "float") all.push_back(measure_sizes(matrix, wide, a.node_dimension));
    if (a.type == "double") return;
    std::vector<float> const values(wide.values.begin(), wide.values.end());
    csr<float> const narrow{wide.row_count, wide.column_count, std::move(wide.row_offsets),
                            std::move(wide.column_indices), values};
    all.push_back(measure_sizes(matrix, narrow, a.node_dimension));
}

}  // namespace

int run_sizes(size_arguments const& a) {
    measure::use_threads(a.threads);
    json_file json(a.json);
    machine const where = this_machine();
    std::vector<matrix_sizes> all;
    int failures = 0, run = 0;
    for (auto const& matrix : a.matrices) {
        fmt::print(stderr, "[{}/{}] {}\n", ++run, a.matrices.size(), measure::one_line(matrix));
        std::size_t const before = all.size();
        try {
            measure_sizes_of(matrix, a, all);
        } catch (copse::error const& e) {
            ++failures;
            fmt::print(stderr, "copse_bench: error: {}\n", measure::one_line(e.what()));
        }
        for (std::size_t i = before; i < all.size(); ++i) json.add(size_json_line(all[i], where));
    }
    if (!all.empty()) cli::print(size_table(all) + fmt::format("commit {}, {}\n", where.commit, where.date));
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace copse::bench
