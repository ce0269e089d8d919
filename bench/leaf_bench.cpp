// Ways to store a leaf, side by side: coordinates in three orders, runs along diagonals, bitmaps, compressed rows, and
// of runs and compressed rows whichever takes fewer bytes.
//
//   copse_leaf_bench [repeats, default 7; 0: bytes only] [double | float] [orders] [matrix ..., default seven generators of 10^6 to 10^7 entries]
//
// orders: coordinates by diagonals only, with the leaves in each order.
//
// For each matrix, with d = 128: how many bytes each way takes, how long A x and A^T x take over all leaves, and the
// union of every leaf with that of B (`moved:10,1,` A) or B^T at the same place. One thread, no tree: the leaves lie
// one after the other in the library's order (row-major in each parent); for two ways also along rows, columns and
// diagonals of blocks of the whole matrix, and along a Z-curve, B as A, and pairs in A's order. Products are compared
// with CSR's, every sixteenth union with its operands. Ways take turns; medians of the thread's processor time. Blocks
// that the library keeps together in wide leaves are leaves here.
#include <fmt/format.h>

#include <bench/leaves/byte_study.hpp>
#include <bench/leaves/runs_or_csr.hpp>
#include <bench/leaves/stored_leaves.hpp>
#include <cmath>
#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "cli/numbers.hpp"

namespace copse::bench::leaves {
namespace {

template <class T>
struct problem {
    leaf_list a, b;
    std::vector<std::size_t> by_parent_a, by_parent_b;
    std::vector<std::pair<std::size_t, std::size_t>> pairs, transposed_pairs;
    std::vector<T> x, y;  // as long as the matrix has rows or columns
    std::vector<double> expected, expected_transposed, magnitude;
    std::vector<std::byte> room;  // for the longest list of unions
    workspace<T> work;
};

/// Of this thread: what others do on the machine counts only as far as they take caches and bandwidth.
double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct race_entry {
    std::string name;
    double bytes_per_entry;
    std::vector<std::function<void()>> runs;  // A x, A^T x, A + B, A + B^T, as far as they take part
    std::vector<std::vector<double>> seconds;
};

template <class Format>
void multiply_all(stored_leaves<Format> const& a, problem<typename Format::value_type>& p, bool transpose) {
    std::fill(p.y.begin(), p.y.end(), 0);
    for (auto const& l : a.places) {
        std::byte const* const memory = a.memory.data() + l.offset;
        if (transpose)
            Format::multiply_transposed(memory, l.count, p.x.data() + l.row, p.y.data() + l.column);
        else
            Format::multiply(memory, l.count, p.x.data() + l.column, p.y.data() + l.row);
    }
}

template <class Format>
void check_union(std::byte const* a, int na, std::byte const* b, int nb, bool transpose_b, std::byte const* c, int nc) {
    std::vector<double> dense(dimension * dimension), there(dense.size());
    auto const add = [&](double sign) {
        return [&, sign](int row, int column, double v) {
            dense[static_cast<std::size_t>(row * dimension + column)] += sign * v;
            there[static_cast<std::size_t>(row * dimension + column)] += sign;
        };
    };
    Format::visit(a, na, add(1));
    Format::visit(
        b, nb, [&](int row, int column, double v) { transpose_b ? add(1)(column, row, v) : add(1)(row, column, v); });
    int entries = 0;
    for (double t : there) entries += t > 0;
    bool right = entries == nc;
    Format::visit(c, nc, [&](int row, int column, double v) {
        auto const i = static_cast<std::size_t>(row * dimension + column);
        right = right && there[i] > 0 && static_cast<typename Format::value_type>(dense[i]) == v;
        there[i] = 0;
    });
    if (!right) throw std::runtime_error(fmt::format("{}: a union is wrong", Format::name));
}

/// Where the leaves of each pair lie, in A's order.
using placed_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

template <class Format>
placed_pairs place(placed_pairs pairs, stored_leaves<Format> const& a, stored_leaves<Format> const& b) {
    for (auto& [i, j] : pairs) i = a.of[i], j = b.of[j];
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

template <class Format>
void unite_all(stored_leaves<Format> const& a, stored_leaves<Format> const& b, placed_pairs const& pairs,
               problem<typename Format::value_type>& p, bool transpose_b, bool checked) {
    std::byte* to = p.room.data();
    int turn = 0;
    for (auto const& [k, l] : pairs) {
        int const na = a.places[k].count, nb = b.places[l].count;
        united const c = Format::unite(a.at(k), na, b.at(l), nb, transpose_b, to, p.work);
        if (checked && turn++ % 16 == 0) check_union<Format>(a.at(k), na, b.at(l), nb, transpose_b, to, c.count);
        to += c.bytes;
    }
}

template <class T>
void check_product(problem<T> const& p, std::vector<double> const& expected, std::string const& name) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::abs(p.y[i] - expected[i]) <= 4096 * std::numeric_limits<T>::epsilon() * p.magnitude[i]))
            throw std::runtime_error(fmt::format("{}: a product is wrong", name));
}

template <class Format>
race_entry enter(std::string const& name, std::shared_ptr<stored_leaves<Format>> a,
                 std::shared_ptr<stored_leaves<Format>> b, problem<typename Format::value_type>& p) {
    race_entry e{name, static_cast<double>(a->bytes) / static_cast<double>(p.a.entries.size()), {}, {}};
    multiply_all(*a, p, false);
    check_product(p, p.expected, name);
    multiply_all(*a, p, true);
    check_product(p, p.expected_transposed, name);
    e.runs.push_back([a, &p] { multiply_all(*a, p, false); });
    e.runs.push_back([a, &p] { multiply_all(*a, p, true); });
    for (bool transpose : {false, true}) {
        auto const pairs = place(transpose ? p.transposed_pairs : p.pairs, *a, *b);
        unite_all(*a, *b, pairs, p, transpose, true);
        e.runs.push_back([a, b, pairs, &p, transpose] { unite_all(*a, *b, pairs, p, transpose, false); });
    }
    e.seconds.resize(e.runs.size());
    return e;
}

/// Ways that take so many bytes per entry are not made: they would take gigabytes.
constexpr double most_bytes_per_entry = 100;

template <class Format>
double bytes_per_entry(leaf_list const& all) {
    double bytes = 0;
    for (leaf const& l : all.leaves) bytes += static_cast<double>(Format::bytes(all.of(l)));
    return bytes / static_cast<double>(all.entries.size());
}

template <class Format>
race_entry enter(problem<typename Format::value_type>& p) {
    double const bytes = bytes_per_entry<Format>(p.a);
    if (bytes > most_bytes_per_entry) return {Format::name, bytes, {}, {}};
    return enter<Format>(Format::name, std::make_shared<stored_leaves<Format>>(p.a, p.by_parent_a),
                         std::make_shared<stored_leaves<Format>>(p.b, p.by_parent_b), p);
}
template <class Format, class Key>
race_entry enter_in_order(problem<typename Format::value_type>& p, std::string const& order, Key key) {
    return enter<Format>(std::string(Format::name) + order,
                         std::make_shared<stored_leaves<Format>>(p.a, ordered(p.a, key)),
                         std::make_shared<stored_leaves<Format>>(p.b, ordered(p.b, key)), p);
}

/// Along lines through the whole matrix, and along a Z-curve.
template <class Format>
void enter_in_orders(std::vector<race_entry>& race, problem<typename Format::value_type>& p) {
    auto const by_rows = [](leaf const& l) { return l.row_block; };
    auto const by_columns = [](leaf const& l) { return l.column_block; };
    auto const by_diagonals = [](leaf const& l) { return std::pair(l.column_block - l.row_block, l.row_block); };
    race.push_back(enter_in_order<Format>(p, ", blocks by rows", by_rows));
    race.push_back(enter_in_order<Format>(p, ", blocks by columns", by_columns));
    race.push_back(enter_in_order<Format>(p, ", blocks by diagonals", by_diagonals));
    race.push_back(enter_in_order<Format>(p, ", blocks along a Z-curve", z_curve));
}

/// Every way, in the library's order.
template <class T>
void enter_all(std::vector<race_entry>& race, problem<T>& p) {
    race.push_back(enter<coordinate_list<row_major, T>>(p));
    race.push_back(enter<coordinate_list<column_major, T>>(p));
    race.push_back(enter<coordinate_list<by_diagonals, T>>(p));
    race.push_back(enter<runs<T>>(p));
    race.push_back(enter<bitmap<row_major, T>>(p));
    race.push_back(enter<bitmap<by_diagonals, T>>(p));
    race.push_back(enter<local_csr<T>>(p));
    race.push_back(enter<runs_or_csr<T>>(p));
}

/// Each time another way begins: it has the vectors of other work in the caches.
void run_in_turn(std::vector<race_entry>& race, int repeats) {
    for (int i = 0; i < repeats; ++i)
        for (std::size_t work = 0; work < 4; ++work)
            for (std::size_t turn = 0; turn < race.size(); ++turn) {
                race_entry& e = race[(turn + static_cast<std::size_t>(i)) % race.size()];
                if (work >= e.runs.size()) continue;
                double const start = processor_seconds();
                e.runs[work]();
                e.seconds[work].push_back(processor_seconds() - start);
            }
}

void print_bytes(leaf_list const& all, std::int64_t value_bytes) {
    byte_study const s = study_bytes(all, value_bytes);
    auto const percent = [](std::int64_t part, std::int64_t whole) {
        return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
    };
    fmt::print(
        "  {:6}  {} leaves outside wide ones: {:.0f} % sparse, {:.0f} % dense, {:.0f} % diagonal; "
        "leaves take {:.3f} bytes per entry\n"
        "          bitmap smaller in {:.2f} % of them: saves {:.2f} % of all bytes; local CSR in {:.2f} %: "
        "{:.2f} %; both: {:.2f} %\n",
        value_bytes == 4 ? "float" : "double", s.leaves, percent(s.of_kind[0], s.leaves),
        percent(s.of_kind[1], s.leaves), percent(s.of_kind[2], s.leaves),
        static_cast<double>(s.bytes) / static_cast<double>(all.entries.size()), percent(s.smaller_bitmap, s.leaves),
        percent(s.saved_by_bitmap, s.bytes), percent(s.smaller_csr, s.leaves), percent(s.saved_by_csr, s.bytes),
        percent(s.saved_by_both, s.bytes));
}

/// Nanoseconds per entry, which for unions is one of A or B in leaves that meet.
template <class T>
void print_times(std::vector<race_entry> const& race, problem<T> const& p) {
    auto const entries_of = [&](std::vector<std::pair<std::size_t, std::size_t>> const& pairs) {
        std::int64_t sum = 0;
        for (auto const& [i, j] : pairs) sum += p.a.leaves[i].count + p.b.leaves[j].count;
        return static_cast<double>(sum);
    };
    auto const products = static_cast<double>(p.a.entries.size());
    double const per[] = {products, products, entries_of(p.pairs), entries_of(p.transposed_pairs)};
    fmt::print("  {:50} {:>8} {:>8} {:>8} {:>8} {:>8}    ns per entry\n", "", "B/entry", "A x", "A^T x", "A + B",
               "A + B^T");
    for (race_entry const& e : race) {
        fmt::print("  {:50} {:8.2f}", e.name, e.bytes_per_entry);
        for (std::size_t work = 0; work < e.runs.size(); ++work) {
            std::vector<double> times = e.seconds[work];
            std::sort(times.begin(), times.end());
            fmt::print(" {:8.2f}", 1e9 * times[times.size() / 2] / per[work]);
        }
        fmt::print("\n");
    }
}

template <class T>
void prepare(problem<T>& p, csr<double> const& a, csr<double> const& b) {
    p.b = make_leaves(b);
    p.by_parent_a = ordered(p.a, parent_of);
    p.by_parent_b = ordered(p.b, parent_of);
    p.pairs = meeting_leaves(p.a, p.b, false);
    p.transposed_pairs = meeting_leaves(p.a, p.b, true);
    auto const n = static_cast<std::size_t>(std::max(a.row_count, a.column_count));
    std::mt19937_64 random(2017);
    p.x.resize(n);
    for (T& v : p.x) v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    p.y.assign(n, 0);
    p.expected.assign(n, 0);
    p.expected_transposed.assign(n, 0);
    p.magnitude.assign(n, 1e-300);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.row_count); ++i)
        for (auto k = static_cast<std::size_t>(a.row_offsets[i]); k < static_cast<std::size_t>(a.row_offsets[i + 1]);
             ++k) {
            auto const j = static_cast<std::size_t>(a.column_indices[k]);
            p.expected[i] += a.values[k] * double{p.x[j]};
            p.expected_transposed[j] += a.values[k] * double{p.x[i]};
            p.magnitude[i] += std::abs(a.values[k]);
            p.magnitude[j] += std::abs(a.values[k]);
        }
    bool const has_bitmaps = bytes_per_entry<bitmap<row_major, T>>(p.a) <= most_bytes_per_entry;
    for (auto const* pairs : {&p.pairs, &p.transposed_pairs}) {
        std::int64_t bytes = 0;
        for (auto const& [i, j] : *pairs)
            bytes += (has_bitmaps ? 8 * bitmap_words : 4 * dimension) +
                     runs<T>::most_room(p.a.leaves[i].count + p.b.leaves[j].count);
        p.room.resize(std::max(p.room.size(), static_cast<std::size_t>(bytes)));
    }
}

template <class T>
csr<double> as_double(csr<T>&& a) {
    return {a.row_count,
            a.column_count,
            std::move(a.row_offsets),
            std::move(a.column_indices),
            {a.values.begin(), a.values.end()}};
}

template <class T>
void measure(std::string const& name, int repeats, bool orders_only) {
    coo<T> const entries = is_generator(name) ? generate<T>(name) : read_matrix_market<T>(name);
    csr<double> const a = as_double(to_csr(entries));
    auto const p = std::make_unique<problem<T>>();
    p->a = make_leaves(a);
    fmt::print(
        "{}, {}: {} entries in {} blocks of {} x {}, {:.1f} in each\n", name, sizeof(T) == 4 ? "float" : "double",
        a.entry_count(), p->a.leaves.size(), dimension, dimension,
        static_cast<double>(a.entry_count()) / static_cast<double>(std::max(p->a.leaves.size(), std::size_t{1})));
    for (std::int64_t value_bytes : {4, 8}) print_bytes(p->a, value_bytes);
    if (repeats > 0) {
        prepare(*p, a, as_double(to_csr(moved(entries, 10, 1))));
        std::vector<race_entry> race;
        if (orders_only)
            race.push_back(enter<coordinate_list<by_diagonals, T>>(*p));
        else
            enter_all<T>(race, *p);
        enter_in_orders<coordinate_list<by_diagonals, T>>(race, *p);
        if (!orders_only) enter_in_orders<runs<T>>(race, *p);
        run_in_turn(race, repeats);
        print_times(race, *p);
    }
    std::fflush(stdout);
}

}  // namespace
}  // namespace copse::bench::leaves

int main(int argc, char** argv) {
    try {
        auto const repeats = argc > 1 ? static_cast<int>(copse::measure::parse_whole("repeats", argv[1], 0, 1000)) : 7;
        std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
        auto const take = [&](std::string const& word) {
            bool const is_first = !names.empty() && names.front() == word;
            if (is_first) names.erase(names.begin());
            return is_first;
        };
        bool const is_float = take("float");
        if (!is_float) take("double");
        bool const orders_only = take("orders");
        if (names.empty())
            names = {"stencil27:60",     "poisson3d:96", "elasticity:40",    "qcd:10",
                     "banded:100000,25", "rmat:18,16",   "uniform:300000,16"};
        for (std::string const& name : names)
            is_float ? copse::bench::leaves::measure<float>(name, repeats, orders_only)
                     : copse::bench::leaves::measure<double>(name, repeats, orders_only);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_leaf_bench [repeats] [double | float] [orders] [matrix ...]: {}\n", e.what());
        return 1;
    }
}
