// Matrices whose structure is drawn from a seed. Values are uniform in [-1, 1), except those of a permutation.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <copse/formats/generators/random.hpp>
#include <copse/formats/generators/tools.hpp>
#include <numeric>
#include <utility>

namespace copse::detail {
namespace {

// Streams of random numbers of one seed, one for each kind of choice.
enum stream : std::uint64_t { structure, values, order, edges, pairs };

// 0 .. count - 1 in random order (Fisher and Yates). Serial: a parallel shuffle would need a sort, and this one takes
// less time than the entries' memory does for the sizes in use.
std::vector<std::int32_t> random_order(std::int64_t count, random_sequence const& random) {
    std::vector<std::int32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    for (std::int64_t k = count - 1; k > 0; --k) std::swap(result[k], result[random.below(k + 1, k)]);
    return result;
}

// Member number `part` of `parts` different indices below `count`, ascending with `part`: each is drawn from its own
// stretch of the range, so that none needs to know the others.
std::int64_t draw_from_stretch(std::int64_t part, std::int64_t parts, std::int64_t count, random_sequence const& random,
                               std::int64_t k) {
    auto const begin = part_begin(part, parts, count);
    return begin + random.below(part_begin(part + 1, parts, count) - begin, k);
}

}  // namespace

template <class T>
coo<T> permutation(generator_arguments const& arguments) {
    auto const n = arguments[0];
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, rows, sizeof(T));
    auto const columns = random_order(n, random_sequence(arguments[1], order));
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) { emit(i, columns[i], 1); });
}

// The quarters of R-MAT as stretches of the 32-bit numbers, in the order upper left, upper right, lower left, lower
// right.
constexpr auto upper_left = static_cast<std::uint32_t>(0.57 * 0x1p32);
constexpr auto upper_half = static_cast<std::uint32_t>((0.57 + 0.19) * 0x1p32);
constexpr auto all_but_lower_right = static_cast<std::uint32_t>((0.57 + 0.19 + 0.19) * 0x1p32);

// Chakrabarti, Zhan, Faloutsos: R-MAT, SDM 2004, with the probabilities of the Graph500 benchmark: for each bit of the
// indices an edge falls into the upper left quarter with probability .57, into the upper right and the lower left with
// .19 each, into the lower right with .05. Vertices keep their numbers: heavy rows and columns gather at low indices.
template <class T>
coo<T> rmat(generator_arguments const& arguments) {
    auto const scale = arguments[0];
    auto const n = std::int64_t{1} << scale;
    auto const edge_count = arguments[1] * n;
    random_sequence const choices(arguments[2], structure);
    random_sequence const weights(arguments[2], values);
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, static_cast<double>(arguments[1]) * rows, sizeof(T));
    return collect<T>(n, n, edge_count, [&](std::int64_t edge, auto const& emit) {
        std::int64_t row = 0;
        std::int64_t column = 0;
        std::uint64_t bits = 0;
        for (std::int64_t level = 0; level < scale; ++level) {
            // One draw serves two levels. Sums of comparisons, not branches: no processor foresees these.
            bits = level % 2 == 0 ? choices.bits(edge * scale + level) : bits >> 32;
            auto const choice = static_cast<std::uint32_t>(bits);
            int const lower = choice >= upper_half;
            row = 2 * row + lower;
            column = 2 * column + (choice >= upper_left) - lower + (choice >= all_but_lower_right);
        }
        emit(row, column, weights.signed_unit(edge));
    });
}

// A circuit: nodes 0 .. n - 1 with, on average, four entries in a row from short wires and one from the four supply
// nets; rows and columns of the nets hold a fifth of all entries. The structure is symmetric, the values are not.
//   the diagonal
//   (i, i + 1) and (i, i + w), w = sqrt n: each with probability 1/2
//   one far partner for each node, by pairing the nodes at random
//   one net for every second node: the first net takes half of them, the next a quarter, the last two an eighth each
// Wires that would meet a net or repeat another wire are left out.
template <class T>
coo<T> circuit(generator_arguments const& arguments) {
    auto const n = arguments[0];
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, 9 * rows, sizeof(T));
    random_sequence const wires(arguments[1], edges);
    random_sequence const weights(arguments[1], values);
    auto const partner_order = random_order(n, random_sequence(arguments[1], order));
    auto const width = static_cast<std::int64_t>(std::sqrt(rows));
    std::array<std::int64_t, 4> const nets{n / 8, n * 3 / 8, n * 5 / 8, n * 7 / 8};
    auto const is_net = [&](std::int64_t i) { return std::find(nets.begin(), nets.end(), i) != nets.end(); };
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) {
        auto k = 9 * i;
        auto const wire = [&](std::int64_t from, std::int64_t to) {
            emit(from, to, weights.signed_unit(k));
            emit(to, from, weights.signed_unit(k + 1));
            k += 2;
        };
        auto const choice = wires.bits(i);
        emit(i, i, weights.signed_unit(k++));
        bool const plain = !is_net(i);
        if (plain && i + 1 < n && !is_net(i + 1) && (choice & 1)) wire(i, i + 1);
        if (plain && i + width < n && !is_net(i + width) && (choice & 2)) wire(i, i + width);
        if (plain && (choice & 4)) wire(i, nets[std::min(std::countr_zero(choice >> 3), 3)]);
        if (i % 2 == 0 && i + 1 < n) {
            std::int64_t const a = partner_order[i];
            std::int64_t const b = partner_order[i + 1];
            auto const distance = std::max(a, b) - std::min(a, b);
            if (!is_net(a) && !is_net(b) && distance != 1 && distance != width) wire(a, b);
        }
    });
}

// Constraints of a linear program: each column has one entry among the first hundredth of the rows, which link
// everything and are therefore long, and one to four among the others. Entries come column by column.
template <class T>
coo<T> lp(generator_arguments const& arguments) {
    auto const rows = arguments[0];
    auto const columns = arguments[1];
    double const n = static_cast<double>(columns);
    check_size(arguments.name, static_cast<double>(rows), n, 5 * n, sizeof(T));
    random_sequence const choices(arguments[2], structure);
    random_sequence const weights(arguments[2], values);
    auto const linking = std::max<std::int64_t>(1, rows / 100);
    auto const others = rows - linking;
    return collect<T>(rows, columns, columns, [&](std::int64_t j, auto const& emit) {
        auto const k = 6 * j;
        emit(choices.below(linking, k), j, weights.signed_unit(k));
        auto const count = std::min(others, 1 + choices.below(4, k + 1));
        for (std::int64_t part = 0; part < count; ++part) {
            emit(linking + draw_from_stretch(part, count, others, choices, k + 2 + part), j,
                 weights.signed_unit(k + 2 + part));
        }
    });
}

template <class T>
coo<T> uniform(generator_arguments const& arguments) {
    auto const n = arguments[0];
    auto const count = std::min(arguments[1], n);
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, rows * static_cast<double>(count), sizeof(T));
    random_sequence const choices(arguments[2], structure);
    random_sequence const weights(arguments[2], values);
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) {
        for (std::int64_t part = 0; part < count; ++part) {
            auto const k = i * count + part;
            emit(i, draw_from_stretch(part, count, n, choices, k), weights.signed_unit(k));
        }
    });
}

// What schedules by rows cannot share out, nor formats that pad to the longest row of a few.
template <class T>
coo<T> dense_row(generator_arguments const& arguments) {
    auto const n = arguments[0];
    auto const count = std::min(arguments[1], n);
    double const rows = static_cast<double>(n);
    check_size(arguments.name, rows, rows, rows * static_cast<double>(count) + rows, sizeof(T));
    random_sequence const choices(arguments[2], structure);
    random_sequence const weights(arguments[2], values);
    return collect<T>(n, n, n, [&](std::int64_t i, auto const& emit) {
        if (i == n / 2) {
            for (std::int64_t j = 0; j < n; ++j) emit(i, j, weights.signed_unit(n * count + j));
            return;
        }
        for (std::int64_t part = 0; part < count; ++part) {
            auto const k = i * count + part;
            emit(i, draw_from_stretch(part, count, n, choices, k), weights.signed_unit(k));
        }
    });
}

template coo<float> permutation(generator_arguments const&);
template coo<double> permutation(generator_arguments const&);
template coo<float> rmat(generator_arguments const&);
template coo<double> rmat(generator_arguments const&);
template coo<float> circuit(generator_arguments const&);
template coo<double> circuit(generator_arguments const&);
template coo<float> lp(generator_arguments const&);
template coo<double> lp(generator_arguments const&);
template coo<float> uniform(generator_arguments const&);
template coo<double> uniform(generator_arguments const&);
template coo<float> dense_row(generator_arguments const&);
template coo<double> dense_row(generator_arguments const&);

}  // namespace copse::detail
