// Matrices too large to be made on the host: rows from a formula, which a GPU writes where it needs them. The same
// entries as the generators of these names have (formats/generators.hpp).
//
//   first_entry(i)   entries of the rows before row i; of all rows for i == row_count()
//   visit(i, f)      f(column, value) for each entry of row i, columns ascending
//
// Host and device run the same code.
#pragma once

#include <copse/formats/generators/random.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace copse::bench {

/// Along one side of a grid with `size` points: how many of a point's two neighbours are there.
struct grid_side {
    std::int64_t size;

    COPSE_HOST_DEVICE std::int64_t neighbours(std::int64_t at) const { return (at > 0) + (at + 1 < size); }
    /// The sum of neighbours(0) .. neighbours(at - 1).
    COPSE_HOST_DEVICE std::int64_t neighbours_before(std::int64_t at) const {
        return 2 * at - (at > 0) - (at > 0 && at == size);
    }
};

struct grid_rows {
    grid_side x, y, z;

    COPSE_HOST_DEVICE std::int64_t row_count() const { return x.size * y.size * z.size; }
    COPSE_HOST_DEVICE std::int64_t column_count() const { return row_count(); }
};

/// 7 points: 6 on the diagonal, -1 beside it.
struct poisson3d_rows : grid_rows {
    COPSE_HOST_DEVICE std::int64_t first_entry(std::int64_t i) const {
        std::int64_t const at_x = i % x.size, at_y = i / x.size % y.size, at_z = i / x.size / y.size;
        std::int64_t const lines = i / x.size, plane = x.size * y.size;
        std::int64_t const along_x = lines * x.neighbours_before(x.size) + x.neighbours_before(at_x);
        std::int64_t const along_y =
            x.size * (at_z * y.neighbours_before(y.size) + y.neighbours_before(at_y)) + at_x * y.neighbours(at_y);
        std::int64_t const along_z = plane * z.neighbours_before(at_z) + (i - at_z * plane) * z.neighbours(at_z);
        return i + along_x + along_y + along_z;
    }
    template <class Visit>
    COPSE_HOST_DEVICE void visit(std::int64_t i, Visit const& f) const {
        std::int64_t const at_x = i % x.size, at_y = i / x.size % y.size, at_z = i / x.size / y.size;
        std::int64_t const plane = x.size * y.size;
        if (at_z > 0) f(i - plane, -1.0);
        if (at_y > 0) f(i - x.size, -1.0);
        if (at_x > 0) f(i - 1, -1.0);
        f(i, 6.0);
        if (at_x + 1 < x.size) f(i + 1, -1.0);
        if (at_y + 1 < y.size) f(i + x.size, -1.0);
        if (at_z + 1 < z.size) f(i + plane, -1.0);
    }
};

/// 27 points: 26 on the diagonal, -1 beside it.
struct stencil27_rows : grid_rows {
    COPSE_HOST_DEVICE std::int64_t first_entry(std::int64_t i) const {
        std::int64_t const at_x = i % x.size, at_y = i / x.size % y.size, at_z = i / x.size / y.size;
        auto const points_before = [](grid_side const& side, std::int64_t at) {
            return at + side.neighbours_before(at);
        };
        std::int64_t const line = points_before(x, x.size), plane = points_before(y, y.size) * line;
        std::int64_t const in_line = (1 + y.neighbours(at_y)) * points_before(x, at_x);
        return points_before(z, at_z) * plane +
               (at_z < z.size ? (1 + z.neighbours(at_z)) * (points_before(y, at_y) * line + in_line) : 0);
    }
    template <class Visit>
    COPSE_HOST_DEVICE void visit(std::int64_t i, Visit const& f) const {
        std::int64_t const at_x = i % x.size, at_y = i / x.size % y.size, at_z = i / x.size / y.size;
        for (int dz = at_z > 0 ? -1 : 0; dz <= (at_z + 1 < z.size ? 1 : 0); ++dz)
            for (int dy = at_y > 0 ? -1 : 0; dy <= (at_y + 1 < y.size ? 1 : 0); ++dy)
                for (int dx = at_x > 0 ? -1 : 0; dx <= (at_x + 1 < x.size ? 1 : 0); ++dx) {
                    std::int64_t const j = i + (dz * y.size + dy) * x.size + dx;
                    f(j, j == i ? 26.0 : -1.0);
                }
    }
};

/// As many entries in each row, one in each equal stretch of columns.
struct uniform_rows {
    std::int64_t size;
    std::int64_t in_row;  // at most size
    std::int64_t seed;

    COPSE_HOST_DEVICE std::int64_t row_count() const { return size; }
    COPSE_HOST_DEVICE std::int64_t column_count() const { return size; }
    COPSE_HOST_DEVICE std::int64_t first_entry(std::int64_t i) const { return i * in_row; }
    template <class Visit>
    COPSE_HOST_DEVICE void visit(std::int64_t i, Visit const& f) const {
        detail::random_sequence const choices(seed, 0), weights(seed, 1);
        for (std::int64_t part = 0; part < in_row; ++part) {
            std::int64_t const k = i * in_row + part, begin = detail::part_begin(part, in_row, size);
            f(begin + choices.below(detail::part_begin(part + 1, in_row, size) - begin, k), weights.signed_unit(k));
        }
    }
};

/// Every entry `by` columns further, round the end: 0 <= by <= columns.
template <class Rows>
struct rotated_rows {
    Rows rows;
    std::int64_t by;

    COPSE_HOST_DEVICE std::int64_t row_count() const { return rows.row_count(); }
    COPSE_HOST_DEVICE std::int64_t column_count() const { return rows.column_count(); }
    COPSE_HOST_DEVICE std::int64_t first_entry(std::int64_t i) const { return rows.first_entry(i); }
    template <class Visit>
    COPSE_HOST_DEVICE void visit(std::int64_t i, Visit const& f) const {
        std::int64_t const stay = column_count() - by;
        rows.visit(i, [&](std::int64_t column, double value) {
            if (column >= stay) f(column - stay, value);
        });
        rows.visit(i, [&](std::int64_t column, double value) {
            if (column < stay) f(column + by, value);
        });
    }
};

using row_formula = std::variant<poisson3d_rows, stencil27_rows, uniform_rows>;

/// "poisson3d:320", "stencil27:200,100,50", "uniform:8000000,16,1"; none for another generator. Throws argument_error
/// where its arguments are no whole numbers above 0, or the matrix has 2^31 rows or more.
std::optional<row_formula> formula_of(std::string const& specification);

/// The same; throws argument_error where there is none.
row_formula formula_for_gpu(std::string const& specification);

}  // namespace copse::bench
