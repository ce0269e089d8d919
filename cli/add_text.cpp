#include "cli/add_text.hpp"

#include "cli/measurement_text.hpp"
#include "cli/text.hpp"

namespace copse::cli {

std::string add_footer() {
    return "C = alpha op(A) + beta op(B), with op(A) = A, or A^T with --transpose-a, and op(B) likewise. C has an\n"
           "entry wherever op(A) or op(B) has one: those that cancel are stored zeros. The sum is computed once and\n"
           "checked, then again --repeat times, each into a new matrix, transpositions included. The first and the\n"
           "last result are compared with a plain sum in long double; one that has other entries, or is off by more\n"
           "than rounding can explain, is an error (exit status 1) and is not written.\n"
           "\n"
           "JSON: the fields of copse spmv --json (see its help), where op is add, matrix, transpose, rows, cols and\n"
           "entries are those of A, bytes those of A and B in this format, moved_bytes what is read of A and B and\n"
           "written of C: bytes and result_bytes, without the nodes that a HiSparse C shares with A or B, on either\n"
           "side (0 where it shares all), csr_gbytes_per_second as if CSR matrices with offsets of 4 bytes had been\n"
           "moved, gflops counts a product for each entry of A and B and a sum for each pair that meets, and the\n"
           "bound of max_error is 2 eps (|alpha a_ij| + |beta b_ij|); with --memory, peak_bytes and device_peak_bytes\n"
           "are what one more sum takes of the host's and of the GPU's memory beside A and B, its result included.\n"
           "Behind them: matrix_b, transpose_b, rows_b, cols_b, entries_b,\n"
           "result_entries, result_bytes (of all of C, in this format), entries_per_second (of A and B).\n"
           "\n"
           "Examples:\n"
           "  copse add A.mtx B.mtx --beta -1 -o C.mtx\n"
           "  copse add A.mtx A.mtx --transpose-b --alpha 0.5 --beta 0.5 -o symmetric.mtx\n"
           "  copse add poisson3d:96 moved:10,1,poisson3d:96 --transpose-b --json";
}

std::string add_text(measure::measurement const& m, std::string const& fallback_reason) {
    auto const& b = *m.plus;
    auto const operand = [](char const* name, bool transposed) { return std::string(name) + (transposed ? "^T" : ""); };
    measure::table t("ll");
    t.add({"sum", "C = alpha " + operand("A", m.transpose) + " + beta " + operand("B", b.transpose)});
    t.add({"A", shape_text(m.matrix, m.rows, m.columns, m.entries) + ", " + m.type});
    t.add({"B", shape_text(b.matrix, b.rows, b.columns, b.entries)});
    t.add({"C", measure::with_commas(b.result_entries) + " entries, " +
                    measure::human_bytes(static_cast<double>(b.result_bytes))});
    add_execution_rows(t, m, m.entries + b.entries, fallback_reason);
    return t.text();
}

}  // namespace copse::cli
