// New matrices by the operations of examples/element_wise.cpp and examples/diagonal_matrix.cpp and by the library's,
// beside loops over CSR.
#include <copse/algebra/map_entries.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/kit_contest.hpp"

// Their main functions stay unused: as templates they are not compiled.
// clang-format off
#define main() main_of_example(auto...)
namespace element_wise {
#include "examples/element_wise.cpp"
}
namespace of_vector {
#include "examples/diagonal_matrix.cpp"
}
#undef main
// clang-format on

namespace copse::bench {
namespace {

/// each(row, first entry, end, put) is called twice: put(column, value) for each entry of that row of the new matrix.
template <class Each>
csr<double> new_rows(csr<double> const& a, Each each) {
    csr<double> made{a.row_count, a.column_count, std::vector<std::int64_t>(a.row_offsets.size(), 0), {}, {}};
    for_each_row_of(a, [&](int) {
        return [&](std::size_t i, std::size_t first, std::size_t end) {
            std::int64_t found = 0;
            each(i, first, end, [&](std::int32_t, double) { ++found; });
            made.row_offsets[i + 1] = found;
        };
    });
    std::partial_sum(made.row_offsets.begin(), made.row_offsets.end(), made.row_offsets.begin());
    made.column_indices.resize(static_cast<std::size_t>(made.row_offsets.back()));
    made.values.resize(made.column_indices.size());
    for_each_row_of(a, [&](int) {
        return [&](std::size_t i, std::size_t first, std::size_t end) {
            auto at = static_cast<std::size_t>(made.row_offsets[i]);
            each(i, first, end, [&](std::int32_t column, double value) {
                made.column_indices[at] = column;
                made.values[at++] = value;
            });
        };
    });
    return made;
}

/// The Kronecker product with B = (0 2; 3 0): A (x) B, or B (x) A. Its rows have the lengths of A's.
csr<double> kronecker_rows(csr<double> const& a, bool b_first) {
    std::size_t const n = a.row_offsets.size() - 1, size = a.values.size();
    auto const columns = static_cast<std::int32_t>(a.column_count);
    csr<double> made{2 * a.row_count, 2 * a.column_count, std::vector<std::int64_t>(2 * n + 1, 0), {}, {}};
    made.column_indices.resize(2 * size);
    made.values.resize(2 * size);
    for_each_row_of(a, [&](int) {
        return [&](std::size_t i, std::size_t first, std::size_t end) {
            for (std::size_t const k : {0, 1}) {  // B's row
                std::size_t at = b_first ? first + k * size : 2 * first + k * (end - first);
                for (std::size_t e = first; e < end; ++e, ++at) {
                    std::int32_t const j = a.column_indices[e], l = k == 0 ? 1 : 0;
                    made.column_indices[at] = b_first ? l * columns + j : 2 * j + l;
                    made.values[at] = (k == 0 ? 2 : 3) * a.values[e];
                }
                made.row_offsets[(b_first ? i + k * n : 2 * i + k) + 1] = static_cast<std::int64_t>(at);
            }
        };
    });
    return made;
}

/// The diagonal matrix of a vector.
csr<double> diagonal_rows(csr<double> const& of_threads, values const& diagonal) {
    auto const n = static_cast<std::int64_t>(diagonal.size());
    csr<double> made{n, n, std::vector<std::int64_t>(diagonal.size() + 1, 0), {}, {}};
    made.column_indices.resize(diagonal.size());
    made.values.resize(diagonal.size());
    for_each_row_of(of_threads, [&](int) {
        return [&](std::size_t i, std::size_t, std::size_t) {
            made.row_offsets[i + 1] = static_cast<std::int64_t>(i) + 1;
            made.column_indices[i] = static_cast<std::int32_t>(i);
            made.values[i] = diagonal[i];
        };
    });
    return made;
}

}  // namespace

void measure_new_matrices(cpu& executor, std::string const& name, int repeats, std::vector<std::string> const& only,
                          json_lines& lines) {
    csr<double> const rows = to_csr(generate<double>(name));
    csr<double> other = new_rows(rows, [&](std::size_t, std::size_t first, std::size_t end, auto put) {
        for (std::size_t k = first; k < end; ++k)
            if (k % 3 != 0) put(rows.column_indices[k], k % 2 == 0 ? 0 : rows.values[k]);
    });
    hisparse<double> const a(executor, rows), b(executor, other);
    contest const all(name, repeats, only, lines);
    auto const race_rows = [&](char const* operation, auto make, auto plain) {
        if (!all.has(operation)) return;
        csr<double> const got = to_csr(make()), want = plain();
        bool const same_rows = got.row_offsets == want.row_offsets || got.row_count != want.row_count;  // of a part
        if (!same_rows || got.column_indices != want.column_indices || got.values != want.values)
            throw std::runtime_error(std::string(operation) + ": results differ");
        auto const count = [](auto const& m) { return values{static_cast<double>(m.entry_count())}; };
        all.race(
            operation, 0, [&] { return count(make()); }, [&] { return count(plain()); });
    };
    auto const race = [&](char const* operation, auto make, auto const& from, auto each) {
        race_rows(operation, make, [&] { return new_rows(from, each); });
    };
    race(
        "map",
        [&] {
            return copse::map_entries(executor, a,
                                      [](std::int64_t, std::int64_t, double value) { return 0.5 * value - 1; });
        },
        rows,
        [&](std::size_t, std::size_t first, std::size_t end, auto put) {
            for (std::size_t k = first; k < end; ++k) put(rows.column_indices[k], 0.5 * rows.values[k] - 1);
        });
    race(
        "prune", [&] { return copse::prune(executor, b); }, other,
        [&](std::size_t, std::size_t first, std::size_t end, auto put) {
            for (std::size_t k = first; k < end; ++k)
                if (other.values[k] != 0) put(other.column_indices[k], other.values[k]);
        });
    race(
        "lower triangle", [&] { return copse::map_entries(executor, a, element_wise::lower_part{false}); }, rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            for (std::size_t k = first; k < end; ++k)
                if (static_cast<std::size_t>(rows.column_indices[k]) <= i) put(rows.column_indices[k], rows.values[k]);
        });
    race(
        "A .* B", [&] { return copse::map_entry_pairs<copse::pairs::both>(executor, a, b, element_wise::times()); },
        rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            auto at = static_cast<std::size_t>(other.row_offsets[i]);
            auto const last = static_cast<std::size_t>(other.row_offsets[i + 1]);
            for (std::size_t k = first; k < end; ++k) {
                while (at < last && other.column_indices[at] < rows.column_indices[k]) ++at;
                if (at < last && other.column_indices[at] == rows.column_indices[k])
                    put(rows.column_indices[k], rows.values[k] * other.values[at]);
            }
        });
    race(
        "masked update",
        [&] { return copse::map_entry_pairs<copse::pairs::either>(executor, a, b, element_wise::replace()); }, rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {  // B's pattern is part of A's
            auto at = static_cast<std::size_t>(other.row_offsets[i]);
            auto const last = static_cast<std::size_t>(other.row_offsets[i + 1]);
            for (std::size_t k = first; k < end; ++k) {
                while (at < last && other.column_indices[at] < rows.column_indices[k]) ++at;
                bool const there = at < last && other.column_indices[at] == rows.column_indices[k];
                put(rows.column_indices[k], there ? other.values[at] : rows.values[k]);
            }
        });
    std::int64_t const from = rows.row_count / 4 + 5, size = rows.row_count / 2;
    race(
        "A[rows, columns]",
        [&] {
            return copse::sub_matrix(executor, a, {from, size}, {from, size});
        },
        rows,
        [&](std::size_t i, std::size_t first, std::size_t end, auto put) {
            if (static_cast<std::int64_t>(i) < from || static_cast<std::int64_t>(i) >= from + size) return;
            for (std::size_t k = first; k < end; ++k)
                if (rows.column_indices[k] >= from && rows.column_indices[k] < from + size)
                    put(static_cast<std::int32_t>(rows.column_indices[k] - from), rows.values[k]);
        });
    values diagonal(static_cast<std::size_t>(rows.row_count));
    for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = static_cast<double>(i) + 0.5;
    race_rows(
        "matrix of a diagonal", [&] { return of_vector::diagonal_matrix(executor, diagonal); },
        [&] { return diagonal_rows(rows, diagonal); });
    coo<double> const small{2, 2, {0, 1}, {1, 0}, {2, 3}};
    race_rows(
        "A (x) B, B 2 x 2", [&] { return copse::kronecker(executor, a, small); },
        [&] { return kronecker_rows(rows, false); });
    race_rows(
        "B (x) A, B 2 x 2", [&] { return copse::kronecker(executor, small, a); },
        [&] { return kronecker_rows(rows, true); });
}

}  // namespace copse::bench
