#include <algorithm>
#include <atomic>
#include <copse/formats/csr/mirrors.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/from_rows/half_rows.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <string>

namespace copse {
namespace detail {

int new_arena_number(std::span<arena const> others) {
    static std::atomic<unsigned> next{0};
    auto const is_free = [&](int number) {
        return std::none_of(others.begin(), others.end(), [&](arena const& a) { return a.number == number; });
    };
    for (int attempt = 0; attempt < most_arenas; ++attempt)
        if (auto const number = static_cast<int>(next.fetch_add(1, std::memory_order_relaxed) % most_arenas);
            is_free(number))
            return number;
    // Others drew meanwhile, and perhaps what is free here.
    for (int number = 0; number < most_arenas; ++number)
        if (is_free(number)) return number;
    return -1;
}

namespace {

std::vector<std::byte const*> addresses_by_number(hisparse_content const& content) {
    std::vector<std::byte const*> addresses(static_cast<std::size_t>(content.arena_table.size()));
    for (arena const& a : content.arenas) addresses[static_cast<std::size_t>(a.number)] = a.memory->data();
    return addresses;
}

}  // namespace

void make_arena_table(hisparse_content& content, std::shared_ptr<memory> const& where, bool sent) {
    int size = 0;
    for (arena const& a : content.arenas) size = std::max(size, a.number + 1);
    buffer<std::byte const*>& table = content.arena_table = buffer<std::byte const*>(where, size);
    if (size == 0) return;
    auto const addresses = addresses_by_number(content);
    sent ? where->send_from_host(table.data(), addresses.data(), table.bytes())
         : where->copy_from_host(table.data(), addresses.data(), table.bytes());
}

void fill_arena_table(hisparse_content& content) {
    buffer<std::byte const*> const& table = content.arena_table;
    if (table.size() > 0)
        table.where()->copy_from_host(table.data(), addresses_by_number(content).data(), table.bytes());
}

node_reader reader_of(hisparse_content const& content) {
    if (content.arenas.empty()) return {0, nullptr, nullptr, content.dimension_log2};
    return {content.arenas.front().number, content.arenas.front().memory->data(), content.arena_table.data(),
            content.dimension_log2};
}

hisparse_content content_like(hisparse_content const& old) {
    hisparse_content content;
    content.row_count = old.row_count;
    content.column_count = old.column_count;
    content.entry_count = old.entry_count;
    content.dimension_log2 = old.dimension_log2;
    content.census = old.census;
    content.space = old.space;
    return content;
}

}  // namespace detail

std::shared_ptr<hisparse_content const> const& hisparse_content::empty() {
    static auto const content = std::make_shared<hisparse_content const>();
    return content;
}

namespace {

int checked_dimension_log2(hisparse_options options) {
    switch (options.node_dimension) {
        case 64:
            return 6;
        case 128:
            return 7;
        case 256:
            return 8;
        default:
            throw argument_error("hisparse: node_dimension is " + std::to_string(options.node_dimension) +
                                 "; it must be 64, 128 or 256");
    }
}

/// Whether one half of a matrix is read, and the other becomes references.
bool stores_half(view_options const& source, hisparse_options const& options) {
    return source.symmetry != matrix_symmetry::general && options.share_transposed.value_or(true);
}

/// half: of a symmetric or skew matrix the rows are one half, or both where it says which one counts.
template <class T>
std::shared_ptr<hisparse_content const> convert(std::shared_ptr<memory> const& where,
                                                detail::compressed_rows<T> const& rows, hisparse_options options,
                                                view_options const* half = nullptr) {
    nvtx_range const range(nvtx_room::formats, "copse conversion to hisparse");
    stored_values const automatic = where->space() == memory_space::host ? stored_values::once : stored_values::each;
    hisparse_content built = [&] {
        int const log2 = checked_dimension_log2(options);
        stored_values const values = options.values.value_or(automatic);
        if (half == nullptr) return detail::build_tree<T>(rows, log2, values);
        detail::half_rows<T> const taken = detail::take_half(rows, *half, log2, "hisparse");
        return detail::build_tree(taken.rows(), log2, values, &taken);
    }();
    bool const finds_transposes =
        options.share_transposed.value_or(false) && (half == nullptr || options.share_identical);
    if (detail::copy_options const copied{options.share_identical, false, finds_transposes}; copied.changes_nodes())
        built = detail::copy_tree(built, sizeof(T), copied);
    return std::make_shared<hisparse_content>(detail::place(std::move(built), where));
}

/// Entries that a thread looks at at once.
constexpr std::int64_t entries_at_once = std::int64_t{1} << 14;

/// Whether the entries lie within the matrix and ascend by row and column, none twice: then columns and values are
/// those of compressed rows as they are.
template <class T>
bool are_in_order(detail::entries_view<T> const& a, std::int64_t row_count, std::int64_t column_count) {
    std::atomic<bool> broken{false};
    detail::for_stretches(a.count, entries_at_once, [&](std::int64_t first, std::int64_t last) {
        if (broken.load(std::memory_order_relaxed)) return;
        bool right = true;
        for (std::int64_t k = first; k < last; ++k) {
            right &= 0 <= a.rows[k] && a.rows[k] < row_count && 0 <= a.columns[k] && a.columns[k] < column_count;
            if (k > 0)
                right &= a.rows[k - 1] < a.rows[k] || (a.rows[k - 1] == a.rows[k] && a.columns[k - 1] < a.columns[k]);
        }
        if (!right) broken.store(true, std::memory_order_relaxed);
    });
    return !broken;
}

/// Where each row of entries in order begins.
template <class T>
std::vector<std::int64_t> offsets_of(detail::entries_view<T> const& a, std::int64_t row_count) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(row_count) + 1, a.count);
    detail::parallel_for(a.count, entries_at_once, [&](std::int64_t k) {
        std::int64_t const before = k > 0 ? a.rows[k - 1] : -1;
        for (std::int64_t row = before + 1; row <= a.rows[k]; ++row) offsets[static_cast<std::size_t>(row)] = k;
    });
    return offsets;
}

/// Entries of `a`, sorted, in rows that have any: for matrices with far more rows than entries.
template <class T>
std::shared_ptr<hisparse_content const> convert_hyper_sparse(std::shared_ptr<memory> const& where,
                                                             detail::entries_view<T> const& a, std::int64_t row_count,
                                                             std::int64_t column_count, hisparse_options options) {
    // Row numbers become positions among the rows that occur, so that the rest is what to_csr does.
    std::vector<std::int32_t> row_ids(a.rows, a.rows + a.count);
    std::sort(row_ids.begin(), row_ids.end());
    row_ids.erase(std::unique(row_ids.begin(), row_ids.end()), row_ids.end());
    if (!row_ids.empty() && (row_ids.front() < 0 || row_ids.back() >= row_count))
        throw shape_error("hisparse: an entry has row " +
                          std::to_string(row_ids.front() < 0 ? row_ids.front() : row_ids.back()) +
                          "; the matrix has rows 0 to " + std::to_string(row_count - 1));
    std::vector<std::int32_t> places(a.rows, a.rows + a.count);
    for (std::int32_t& row : places)
        row = static_cast<std::int32_t>(std::lower_bound(row_ids.begin(), row_ids.end(), row) - row_ids.begin());
    csr<T> const rows = detail::sort_rows<T>({places.data(), a.columns, a.values, a.count}, std::ssize(row_ids),
                                             column_count, "hisparse");
    return convert<T>(where, {row_count, column_count, row_ids, rows.row_offsets, rows.column_indices, rows.values},
                      options);
}

/// The arrays alone: what the view says of the entries that it does not hold is left to others.
template <class View>
View as_it_lies(View a) {
    a.options.symmetry = matrix_symmetry::general;
    return a;
}

}  // namespace

template <class T>
hisparse<T>::hisparse(std::shared_ptr<memory> const& where, csr_view<T> const& a, hisparse_options options) {
    checked_dimension_log2(options);
    bool const half = stores_half(a.options, options);
    if (half) detail::check_square(a.row_count, a.column_count, a.options, "hisparse");
    detail::rows_in_order<T> const rows(half ? as_it_lies(a) : a, "hisparse", where);
    content_ = convert<T>(where, *rows, options, half ? &a.options : nullptr);
}

template <class T>
hisparse<T>::hisparse(std::shared_ptr<memory> const& where, coo_view<T> const& a, hisparse_options options) {
    checked_dimension_log2(options);
    std::int64_t const m = a.row_count, n = a.column_count;
    bool const hyper_sparse = m / 8 > a.entry_count();
    bool const half = stores_half(a.options, options) && !hyper_sparse;
    if (half) detail::check_square(m, n, a.options, "hisparse");
    detail::narrow_entries<T> const narrow(half ? as_it_lies(a) : a, "hisparse", where);
    detail::entries_view<T> const& entries = *narrow;
    auto const count = static_cast<std::size_t>(entries.count);
    view_options const* const how = half ? &a.options : nullptr;
    if (hyper_sparse) {
        if (stores_half(a.options, options)) options.share_transposed = true;  // all are read: there are few
        content_ = convert_hyper_sparse(where, entries, m, n, options);
        detail::check_promise(entries, entry_count(), a.options, "hisparse");
    } else if (are_in_order(entries, m, n)) {
        content_ = convert<T>(
            where, {m, n, {}, offsets_of(entries, m), {entries.columns, count}, {entries.values, count}}, options, how);
    } else {
        csr<T> const rows = detail::sort_rows(entries, m, n, "hisparse");
        detail::check_promise(entries, rows.entry_count(), a.options, "hisparse");
        content_ = convert<T>(where, {m, n, {}, rows.row_offsets, rows.column_indices, rows.values}, options, how);
    }
}

template <class T>
std::int64_t hisparse<T>::bytes() const noexcept {
    std::int64_t sum = 0;
    for (arena const& a : content_->arenas) sum += a.memory->size();
    return sum;
}

template class hisparse<float>;
template class hisparse<double>;

}  // namespace copse
