#include "bench/gpu_comparison/large_sum.hpp"

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/large_conversion.hpp"
#include "bench/gpu_comparison/program_sums.hpp"

namespace copse::bench {
namespace {

/// Of B. Stencils meet in two of three entries, or in two of seven; random ones hardly.
constexpr std::int64_t columns_further = 1;

/// A or B: its rows with offsets of 64 bits, and of 32 bits as cuSPARSE has them, and its tree.
template <class T>
struct large_addend {
    std::string name;
    csr_matrix<T> rows;
    buffer<std::int32_t> narrow;  // none where its entries are too many
    made_there<hisparse<T>> tree;

    gpu_addend<T> view(bool transpose) const { return {name, borrow(rows, narrow), tree.matrix, transpose}; }
};

template <class T>
class large_sums {
  public:
    large_sums(gpu_program& program, std::string const& name)
        : program_(program),
          formula_(formula_for_gpu(name)),
          a_(complete(name, make_on_gpu<T>(program.executor(), formula_))),
          b_(complete("rotated:" + std::to_string(columns_further) + ',' + name,
                      make_rotated_on_gpu<T>(program.executor(), formula_, columns_further))) {}

    void race(bool transpose_b) {
        sum_on_gpu<T> const what{a_.view(false), b_.view(transpose_b), a_.tree.seconds + b_.tree.seconds};
        auto ways = sum_ways(program_, what);
        auto const& failure = a_.tree.failure.empty() ? b_.tree.failure : a_.tree.failure;
        for (auto& way : ways)
            if (way.record.is_ours()) way.record.failure = failure;
        refuse_too_large(ways);
        auto const check = large_sum_check(program_.executor(), a_.rows, false, b_.rows, transpose_b);
        race_in<T>(program_, check, std::move(ways), {what});
    }

  private:
    large_addend<T> complete(std::string name, csr_matrix<T> rows) {
        auto& executor = program_.executor();
        buffer<std::int32_t> narrow;
        if (lack_of_width(rows.entry_count()).empty()) narrow = narrow_offsets(executor, rows.content()->row_offsets);
        executor.set_controller(controller_for_preparations);
        auto tree = convert_on_gpu<hisparse<T>>(
            program_, name, "hisparse", rows, hisparse_options{.node_dimension = program_.arguments().node_dimension});
        return {std::move(name), std::move(rows), std::move(narrow), std::move(tree)};
    }

    /// cuSPARSE counts C's entries in 32 bits, and what it keeps leaves half of the free memory to the sums.
    void refuse_too_large(std::vector<sum_way<T>>& ways) {
        auto const free = free_bytes(program_.executor());
        std::int64_t kept = 0;
        for (auto& one : ways) {
            if (one.record.library != "cusparse") continue;
            auto why = lack_of_width(a_.rows.entry_count() + b_.rows.entry_count());
            auto const bytes = kept + one.bytes_to_keep;
            if (why.empty()) why = lack_of_memory(bytes, free);
            one.record.failure = why;
            one.record.is_refused = !why.empty();
            if (why.empty()) kept = bytes;
        }
    }

    gpu_program& program_;
    row_formula formula_;
    large_addend<T> a_, b_;
};

}  // namespace

template <class T>
void add_large(gpu_program& program, std::string const& name) {
    std::optional<large_sums<T>> sums;
    for (bool const transpose_b : {false, true}) {
        if (program.is_measured("add", name, type_name<T>, false, transpose_b)) continue;
        if (!sums) {
            program.show("make, convert");
            sums.emplace(program, name);
        }
        program.show(transpose_b ? "A + B^T" : "A + B");
        sums->race(transpose_b);
    }
}

template void add_large<float>(gpu_program&, std::string const&);
template void add_large<double>(gpu_program&, std::string const&);

}  // namespace copse::bench
