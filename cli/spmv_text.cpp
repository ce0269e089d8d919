#include "cli/spmv_text.hpp"

#include "cli/measurement_text.hpp"
#include "cli/text.hpp"

namespace copse::cli {

std::string spmv_footer() {
    return "y <- alpha op(A) x + beta y, with op(A) = A, or A^T with --transpose. The product runs once and is "
           "checked,\n"
           "then runs again --repeat times. Every run starts from the same y, and its result is compared with a plain\n"
           "product in long double; one that is off by more than rounding can explain is an error (exit status 1) and\n"
           "is not written.\n"
           "\n"
           "--format auto takes a format by the entries per row; `copse info` says which. On the cpu: HiSparse where "
           "rows\n"
           "are not short, and else SELL-P or CSR5 (--mode plan); SELL-P or CSR5 (--mode oneshot), with --transpose "
           "CSR,\n"
           "SELL-P or HiSparse. On a GPU and emulated: SELL-P where rows are alike, and else CSR5. Where SELL-P pads "
           "too\n"
           "much: HiSparse on the cpu, and else CSR5.\n"
           "\n"
           "JSON: op, transpose, matrix, format, on (where it ran), controller (null on the cpu), type, threads (of "
           "the\n"
           "CPU), rows, cols, entries, bytes (of A in this format, and of the plan), moved_bytes (what a product "
           "reads\n"
           "of them, x, y, and y again where it is read), convert_seconds (from CSR), seconds (median of the repeats), "
           "plan_seconds (null: no plan),\n"
           "first_seconds (the first run), mode, gflops (2 entries per second), gbytes_per_second (moved_bytes),\n"
           "csr_gbytes_per_second (as if CSR with offsets of 4 bytes had been moved in the same time: comparable "
           "between\n"
           "formats), max_error (largest |y_i - reference_i| / bound_i, right up to 1; bound_i is (entries of the row\n"
           "+ 3) eps (|alpha| |op(A)| |x| + |beta| |y|)_i), node_dimension, repeats, min_seconds, max_seconds, spread\n"
           "(distance of the quartiles / median); with --memory peak_bytes: what one more product takes of the host's\n"
           "memory at most, beside A, a plan, x and y (null: this system does not count), and on a GPU\n"
           "device_peak_bytes: what of the GPU's, as the executor's pool counts it. What the conversion and the plan\n"
           "take: copse convert --memory.\n"
           "\n"
           "Examples:\n"
           "  copse spmv A.mtx --transpose --alpha 2 --x x.mtx -o y.mtx\n"
           "  copse spmv poisson3d:96 --format csr --threads 1 --json\n"
           "  copse spmv rmat:8 --on emulated --controller persistent --seed 7    the GPU's code, without a GPU";
}

std::string spmv_text(measure::measurement const& m, std::string const& fallback_reason,
                      std::string const& format_reason) {
    measure::table t("ll");
    t.add({"product", m.transpose ? "y <- alpha A^T x + beta y" : "y <- alpha A x + beta y"});
    t.add({"A", shape_text(m.matrix, m.rows, m.columns, m.entries) + ", " + m.type});
    if (!format_reason.empty()) t.add({"auto", m.format + ": " + format_reason});
    add_execution_rows(t, m, m.entries, fallback_reason);
    return t.text();
}

}  // namespace copse::cli
