// The host's side of a matrix that tasks make: memory before the run, the matrix after it.
#include <algorithm>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/error.hpp>
#include <span>
#include <string>
#include <vector>

namespace copse {

namespace {

/// A number for an arena that neither of `others` has, nor the one beside it, which drafts use; -1 if there is none.
int number_beside_free(std::span<arena const> others) {
    auto const is_free = [&](int number) {
        return std::none_of(others.begin(), others.end(), [&](arena const& a) { return a.number == number; });
    };
    for (int attempt = 0; attempt < detail::most_arenas; ++attempt)
        if (int const number = detail::new_arena_number(others); number >= 0 && is_free(number ^ 1)) return number;
    return -1;
}

/// Adds `more` to `arenas`; false, and nothing, if a number stands for different arenas.
bool add_arenas(std::vector<arena>& arenas, std::vector<arena> const& more) {
    std::vector<arena> all = arenas;
    for (arena const& x : more) {
        auto const same = std::find_if(all.begin(), all.end(), [&](arena const& y) { return x.number == y.number; });
        if (same == all.end())
            all.push_back(x);
        else if (same->memory != x.memory)
            return false;
    }
    arenas = std::move(all);
    return true;
}

}  // namespace

template <class T>
shared_tree<T> tree_building<T>::share_nodes_of(hisparse<T> const& a) {
    if (a.node_dimension() != 1 << writer_.joiner_.dimension_log2)
        throw argument_error(name_ + ": the nodes of the matrix to share have " + std::to_string(a.node_dimension()) +
                             " rows, those of the new matrix " + std::to_string(1 << writer_.joiner_.dimension_log2));
    if (a.space() != memory_->space())
        throw argument_error(name_ + ": the matrix to share nodes of is in another memory than the new one");
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i] == a.content()) return {a.tree(), static_cast<int>(i)};
    auto arenas = shared_.arenas;
    if (!add_arenas(arenas, a.content()->arenas)) return {a.tree(), -1};
    int const own = number_beside_free(arenas);
    if (own < 0) return {a.tree(), -1};
    shared_.arenas = std::move(arenas);
    detail::make_arena_table(shared_, memory_);
    sources_.push_back(a.content());
    std::vector<std::int64_t> const zeros(sources_.size());
    taken_ = buffer<std::int64_t>(temporary_, std::span(zeros));
    writer_.joiner_.arena = own;
    writer_.joiner_.arenas = shared_.arena_table.data();
    writer_.taken_ = taken_.data();
    return {a.tree(), static_cast<int>(sources_.size()) - 1};
}

template <class T>
void tree_building<T>::check(std::int64_t row_count, std::int64_t column_count, int node_dimension) const {
    building_bound const& bound = writer_.bound_;
    std::int64_t const most = std::int64_t{1} << 31;
    if (row_count < 0 || column_count < 0 || row_count > most || column_count > most)
        throw shape_error(name_ + ": the matrix is to be " + std::to_string(row_count) + " x " +
                          std::to_string(column_count) + "; dimensions must be from 0 to 2^31");
    if (node_dimension != 64 && node_dimension != 128 && node_dimension != 256)
        throw argument_error(name_ + ": node_dimension is " + std::to_string(node_dimension) +
                             "; it must be 64, 128 or 256");
    if (bound.leaves < 0 || bound.inner_nodes < 0 || bound.entries < 0)
        throw argument_error(name_ + ": a number in building_bound is negative: " + std::to_string(bound.leaves) +
                             " leaves, " + std::to_string(bound.inner_nodes) + " inner nodes, " +
                             std::to_string(bound.entries) + " entries");
    // A leaf takes 64 bytes and more, an entry its value and two. What takes more by far would overflow the sums below.
    std::int64_t const largest = std::max({bound.leaves, bound.inner_nodes, bound.entries});
    if (largest > detail::most_arena_bytes) detail::check_arena_bytes(name_.c_str(), "the nodes may take", largest);
}

template <class T>
void tree_building<T>::reserve(int threads) {
    building_bound const& bound = writer_.bound_;
    std::int64_t constexpr value = sizeof(T), for_padding = 64, of_child = 10;
    std::int64_t const places = bound.leaves + bound.inner_nodes, d = std::int64_t{1} << writer_.joiner_.dimension_log2;
    // A node becomes a wide leaf if its leaves have few entries on average. Those of its leaves that have more lie in
    // the pool by then; they stay there, unused.
    std::int64_t const wide = std::min(bound.entries, detail::wide_mean_in_leaf * bound.leaves);
    // Of a chunk of the pool that a thread takes a quarter may stay empty.
    std::int64_t const in_leaves =
        (for_padding * bound.leaves + bound.entries * (value + 2)) * (threads > 0 ? 4 : 3) / 3;
    std::int64_t const in_pool = for_padding * (bound.inner_nodes + 1) + of_child * places + in_leaves +
                                 wide * (value + 4) + threads * detail::pool_chunk::size;
    std::int64_t const in_drafts = for_padding * (places + 1) + of_child * places + wide * (value + 2);
    detail::check_arena_bytes(name_.c_str(), "the nodes may take", std::max(in_pool, in_drafts));

    level_ = detail::root_level(writer_.row_count_, writer_.column_count_, writer_.joiner_.dimension_log2);
    pool_ = std::make_shared<buffer<std::byte>>(memory_, in_pool);
    drafts_ = buffer<std::byte>(temporary_, in_drafts);
    writer_.desk_bytes_ = (detail::leaf_desk::bytes(d, value) + 63) / 64 * 64;
    desks_ = buffer<std::byte>(temporary_, threads * writer_.desk_bytes_);
    std::vector<detail::pool_chunk> const none(static_cast<std::size_t>(threads));
    chunks_ = buffer<detail::pool_chunk>(temporary_, std::span(none));
    std::vector<std::int64_t> const zeros(
        static_cast<std::size_t>(std::max(threads, 1) * detail::census_counters::count));
    counters_ = buffer<std::int64_t>(temporary_, std::span(zeros));
    detail::building_notes const notes;
    notes_ = buffer<detail::building_notes>(temporary_, std::span(&notes, 1));
    writer_.joiner_.pool = {{pool_->data(), &notes_.data()->pool_bytes}, static_cast<std::uint64_t>(in_pool)};
    writer_.joiner_.drafts = {{drafts_.data(), &notes_.data()->draft_bytes}, static_cast<std::uint64_t>(in_drafts)};
    writer_.joiner_.notes = notes_.data();
    writer_.joiner_.counters = counters_.data();
    writer_.desks_ = desks_.data();
    writer_.chunks_ = chunks_.data();
}

template <class T>
hisparse<T> tree_building<T>::finish() {
    if (!pool_) throw argument_error(name_ + ": finish() was called before; it gives the matrix once");
    detail::building_notes notes;
    notes_.read(0, {&notes, 1});
    building_bound const& bound = writer_.bound_;
    auto const check_room = [&](char const* what, auto asked, auto room) {
        if (asked > room)
            throw argument_error(name_ + ": the bound of " + std::to_string(bound.leaves) + " leaves, " +
                                 std::to_string(bound.inner_nodes) + " inner nodes, " + std::to_string(bound.entries) +
                                 " entries leaves room for " + std::to_string(room) + ' ' + what +
                                 "; the tasks asked for " + std::to_string(asked) +
                                 " or more; give tree_building a larger bound");
    };
    check_room("places of inner nodes", notes.inner_nodes, bound.inner_nodes);
    check_room("places of leaves", notes.leaves, bound.leaves);
    check_room("bytes of open nodes and small leaves", notes.draft_bytes, writer_.joiner_.drafts.bytes);
    check_room("bytes of nodes", notes.pool_bytes, writer_.joiner_.pool.bytes);
    if (notes.finished != (seeded_ ? 1 : 0))
        throw argument_error(name_ + ": the root was finished " + std::to_string(notes.finished) +
                             " times; each place that a task is given must be written or left out once");

    auto content = std::make_shared<hisparse_content>();
    content->row_count = writer_.row_count_;
    content->column_count = writer_.column_count_;
    content->dimension_log2 = writer_.joiner_.dimension_log2;
    content->space = memory_->space();
    if (notes.root) {
        content->root = notes.root;
        for (detail::pool_chunk const& chunk : chunks_.to_host()) {
            notes.unused_bytes += chunk.lost;
            if (chunk.end == notes.pool_bytes)
                notes.pool_bytes = chunk.next;
            else
                notes.unused_bytes += chunk.end - chunk.next;
        }
        if (notes.pool_bytes > 0) {
            pool_->shrink(static_cast<std::int64_t>(notes.pool_bytes));
            content->arenas.push_back({writer_.joiner_.arena, pool_});
        }
        // What goes to several places is stored once: the sources have no more than they have.
        std::int64_t most_shared = 0;
        std::vector<std::int64_t> const taken = sources_.empty() ? std::vector<std::int64_t>() : taken_.to_host();
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            if (taken[i] == 0) continue;
            add_arenas(content->arenas, sources_[i]->arenas);
            most_shared += sources_[i]->reachable_bytes;
        }
        content->reachable_bytes = static_cast<std::int64_t>(notes.pool_bytes - notes.unused_bytes) +
                                   std::min(notes.shared_bytes, most_shared);
        std::vector<std::int64_t> const counted = counters_.to_host();
        for (std::size_t i = 0; i < counted.size(); i += detail::census_counters::count)
            detail::census_counters::add_to(content->census, counted.data() + i);
        content->entry_count = content->census.leaf_entries();
        // Memory is reserved in chunks, and may suffice all the same. What is shared as a whole has no bound.
        if (most_shared == 0) check_room("entries", content->entry_count, bound.entries);
    }
    pool_ = nullptr;
    detail::make_arena_table(*content, memory_);
    return hisparse<T>(std::move(content));
}

template class tree_building<float>;
template class tree_building<double>;

}  // namespace copse
