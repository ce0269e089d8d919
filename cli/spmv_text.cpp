#include "cli/spmv_text.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"

namespace copse::cli {

using measure::human_bytes;
using measure::human_seconds;
using measure::with_commas;

std::string spmv_footer() {
    return "y <- alpha op(A) x + beta y, with op(A) = A, or A^T with --transpose. The product runs once and is "
           "checked,\n"
           "then runs again --repeat times. Every run starts from the same y, and its result is compared with a plain\n"
           "product in long double; one that is off by more than rounding can explain is an error (exit status 1) and\n"
           "is not written.\n"
           "\n"
           "JSON: op, transpose, matrix, format, on (where it ran), controller (null on the cpu), type, threads (of "
           "the\n"
           "CPU), rows, cols, entries, bytes (of A in this format), moved_bytes (bytes, x, y, and y again where it is\n"
           "read), convert_seconds (from CSR), seconds (median of the repeats), plan_seconds (null: no plan),\n"
           "first_seconds (the first run), mode, gflops (2 entries per second), gbytes_per_second (moved_bytes),\n"
           "csr_gbytes_per_second (as if CSR with offsets of 4 bytes had been moved in the same time: comparable "
           "between\n"
           "formats), max_error (largest |y_i - reference_i| / bound_i, right up to 1; bound_i is (entries of the row\n"
           "+ 3) eps (|alpha| |op(A)| |x| + |beta| |y|)_i), node_dimension, repeats, min_seconds, max_seconds, spread\n"
           "(distance of the quartiles / median).\n"
           "\n"
           "Examples:\n"
           "  copse spmv A.mtx --transpose --alpha 2 --x x.mtx -o y.mtx\n"
           "  copse spmv poisson3d:96 --format csr --threads 1 --json\n"
           "  copse spmv rmat:8 --on emulated --controller persistent --seed 7    the GPU's code, without a GPU";
}

std::string spmv_text(measure::measurement const& m, std::string const& fallback_reason) {
    auto const entries = static_cast<double>(m.entries);
    auto const per_entry = [&](std::int64_t bytes) {
        return m.entries == 0 ? std::string() : fmt::format(", {:.2f} per entry", static_cast<double>(bytes) / entries);
    };
    auto const format = m.node_dimension ? fmt::format("{} with d = {}", m.format, *m.node_dimension) : m.format;
    auto const controller = m.controller ? ", controller " + *m.controller : std::string();
    auto const cpu = m.on == "cpu" ? fmt::format(", {} thread{}", m.threads, m.threads == 1 ? "" : "s") : std::string();

    measure::table t("ll");
    t.add({"product", m.transpose ? "y <- alpha A^T x + beta y" : "y <- alpha A x + beta y"});
    t.add({"A", fmt::format("{}: {} x {}, {} entries, {}", m.matrix, with_commas(m.rows), with_commas(m.columns),
                            with_commas(m.entries), m.type)});
    auto const conversion = m.format == "csr" ? "" : "; converted in " + human_seconds(m.convert_seconds);
    t.add({"format", fmt::format("{}: {}{}{}", format, human_bytes(static_cast<double>(m.bytes)), per_entry(m.bytes),
                                 conversion)});
    t.add({"on", m.on + controller + cpu + (fallback_reason.empty() ? "" : ", taken by auto: " + fallback_reason)});
    t.add({"first run", human_seconds(m.first_seconds)});
    if (m.repeats > 0) {
        t.add({fmt::format("median of {}", m.repeats),
               fmt::format("{} ({} to {})", human_seconds(m.seconds), human_seconds(m.min_seconds),
                           human_seconds(m.max_seconds))});
    }
    t.add({"speed", fmt::format("{:.2f} GFLOP/s, {:.2f} GB/s moved; CSR would move {:.2f} GB/s in this time",
                                m.gflops(), m.gbytes_per_second(), m.csr_gbytes_per_second())});
    t.add({"check",
           fmt::format("{}: largest error is {:.3g} of the bound", m.is_right() ? "right" : "WRONG", m.max_error)});
    return t.text();
}

std::string wrong_result(measure::measurement const& m, std::string const& output) {
    return fmt::format("the result is wrong: it is off by {:.3g} times what rounding can explain{}", m.max_error,
                       output.empty() ? "" : "; nothing was written to '" + output + "'");
}

}  // namespace copse::cli
