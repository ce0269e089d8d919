#include "bench/gpu_comparison/sum.hpp"

#include <copse/formats/statistics.hpp>
#include <initializer_list>

namespace copse::bench {
namespace {

void poison_blocks(gpu& executor, std::initializer_list<std::int64_t> sizes) {
    std::vector<buffer<std::byte>> blocks;
    for (auto const bytes : sizes) {
        blocks.emplace_back(executor, bytes);
        poison(executor, blocks.back().data(), blocks.back().bytes());
    }
}

}  // namespace

template <class T>
sum_entrant<T>::sum_entrant(gpu_clock& clock, race_record r, std::vector<std::unique_ptr<gpu_sum<T>>> of_set,
                            sum_check<T> const& check)
    : gpu_entrant(clock, std::move(r)), of_set_(std::move(of_set)), check_(check) {
    record.sets = static_cast<int>(of_set_.size());
    auto& m = record.m;
    m.plus->result_entries = check.entry_count;
    m.csr_moved_bytes = csr_bytes(m.rows, m.entries, sizeof(T)) + csr_bytes(m.plus->rows, m.plus->entries, sizeof(T)) +
                        csr_bytes(m.transpose ? m.columns : m.rows, check.entry_count, sizeof(T));
}

template <class T>
void sum_entrant<T>::prepare() {
    for (auto const& one : of_set_) one->prepare();
    record.kept_bytes = of_set_.front()->kept_bytes();
}

template <class T>
void sum_entrant<T>::set_up(int set) {
    auto const& m = record.m;
    std::int64_t const rows = m.transpose ? m.columns : m.rows, entries = check_.entry_count;
    executor().release_workspace();
    // As one block, and as the arrays of rows: small ones have other places in the pool.
    poison_blocks(executor(), {csr_bytes(rows, entries, sizeof(T))});
    poison_blocks(executor(), {4 * (rows + 1), 4 * entries, static_cast<std::int64_t>(sizeof(T)) * entries});
    of(set).spoil();
}

template <class T>
double sum_entrant<T>::largest_error(int set) {
    auto& m = record.m;
    m.plus->result_bytes = of(set).result_bytes();
    m.moved_bytes = m.bytes + m.plus->result_bytes - 2 * of(set).shared_bytes();
    return check_.error(of(set));
}

template <class T>
sum_check<T> host_sum_check(csr<T> const& a, bool transpose_a, csr<T> const& b, bool transpose_b) {
    auto expected = reference::add<T>(1, a, transpose_a, 1, b, transpose_b);
    auto const entry_count = expected.c.entry_count();
    return {[expected = std::move(expected)](gpu_sum<T> const& sum) {
                return reference::max_error(sum.result(), expected);
            },
            entry_count};
}

template class sum_entrant<float>;
template class sum_entrant<double>;
template sum_check<float> host_sum_check(csr<float> const&, bool, csr<float> const&, bool);
template sum_check<double> host_sum_check(csr<double> const&, bool, csr<double> const&, bool);

}  // namespace copse::bench
