#include <algorithm>
#include <atomic>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
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

void make_arena_table(hisparse_content& content, std::shared_ptr<memory> const& where) {
    int size = 0;
    for (arena const& a : content.arenas) size = std::max(size, a.number + 1);
    content.arena_table = buffer<std::byte const*>(where, size);
    fill_arena_table(content);
}

void fill_arena_table(hisparse_content& content) {
    buffer<std::byte const*> const& table = content.arena_table;
    if (table.size() == 0) return;
    std::vector<std::byte const*> addresses(static_cast<std::size_t>(table.size()));
    for (arena const& a : content.arenas) addresses[static_cast<std::size_t>(a.number)] = a.memory->data();
    table.where()->copy_from_host(table.data(), addresses.data(), table.bytes());
}

node_reader reader_of(hisparse_content const& content) {
    if (content.arenas.empty()) return {0, nullptr, nullptr, content.dimension_log2};
    return {content.arenas.front().number, content.arenas.front().memory->data(), content.arena_table.data(),
            content.dimension_log2};
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

void check_dimensions(std::int64_t rows, std::int64_t columns) {
    std::int64_t const most = std::int64_t{1} << 31;
    if (rows < 0 || columns < 0 || rows > most || columns > most)
        throw shape_error("hisparse: the matrix is " + std::to_string(rows) + " x " + std::to_string(columns) +
                          "; dimensions must be from 0 to 2^31");
}

template <class T>
std::shared_ptr<hisparse_content const> convert(std::shared_ptr<memory> const& where,
                                                detail::compressed_rows<T> const& rows, hisparse_options options) {
    nvtx_range const range(nvtx_room::formats, "copse conversion to hisparse");
    hisparse_content built = detail::build_tree(rows, checked_dimension_log2(options));
    if (detail::copy_options const copied = detail::copies_after(options); copied.changes_nodes())
        built = detail::copy_tree(built, sizeof(T), copied);
    return std::make_shared<hisparse_content>(detail::place(std::move(built), where));
}

/// to_csr(), whose errors say for whom.
template <class T>
csr<T> rows_of(coo<T> const& a) {
    try {
        return to_csr(a);
    } catch (shape_error const& e) {
        throw shape_error(std::string("hisparse: ") + e.what());
    }
}

/// Entries that a thread looks at at once.
constexpr std::int64_t entries_at_once = std::int64_t{1} << 14;

/// Whether the entries lie within the matrix and ascend by row and column, none twice: then columns and values are
/// those of compressed rows as they are.
template <class T>
bool are_in_order(coo<T> const& a) {
    if (a.rows.size() != a.values.size() || a.columns.size() != a.values.size()) return false;
    std::atomic<bool> broken{false};
    detail::for_stretches(a.entry_count(), entries_at_once, [&](std::int64_t first, std::int64_t last) {
        if (broken.load(std::memory_order_relaxed)) return;
        bool right = true;
        for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
            right &= 0 <= a.rows[k] && a.rows[k] < a.row_count && 0 <= a.columns[k] && a.columns[k] < a.column_count;
            if (k > 0)
                right &= a.rows[k - 1] < a.rows[k] || (a.rows[k - 1] == a.rows[k] && a.columns[k - 1] < a.columns[k]);
        }
        if (!right) broken.store(true, std::memory_order_relaxed);
    });
    return !broken;
}

/// Where each row of entries in order begins.
template <class T>
std::vector<std::int64_t> offsets_of(coo<T> const& a) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(a.row_count) + 1, a.entry_count());
    detail::parallel_for(a.entry_count(), entries_at_once, [&](std::int64_t k) {
        auto const here = static_cast<std::size_t>(k);
        std::int64_t const before = k > 0 ? a.rows[here - 1] : -1;
        for (std::int64_t row = before + 1; row <= a.rows[here]; ++row) offsets[static_cast<std::size_t>(row)] = k;
    });
    return offsets;
}

/// Entries of `a`, sorted, in rows that have any: for matrices with far more rows than entries.
template <class T>
std::shared_ptr<hisparse_content const> convert_hyper_sparse(std::shared_ptr<memory> const& where, coo<T> const& a,
                                                             hisparse_options options) {
    // Row numbers become positions among the rows that occur, so that the rest is what to_csr does.
    std::vector<std::int32_t> row_ids(a.rows);
    std::sort(row_ids.begin(), row_ids.end());
    row_ids.erase(std::unique(row_ids.begin(), row_ids.end()), row_ids.end());
    if (!row_ids.empty() && (row_ids.front() < 0 || row_ids.back() >= a.row_count))
        throw shape_error("hisparse: an entry has row " +
                          std::to_string(row_ids.front() < 0 ? row_ids.front() : row_ids.back()) +
                          "; the matrix has rows 0 to " + std::to_string(a.row_count - 1));
    coo<T> packed = a;
    packed.row_count = static_cast<std::int64_t>(row_ids.size());
    for (std::int32_t& row : packed.rows)
        row = static_cast<std::int32_t>(std::lower_bound(row_ids.begin(), row_ids.end(), row) - row_ids.begin());
    csr<T> const rows = rows_of(packed);
    return convert<T>(where, {a.row_count, a.column_count, row_ids, rows.row_offsets, rows.column_indices, rows.values},
                      options);
}

}  // namespace

template <class T>
hisparse<T>::hisparse(std::shared_ptr<memory> const& where, csr<T> const& a, hisparse_options options) {
    checked_dimension_log2(options);
    check_dimensions(a.row_count, a.column_count);
    check(a, "hisparse");
    content_ = convert<T>(where, {a.row_count, a.column_count, {}, a.row_offsets, a.column_indices, a.values}, options);
}

template <class T>
hisparse<T>::hisparse(std::shared_ptr<memory> const& where, coo<T> const& a, hisparse_options options) {
    checked_dimension_log2(options);
    check_dimensions(a.row_count, a.column_count);
    bool const hyper_sparse = a.row_count / 8 > a.entry_count();
    if (hyper_sparse)
        content_ = convert_hyper_sparse(where, a, options);
    else if (are_in_order(a))
        content_ = convert<T>(where, {a.row_count, a.column_count, {}, offsets_of(a), a.columns, a.values}, options);
    else
        *this = hisparse(where, rows_of(a), options);
}

template <class T>
hisparse<T>::hisparse(std::shared_ptr<memory> const& where, csr_matrix<T> const& a, hisparse_options options)
    : hisparse(where, to_csr(csr_matrix<T>(a.content())), options) {
    transposed_ = a.is_transposed();
    scale_ = a.scale();
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
