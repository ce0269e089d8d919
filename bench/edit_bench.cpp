// What edits of a HiSparse matrix take beside rebuilding it from CSR.
//
//   copse_edit_bench [repeats, default 5] [generator ..., default four of 10^7 entries]
//
// For each matrix: 1 edit, 1,000 at one place (rows side by side), 1,000 all over it, and these one call for each. A
// third of the edits changes an entry, a third erases one, a third makes one. What the largest batch gives is compared
// with the matrix that CSR with the same changes gives, entry by entry, before anything is timed. For each case one
// line for people and one JSON object. `new` is the memory that the edited matrix has and the old one has not.
#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/numbers.hpp"
#include "bench/harness/timing.hpp"

namespace {

using matrix = copse::hisparse<double>;
using change_list = copse::edits<double>;

template <class Work>
double median_seconds(int repeats, Work const& work) {
    return copse::bench::time_of(repeats, work).median;
}

/// `entries`: row by row. Edits of `count` different positions near entries first .. last.
class change_maker {
  public:
    change_maker(copse::csr<double> const& rows, copse::coo<double> const& entries, std::size_t first, std::size_t last)
        : rows_(rows), entries_(entries), first_(first), last_(last) {}

    change_list make(std::size_t count) {
        change_list changes;
        while (changes.size() < count) {
            std::size_t const k = first_ + random_() % (last_ - first_);
            std::int64_t const row = entries_.rows[k], column = entries_.columns[k];
            std::int64_t const beside =
                (column + 1 + static_cast<std::int64_t>(random_() % 50)) % entries_.column_count;
            std::size_t const sort = changes.size() % 3;
            if (sort == 2 && is_entry(row, beside)) continue;
            if (!used_.insert({row, sort == 2 ? beside : column}).second) continue;
            if (sort == 0) changes.set(row, column, 0.5);
            if (sort == 1) changes.erase(row, column);
            if (sort == 2) changes.set(row, beside, 0.25);
        }
        return changes;
    }

  private:
    bool is_entry(std::int64_t row, std::int64_t column) const {
        auto const begin = rows_.column_indices.begin();
        return std::binary_search(begin + rows_.row_offsets[static_cast<std::size_t>(row)],
                                  begin + rows_.row_offsets[static_cast<std::size_t>(row) + 1],
                                  static_cast<std::int32_t>(column));
    }

    copse::csr<double> const& rows_;
    copse::coo<double> const& entries_;
    std::size_t first_, last_;
    std::mt19937_64 random_{2017};
    std::set<std::pair<std::int64_t, std::int64_t>> used_;
};

/// `entries` with the changes, by other means than the tree's.
copse::csr<double> changed_by_hand(copse::coo<double> const& entries, change_list const& changes) {
    std::map<std::pair<std::int64_t, std::int64_t>, copse::edit_entry<double>> at;
    for (auto const& e : changes.entries()) at.insert({{e.row, e.column}, e});
    copse::coo<double> result{entries.row_count, entries.column_count, {}, {}, {}};
    auto const put = [&](std::int64_t row, std::int64_t column, double value) {
        result.rows.push_back(static_cast<std::int32_t>(row));
        result.columns.push_back(static_cast<std::int32_t>(column));
        result.values.push_back(value);
    };
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (!at.contains({entries.rows[k], entries.columns[k]}))
            put(entries.rows[k], entries.columns[k], entries.values[k]);
    for (auto const& [position, e] : at)
        if (e.kind == copse::edit_kind::set) put(e.row, e.column, e.value);
    return copse::to_csr(result);
}

void check(matrix const& edited, copse::csr<double> const& expected) {
    copse::coo<double> const got = copse::to_coo(edited), want = copse::to_coo(expected);
    if (got.rows != want.rows || got.columns != want.columns || got.values != want.values)
        throw std::runtime_error("the edited matrix has not the entries that CSR with the same changes has");
}

struct outcome {
    std::string work;
    double seconds;
    std::int64_t new_bytes;
};

void print(std::string const& name, matrix const& a, outcome const& o, double rebuild_seconds) {
    fmt::print("{:18} {:28} {:10.3f} ms {:10.1f} KiB new  {:8.4f} of rebuilding\n", name, o.work, o.seconds * 1e3,
               static_cast<double>(o.new_bytes) / 1024, o.seconds / rebuild_seconds);
    fmt::print(
        "{{\"op\":\"edit\",\"matrix\":\"{}\",\"work\":\"{}\",\"entries\":{},\"matrix_bytes\":{},\"seconds\":{:.6f},"
        "\"new_bytes\":{},\"rebuild_seconds\":{:.6f}}}\n",
        name, o.work, a.entry_count(), a.bytes(), o.seconds, o.new_bytes, rebuild_seconds);
}

void measure(std::string const& name, int repeats) {
    copse::csr<double> const rows = copse::to_csr(copse::generate<double>(name));
    copse::coo<double> const entries = copse::to_coo(rows);
    matrix const a(copse::host_memory(), rows);
    std::size_t const n = entries.values.size();
    if (n < 10'000) throw std::runtime_error(name + " has fewer than 10,000 entries");
    change_list const one = change_maker(rows, entries, n / 2, n / 2 + 1).make(1);
    change_list const near = change_maker(rows, entries, n / 2, n / 2 + 5000).make(1000);
    change_list const spread = change_maker(rows, entries, 0, n).make(1000);

    copse::csr<double> const changed = changed_by_hand(entries, spread);
    check(copse::edit(a, spread), changed);
    auto const one_by_one = [&] {
        matrix b = a;
        for (auto const& e : spread.entries())
            b = copse::edit(b, e.kind == copse::edit_kind::set ? change_list().set(e.row, e.column, e.value)
                                                               : change_list().erase(e.row, e.column));
        return b;
    };
    check(one_by_one(), changed);

    double const rebuild = median_seconds(repeats, [&] { matrix(copse::host_memory(), changed); });
    auto const batch = [&](std::string const& work, change_list const& changes) {
        matrix const b = copse::edit(a, changes);
        print(name, a,
              {work, median_seconds(repeats, [&] { copse::edit(a, changes); }),
               copse::reachable_bytes(b) - copse::shared_bytes(a, b)},
              rebuild);
    };
    print(name, a, {"rebuild from CSR", rebuild, a.bytes()}, rebuild);
    batch("1 edit", one);
    batch("1,000 edits at one place", near);
    batch("1,000 edits all over", spread);
    matrix const last = one_by_one();
    print(name, a,
          {"1,000 calls of 1 edit", median_seconds(repeats, one_by_one),
           copse::reachable_bytes(last) - copse::shared_bytes(a, last)},
          rebuild);
    print(name, a, {"compact", median_seconds(repeats, [&] { copse::compact(a); }), a.bytes()}, rebuild);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto const repeats = argc > 1 ? static_cast<int>(copse::bench::parse_whole("repeats", argv[1], 1, 1000)) : 5;
        std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
        if (names.empty()) names = {"poisson3d:113", "stencil27:73", "uniform:625000,16", "rmat:20,10"};
        for (std::string const& name : names) measure(name, repeats);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_edit_bench [repeats] [generator ...]: {}\n", e.what());
        return 1;
    }
}
