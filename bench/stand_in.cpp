#include "bench/stand_in.hpp"

#include <algorithm>
#include <cmath>
#include <copse/formats/generators/random.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <stdexcept>

#include "bench/harness/load.hpp"

namespace copse::bench {
namespace {

using detail::parallel_for;
using detail::random_sequence;

/// Of most rows.
struct bounds {
    std::int64_t low;
    std::int64_t high;
};

bounds bounds_of(paper_matrix const& m) {
    auto const mean = m.mean();
    auto const shortest = m.lengths.minimum, longest = m.lengths.is_stated() ? m.lengths.maximum : m.columns;
    auto const times = [&](double factor) { return static_cast<std::int64_t>(std::ceil(factor * mean)); };
    if (m.kind == pattern::blocks || !m.lengths.is_stated())
        return {std::max(shortest, times(0.5)), std::min(longest, times(2))};
    if (m.kind == pattern::long_rows) return {shortest, std::min(longest, times(8))};
    return {shortest, longest};
}

/// Neighbours with rows of one length: nodes of a mesh have neighbours like themselves.
std::int64_t neighbours_alike(pattern kind) {
    return kind == pattern::blocks ? 48 : kind == pattern::local ? 16 : 1;
}

/// A length from the density l^-(a + 1) on 1 .. count, u in [0, 1), moved to low ...
std::int64_t draw(bounds const& b, double a, double u) {
    double const count = static_cast<double>(b.high - b.low + 1);
    // The inverse of the distribution; a == 0 is its limit.
    double const l = std::abs(a) < 1e-9 ? std::pow(count, u) : std::pow(1 - u * (1 - std::pow(count, -a)), -1 / a);
    return std::clamp(b.low + static_cast<std::int64_t>(l) - 1, b.low, b.high);
}

double draw_for(std::int64_t row, pattern kind) {
    return random_sequence(2015, 0).unit(row / neighbours_alike(kind));
}

/// `a` for which the rows' mean is `mean`: by halving, with some of the rows.
double exponent_for(bounds const& b, double mean, std::int64_t rows, pattern kind) {
    std::int64_t const samples = std::min<std::int64_t>(rows, 1 << 16);
    auto const mean_with = [&](double a) {
        double sum = 0;
        for (std::int64_t i = 0; i < samples; ++i)
            sum += static_cast<double>(draw(b, a, draw_for(rows / samples * i, kind)));
        return sum / static_cast<double>(samples);
    };
    double low = -32, high = 64;  // all at the upper bound, all at the lower
    for (int step = 0; step < 40; ++step) {
        double const middle = (low + high) / 2;
        (mean_with(middle) > mean ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// Set lengths: the longest (and of long_rows those a quarter as long, and so on), then the shortest.
std::vector<std::int64_t> set_lengths(paper_matrix const& m, bounds const& b) {
    std::vector<std::int64_t> set;
    if (!m.lengths.is_stated()) return set;
    set.push_back(m.lengths.maximum);
    if (m.kind == pattern::long_rows)
        while (set.back() / 4 > b.high) set.push_back(set.back() / 4);
    set.push_back(m.lengths.minimum);
    return set;
}

/// Adds to rows, or takes from them, one entry each until `missing` is zero. The first rows stay as they are.
void make_up_for(std::int64_t missing, std::vector<std::int64_t>& lengths, std::size_t first, std::int64_t shortest,
                 std::int64_t longest) {
    while (missing != 0) {
        auto const before = missing;
        for (std::size_t i = first; i < lengths.size() && missing != 0; ++i) {
            auto const step = missing > 0 ? 1 : -1;
            if (lengths[i] + step < shortest || lengths[i] + step > longest) continue;
            lengths[i] += step;
            missing -= step;
        }
        if (missing == before) throw std::logic_error("no rows are as the table states");
    }
}

/// Columns for `count` entries in runs of at most `run`, within first .. first + width - 1.
void place(std::int64_t first, std::int64_t width, std::int64_t count, std::int64_t run, random_sequence const& random,
           std::int32_t* to) {
    if (width < (count + run - 1) / run * run) run = 1;
    std::int64_t const strata = (count + run - 1) / run;
    for (std::int64_t s = 0; s < strata; ++s) {
        std::int64_t const here = std::min(run, count - s * run);
        std::int64_t const begin = width * s / strata, end = width * (s + 1) / strata;
        std::int64_t const start = first + begin + random.below(end - begin - here + 1, s);
        for (std::int64_t i = 0; i < here; ++i) *to++ = static_cast<std::int32_t>(start + i);
    }
}

/// Columns with a density of c^(-2/3).
void place_skewed(std::int64_t columns, std::int64_t count, random_sequence const& random, std::int32_t* to) {
    std::int64_t next = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        double const t = (static_cast<double>(k) + random.unit(k)) / static_cast<double>(count);
        auto const wanted = static_cast<std::int64_t>(t * t * t * static_cast<double>(columns));
        std::int64_t const column = std::clamp(wanted, next, columns - (count - k));
        to[k] = static_cast<std::int32_t>(column);
        next = column + 1;
    }
}

void place_row(paper_matrix const& m, std::int64_t row, std::int64_t count, std::int32_t* to) {
    bool const is_block = m.kind == pattern::blocks;
    random_sequence const random(2015, 1 + static_cast<std::uint64_t>(is_block ? row / 3 : row));
    if (m.kind == pattern::skewed) return place_skewed(m.columns, count, random, to);
    bool const is_near = is_block || m.kind == pattern::local ||
                         (m.kind == pattern::long_rows && static_cast<double>(count) <= 8 * m.mean());
    std::int64_t const width = is_near ? std::min(m.columns, (is_block ? 24 : 48) * count) : m.columns;
    std::int64_t const centre = row * m.columns / m.rows;
    std::int64_t const first = std::clamp<std::int64_t>(centre - width / 2, 0, m.columns - width);
    place(first, width, count, is_block ? 3 : 1, random, to);
}

}  // namespace

std::vector<std::int64_t> stand_in_lengths(paper_matrix const& m) {
    if (m.kind == pattern::dense) return std::vector<std::int64_t>(static_cast<std::size_t>(m.rows), m.columns);
    auto const b = bounds_of(m);
    auto lengths = set_lengths(m, b);
    auto const set = lengths.size();
    std::int64_t entries = 0;
    for (auto length : lengths) entries += length;
    auto const others = m.rows - static_cast<std::int64_t>(set);
    double const a =
        exponent_for(b, static_cast<double>(m.entries - entries) / static_cast<double>(others), others, m.kind);
    for (std::int64_t i = 0; i < others; ++i) {
        lengths.push_back(draw(b, a, draw_for(i, m.kind)));
        entries += lengths.back();
    }
    bool const is_stated = m.lengths.is_stated();
    make_up_for(m.entries - entries, lengths, set, is_stated ? m.lengths.minimum : b.low,
                is_stated ? m.lengths.maximum : b.high);
    // The set ones lie apart, as in a circuit its supplies.
    for (std::size_t i = 0; i < set; ++i) std::swap(lengths[i], lengths[(2 * i + 1) * lengths.size() / (2 * set)]);
    return lengths;
}

template <class T>
csr<T> stand_in(paper_matrix const& m) {
    if (m.kind == pattern::generated) return load_matrix<T>(m.generator);
    auto const lengths = stand_in_lengths(m);
    csr<T> a;
    a.row_count = m.rows;
    a.column_count = m.columns;
    for (auto length : lengths) a.row_offsets.push_back(a.row_offsets.back() + length);
    a.column_indices.resize(static_cast<std::size_t>(m.entries));
    a.values.resize(static_cast<std::size_t>(m.entries));
    random_sequence const values(2015, 0);
    parallel_for(m.rows, 64, [&](std::int64_t row) {
        auto const begin = a.row_offsets[row], end = a.row_offsets[row + 1];
        place_row(m, row, end - begin, a.column_indices.data() + begin);
        for (auto k = begin; k < end; ++k) a.values[k] = static_cast<T>(values.signed_unit(k));
    });
    return a;
}

template csr<float> stand_in(paper_matrix const&);
template csr<double> stand_in(paper_matrix const&);

}  // namespace copse::bench
