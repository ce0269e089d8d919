// Sums on a GPU: A + B, A^T + B^T and A + B^T by HiSparse under each controller beside cuSPARSE, in one process.
// Those of large matrices are checked on the GPU.
#include <CLI/CLI.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/program_sums.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/sum.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/options.hpp"

namespace copse::bench {
namespace {

struct transpositions {
    char const* name;
    bool a, b;
};
constexpr transpositions all_sums[] = {{"A + B", false, false}, {"A^T + B^T", true, true}, {"A + B^T", false, true}};

struct arguments : program_arguments {
    bool all_ways = false;
    int sigma = 10;
};

class additions_on_gpu {
  public:
    explicit additions_on_gpu(arguments const& a) : a_(a), program_("copse_add_gpu", "addition", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices
                            : a_.papers          ? hisparse_paper_suite(a_.quick)
                            : a_.quick           ? quick_gpu_sum_suite
                                                 : gpu_sum_suite;
        return program_.for_each_matrix(
            "add", names,
            [&](std::string const& name, std::string const& type) {
                type == "float" ? add_to_itself_moved<float>(name) : add_to_itself_moved<double>(name);
            },
            [&](std::string const& name, std::string const& type) { return sums_left(name, type).empty(); });
    }

  private:
    /// Those that are not in the file.
    std::vector<transpositions> sums_left(std::string const& name, std::string const& type) const {
        std::vector<transpositions> left;
        for (auto const& sum : all_sums)
            if (!program_.is_measured("add", name, type, sum.a, sum.b)) left.push_back(sum);
        return left;
    }

    template <class T>
    sum_operands<T> convert(std::string const& name, csr<T> a) {
        watchdog const limit(program_.name(), "[" + work_on(name, type_name<T>) + "]", a_.quick ? 120 : 300);
        return make_sum_operands(program_.executor(), name, std::move(a), a_.sigma, a_.node_dimension, a_.most_sets);
    }

    /// Waits.
    template <class T>
    sum_check<T> check_of(sum_operands<T> const& operands, transpositions const& sum) {
        if (!is_checked_on_gpu(operands.a.entry_count())) return host_sum_check(operands.a, sum.a, operands.b, sum.b);
        auto& executor = program_.executor();
        csr_matrix<T> const a(executor, operands.a), b(executor, operands.b);
        watchdog const limit(program_.name(), "[" + work_on(operands.name_a, type_name<T>) + "]", 60);
        return large_sum_check(executor, a, sum.a, b, sum.b);
    }

    template <class T>
    void measure_sum(sum_operands<T> const& operands, transpositions const& sum) {
        std::vector<sum_on_gpu<T>> sets;
        for (int set = 0; set < std::ssize(operands.sets); ++set) sets.push_back(sum_of(operands, sum.a, sum.b, set));
        auto const check = check_of(operands, sum);
        race_in(program_, check, sum_ways(program_, sets.front(), a_.all_ways), sets);
    }

    template <class T>
    void add_to_itself_moved(std::string const& name) {
        auto const left = sums_left(name, type_name<T>);
        if (left.empty()) return program_.show("in the file");
        program_.show("load");
        auto a = load_for_gpu<T>(name);
        bool const is_square = a.row_count == a.column_count;
        program_.show("move, convert");
        auto const operands = convert(name, std::move(a));
        for (auto const& sum : left) {
            if (sum.a != sum.b && !is_square) continue;
            program_.show(sum.name);
            measure_sum(operands, sum);
        }
    }

    arguments a_;
    gpu_program program_;
};

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    arguments a;
    return run_program(
        "copse_add_gpu",
        "Sums of a matrix and the same one moved, on a GPU: HiSparse beside cuSPARSE, checked and timed", argc, argv, a,
        [&] { return additions_on_gpu(a).run(); },
        [&](CLI::App& app) {
            app.add_flag("--all-ways", a.all_ways, "HiSparse's sums made in other ways, too");
            add_whole(app, "--moved", a.sigma, 0, 1000, "how far B's entries are from A's: sigma (default 10)");
        });
}
