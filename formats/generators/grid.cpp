// Matrices on regular grids with absent neighbours at the walls. Point (x, y, z) of an n x m x k grid has number
// (z m + y) n + x. Entries come row by row with ascending columns.
#include <array>
#include <copse/formats/generators/tools.hpp>

namespace copse::detail {
namespace {

struct grid {
    std::int64_t n, m, k;

    std::int64_t points() const { return n * m * k; }
    std::int64_t lines() const { return m * k; }
    std::int64_t stride(int dy, int dz) const { return (dz * m + dy) * n; }
};

grid checked_grid(generator_arguments const& arguments, double entries_per_point, std::size_t value_bytes) {
    grid const g{arguments[0], arguments[1], arguments.values.size() > 2 ? arguments[2] : 1};
    double const points = static_cast<double>(g.n) * static_cast<double>(g.m) * static_cast<double>(g.k);
    check_size(arguments.name, points, points, entries_per_point * points, value_bytes);
    return g;
}

// Calls visit(dx, dy, dz) for the neighbours, itself included, that a point has in a 27-point stencil, by ascending
// point number.
template <class Visit>
void visit_neighbours(grid const& g, std::int64_t x, std::int64_t y, std::int64_t z, Visit const& visit) {
    for (int dz = z > 0 ? -1 : 0; dz <= (z + 1 < g.k ? 1 : 0); ++dz) {
        for (int dy = y > 0 ? -1 : 0; dy <= (y + 1 < g.m ? 1 : 0); ++dy) {
            for (int dx = x > 0 ? -1 : 0; dx <= (x + 1 < g.n ? 1 : 0); ++dx) visit(dx, dy, dz);
        }
    }
}

// The 5-point stencil is the 7-point one on a grid of one layer, with 4 on the diagonal.
template <class T>
coo<T> face_stencil(grid const& g, double diagonal) {
    return collect<T>(g.points(), g.points(), g.lines(), [&](std::int64_t line, auto const& emit) {
        auto const y = line % g.m;
        auto const z = line / g.m;
        for (std::int64_t x = 0; x < g.n; ++x) {
            auto const i = line * g.n + x;
            if (z > 0) emit(i, i - g.n * g.m, -1);
            if (y > 0) emit(i, i - g.n, -1);
            if (x > 0) emit(i, i - 1, -1);
            emit(i, i, diagonal);
            if (x + 1 < g.n) emit(i, i + 1, -1);
            if (y + 1 < g.m) emit(i, i + g.n, -1);
            if (z + 1 < g.k) emit(i, i + g.n * g.m, -1);
        }
    });
}

using block = std::array<std::array<double, 3>, 3>;

int offset_number(int dx, int dy, int dz) {
    return (dz + 1) * 9 + (dy + 1) * 3 + dx + 1;
}

// Springs between neighbours: for the offset o = (dx, dy, dz), with r = |o|^2, the stiffness
//   W = (I + o o^T / r + 1 1^T / 4) / r
// is symmetric positive definite, the same for o and -o, and has no zero. Blocks are -W off the diagonal and the sum of
// all 26 on it, walls included: the matrix is symmetric positive definite and maps rigid translations to zero inside.
std::array<block, 27> spring_blocks() {
    std::array<block, 27> blocks{};
    block& own = blocks[offset_number(0, 0, 0)];
    for (int number = 0; number < 27; ++number) {
        std::array<int, 3> const o{number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
        int const r = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
        if (r == 0) continue;
        for (int p = 0; p < 3; ++p) {
            for (int q = 0; q < 3; ++q) {
                double const w = ((p == q ? 1.0 : 0.0) + static_cast<double>(o[p] * o[q]) / r + 0.25) / r;
                blocks[number][p][q] = -w;
                own[p][q] += w;
            }
        }
    }
    return blocks;
}

}  // namespace

template <class T>
coo<T> poisson2d(generator_arguments const& arguments) {
    return face_stencil<T>(checked_grid(arguments, 5, sizeof(T)), 4);
}

template <class T>
coo<T> poisson3d(generator_arguments const& arguments) {
    return face_stencil<T>(checked_grid(arguments, 7, sizeof(T)), 6);
}

template <class T>
coo<T> stencil27(generator_arguments const& arguments) {
    auto const g = checked_grid(arguments, 27, sizeof(T));
    return collect<T>(g.points(), g.points(), g.lines(), [&](std::int64_t line, auto const& emit) {
        for (std::int64_t x = 0; x < g.n; ++x) {
            auto const i = line * g.n + x;
            visit_neighbours(g, x, line % g.m, line / g.m, [&](int dx, int dy, int dz) {
                auto const j = i + g.stride(dy, dz) + dx;
                emit(i, j, j == i ? 26 : -1);
            });
        }
    });
}

template <class T>
coo<T> elasticity(generator_arguments const& arguments) {
    grid const g{arguments[0], arguments[0], arguments[0]};
    double const points = static_cast<double>(g.points());
    check_size(arguments.name, 3 * points, 3 * points, 27 * 9 * points, sizeof(T));
    auto const blocks = spring_blocks();
    return collect<T>(3 * g.points(), 3 * g.points(), g.lines(), [&](std::int64_t line, auto const& emit) {
        for (std::int64_t x = 0; x < g.n; ++x) {
            auto const i = line * g.n + x;
            for (int p = 0; p < 3; ++p) {
                visit_neighbours(g, x, line % g.m, line / g.m, [&](int dx, int dy, int dz) {
                    auto const j = i + g.stride(dy, dz) + dx;
                    auto const& values = blocks[offset_number(dx, dy, dz)][p];
                    for (int q = 0; q < 3; ++q) emit(3 * i + p, 3 * j + q, values[q]);
                });
            }
        }
    });
}

template coo<float> poisson2d(generator_arguments const&);
template coo<double> poisson2d(generator_arguments const&);
template coo<float> poisson3d(generator_arguments const&);
template coo<double> poisson3d(generator_arguments const&);
template coo<float> stencil27(generator_arguments const&);
template coo<double> stencil27(generator_arguments const&);
template coo<float> elasticity(generator_arguments const&);
template coo<double> elasticity(generator_arguments const&);

}  // namespace copse::detail
