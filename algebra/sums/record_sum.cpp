#include <algorithm>
#include <atomic>
#include <copse/algebra/sums/equal_terms.hpp>
#include <copse/algebra/sums/sum_plan_content.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace copse {
namespace detail {
namespace {

constexpr std::size_t window_values = static_cast<std::size_t>(sum_window_positions);
/// Values beside each other in operand and sum are a stretch of their own from here on: its 16 bytes are less than
/// theirs in the list of positions would be, and it is added vector by vector.
constexpr std::size_t least_run = 16;

/// An operand's entries, row by row: where they stand, and where their values are.
template <class T>
struct sum_operand {
    csr<T> rows;
    value_place_list values;
    std::vector<std::int64_t> in_sum;  // numbers of the sum's entries, row by row

    explicit sum_operand(hisparse<T> const& a) : rows(to_csr(a)), values(places_to_read(a)) {
        rows.values = {};
        in_sum.resize(values.places.size());
    }
    std::int64_t begin(std::int64_t row) const { return rows.row_offsets[static_cast<std::size_t>(row)]; }
    std::int64_t column(std::int64_t entry) const { return rows.column_indices[static_cast<std::size_t>(entry)]; }
};

/// meet(column) for each column of a row of the sum, ascending, once; then has(operand, entry) for each entry there.
template <class T, class Meet, class Has>
void walk_row(std::vector<sum_operand<T>> const& operands, std::int64_t row, std::vector<std::int64_t>& next, Meet meet,
              Has has) {
    std::int64_t constexpr none = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < operands.size(); ++k) next[k] = operands[k].begin(row);
    auto const column = [&](std::size_t k) {
        return next[k] < operands[k].begin(row + 1) ? operands[k].column(next[k]) : none;
    };
    for (;;) {
        std::int64_t least = none;
        for (std::size_t k = 0; k < operands.size(); ++k) least = std::min(least, column(k));
        if (least == none) return;
        meet(least);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (column(k) == least) has(k, next[k]++);
    }
}

/// The union of the operands' structures, with zeros; numbers the operands' entries by it.
template <class T>
csr<T> unite_structures(std::vector<sum_operand<T>>& operands, std::int64_t row_count, std::int64_t column_count) {
    csr<T> sum(row_count, column_count, std::vector<std::int64_t>(static_cast<std::size_t>(row_count) + 1));
    auto const make_next = [&] { return std::vector<std::int64_t>(operands.size()); };
    auto const ignore = [](auto...) {};
    parallel_for(row_count, 256, make_next, [&](std::vector<std::int64_t>& next, std::int64_t i) {
        std::int64_t& count = sum.row_offsets[static_cast<std::size_t>(i) + 1];
        walk_row(
            operands, i, next, [&](std::int64_t) { ++count; }, ignore);
    });
    std::partial_sum(sum.row_offsets.begin(), sum.row_offsets.end(), sum.row_offsets.begin());
    auto const entries = static_cast<std::size_t>(sum.row_offsets.back());
    sum.column_indices.resize(entries);
    sum.values.resize(entries);
    parallel_for(row_count, 256, make_next, [&](std::vector<std::int64_t>& next, std::int64_t i) {
        std::int64_t entry = sum.row_offsets[static_cast<std::size_t>(i)] - 1;
        walk_row(
            operands, i, next,
            [&](std::int64_t column) {
                sum.column_indices[static_cast<std::size_t>(++entry)] = static_cast<std::int32_t>(column);
            },
            [&](std::size_t k, std::int64_t e) { operands[k].in_sum[static_cast<std::size_t>(e)] = entry; });
    });
    return sum;
}

/// A value of an operand, and its position within a window.
struct moved_value {
    std::uint64_t from;
    std::uint32_t position;

    friend bool operator<(moved_value const& a, moved_value const& b) {
        return a.from != b.from ? a.from < b.from : a.position < b.position;
    }
};

/// An operand's values, window by window.
struct moved_values {
    std::vector<std::int64_t> begins;  // of each window, and of all
    std::vector<moved_value> values;

    std::span<moved_value> of(std::size_t window) {
        return {values.data() + begins[window], values.data() + begins[window + 1]};
    }
};

/// of_sum: where the sum's values are. Of entries with one place the first counts.
template <class T>
moved_values sort_by_window(sum_operand<T> const& operand, std::vector<std::uint64_t> const& of_sum,
                            std::size_t window_count) {
    moved_values sorted{std::vector<std::int64_t>(window_count + 2), {}};
    auto const for_each_value = [&](auto f) {
        parallel_for(std::ssize(operand.in_sum), 4096, [&](std::int64_t k) {
            auto const e = static_cast<std::size_t>(k);
            std::uint64_t const to = of_sum[static_cast<std::size_t>(operand.in_sum[e])];
            if ((to & repeated_place) == 0) f(e, to, offset_of_place(to) / sizeof(T));
        });
    };
    auto const counter = [&](std::uint64_t position, std::size_t later) {
        return std::atomic_ref(sorted.begins[position / window_values + later]);
    };
    for_each_value([&](std::size_t, std::uint64_t, std::uint64_t position) {
        counter(position, 2).fetch_add(1, std::memory_order_relaxed);
    });
    std::partial_sum(sorted.begins.begin(), sorted.begins.end(), sorted.begins.begin());
    sorted.values.resize(static_cast<std::size_t>(sorted.begins.back()));
    for_each_value([&](std::size_t e, std::uint64_t to, std::uint64_t position) {
        auto const i = static_cast<std::size_t>(counter(position, 1).fetch_add(1, std::memory_order_relaxed));
        sorted.values[i] = {operand.values.places[e] ^ (to & negative_place),
                            static_cast<std::uint32_t>(position % window_values)};
    });
    return sorted;
}

/// The stretches of one window.
struct window_lists {
    std::vector<std::int64_t> ends;  // of the stretches of none, operand 0, operand 1, ...
    std::vector<sum_stretch> stretches;
    std::vector<std::uint16_t> positions;

    /// values: beside each other in an operand, or all one.
    void add(std::span<moved_value const> values, bool is_one) {
        std::size_t pending = 0;  // not yet in a stretch
        for (std::size_t i = 0; i < values.size();) {
            std::size_t end = i + 1;
            while (end < values.size() && values[end].position == values[end - 1].position + 1) ++end;
            if (end - i >= least_run || end - i == values.size()) {
                add_listed(values.subspan(pending, i - pending), is_one);
                add_stretch(values.subspan(i, end - i), is_one, values[i].position, false);
                pending = end;
            }
            i = end;
        }
        add_listed(values.subspan(pending), is_one);
    }

    /// Those of an operand, in any order.
    void add_operand(std::span<moved_value> values, std::uint64_t value_bytes) {
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < values.size();) {
            std::size_t end = i + 1;
            std::uint64_t const step = end < values.size() ? values[end].from - values[i].from : 0;
            if (step == 0 || step == value_bytes)
                while (end < values.size() && values[end].from == values[end - 1].from + step) ++end;
            add(values.subspan(i, end - i), step == 0);
            i = end;
        }
        ends.push_back(std::ssize(stretches));
    }

  private:
    void add_listed(std::span<moved_value const> values, bool is_one) {
        if (values.empty()) return;
        add_stretch(values, is_one, static_cast<std::uint32_t>(positions.size()), true);
        for (moved_value const& v : values) positions.push_back(static_cast<std::uint16_t>(v.position));
    }
    void add_stretch(std::span<moved_value const> values, bool is_one, std::uint32_t to, bool is_listed) {
        stretches.push_back({values.front().from, to, static_cast<std::uint16_t>(values.size()), is_one, is_listed});
    }
};

window_lists lists_of_window(std::vector<moved_values>& operands, std::size_t window, std::uint64_t value_bytes) {
    window_lists lists;
    std::vector<char> is_set(window_values);
    std::vector<moved_value> unset;
    for (moved_value const& v : operands.front().of(window)) is_set[v.position] = 1;
    for (std::size_t k = 1; k < operands.size(); ++k)
        for (moved_value const& v : operands[k].of(window))
            if (!std::exchange(is_set[v.position], 1)) unset.push_back({0, v.position});
    lists.add_operand(unset, value_bytes);
    for (moved_values& operand : operands) lists.add_operand(operand.of(window), value_bytes);
    return lists;
}

sum_lists join(std::vector<window_lists> const& of_windows) {
    sum_lists all;
    std::vector<std::int64_t> first_stretches;
    std::int64_t stretches = 0, positions = 0;
    for (std::size_t w = 0; w < of_windows.size(); ++w) {
        window_lists const& lists = of_windows[w];
        if (lists.stretches.empty()) continue;
        all.windows.push_back({static_cast<std::int64_t>(w), positions});
        all.bounds.push_back(stretches);
        for (std::int64_t end : lists.ends) all.bounds.push_back(stretches + end);
        stretches += std::ssize(lists.stretches);
        positions += std::ssize(lists.positions);
    }
    all.stretches.resize(static_cast<std::size_t>(stretches));
    all.positions.resize(static_cast<std::size_t>(positions));
    auto const bounds_each = of_windows.empty() ? 0 : of_windows.front().ends.size() + 1;
    parallel_for(std::ssize(all.windows), 16, [&](std::int64_t i) {
        sum_window const& window = all.windows[static_cast<std::size_t>(i)];
        window_lists const& lists = of_windows[static_cast<std::size_t>(window.number)];
        std::int64_t const first = all.bounds[static_cast<std::size_t>(i) * bounds_each];
        std::copy(lists.stretches.begin(), lists.stretches.end(), all.stretches.begin() + first);
        std::copy(lists.positions.begin(), lists.positions.end(), all.positions.begin() + window.first_position);
    });
    return all;
}

/// The sum's structure, whose values are to be written. What all operands share within themselves it shares, too.
template <class T>
hisparse<T> make_structure(std::shared_ptr<memory> const& where, std::span<hisparse<T> const> operands,
                           std::vector<sum_operand<T>>& read) {
    hisparse<T> const& first = operands.front();
    csr<T> rows = unite_structures(read, first.row_count(), first.column_count());
    bool const may_share = std::any_of(read.begin(), read.end(), [](auto const& a) { return a.values.some_repeated; });
    bool shares = false;
    if (may_share) {
        std::vector<stored_terms> terms;
        for (sum_operand<T> const& a : read) terms.push_back({a.values.places, a.in_sum});
        equal_terms equal(rows.entry_count(), sizeof(T));
        equal.find(terms);
        shares = equal.number(rows.values);
    }
    hisparse<T> const sum(where, rows, {.node_dimension = first.node_dimension(), .values = stored_values::each});
    return shares ? compact(sum, {.share_identical = true, .share_transposed = true}) : sum;
}

}  // namespace

template <class T>
recorded_sum<T> record_sum_lists(std::shared_ptr<memory> const& where, std::span<hisparse<T> const> operands) {
    std::vector<sum_operand<T>> read(operands.begin(), operands.end());
    hisparse<T> const sum = make_structure(where, operands, read);
    if (sum.entry_count() == 0) return {sum.content(), {}};
    std::vector<moved_values> moved;
    std::size_t const window_count = sum.content()->arenas.front().memory->bytes() / (window_values * sizeof(T)) + 1;
    for (std::vector<std::uint64_t> const places = value_places(sum).places; sum_operand<T> const& operand : read)
        moved.push_back(sort_by_window(operand, places, window_count));
    read.clear();
    std::vector<window_lists> lists(window_count);
    parallel_for(static_cast<std::int64_t>(window_count), 16, [&](std::int64_t w) {
        lists[static_cast<std::size_t>(w)] = lists_of_window(moved, static_cast<std::size_t>(w), sizeof(T));
    });
    return {sum.content(), join(lists)};
}

template recorded_sum<float> record_sum_lists(std::shared_ptr<memory> const&, std::span<hisparse<float> const>);
template recorded_sum<double> record_sum_lists(std::shared_ptr<memory> const&, std::span<hisparse<double> const>);

}  // namespace detail

template <class T>
std::int64_t sum_plan<T>::row_count() const {
    return content_of(*this)->sums->structure().row_count;
}
template <class T>
std::int64_t sum_plan<T>::column_count() const {
    return content_of(*this)->sums->structure().column_count;
}
template <class T>
std::int64_t sum_plan<T>::entry_count() const {
    return content_of(*this)->sums->structure().entry_count;
}
template <class T>
std::int64_t sum_plan<T>::operand_count() const {
    return std::ssize(content_of(*this)->operands);
}
template <class T>
std::int64_t sum_plan<T>::bytes() const {
    return content_of(*this)->bytes();
}

template class sum_plan<float>;
template class sum_plan<double>;

}  // namespace copse
