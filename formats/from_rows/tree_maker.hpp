// Views of rows and of lists of entries, in any memory and types, to trees where the executor works: their arrays as
// conversion_run.hpp reads them, and equal nodes shared afterwards. Included where run() for the executor is compiled.
#pragma once

#include <bit>
#include <copse/formats/from_rows/conversion_choices.hpp>
#include <copse/formats/from_rows/conversion_run.hpp>
#include <copse/formats/from_rows/hisparse_builder.hpp>
#include <copse/formats/from_rows/row_stretches.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/steps/view_arrays.hpp>
#include <copse/formats/tree/tree_copy.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>

namespace copse::detail {

/// Whether a matrix and what it is to become are within what convert_on() takes.
inline bool within_convert_on(std::int64_t rows, std::int64_t columns, std::int64_t entries, std::int64_t most,
                              hisparse_options options) {
    std::int64_t const longest = std::int64_t{1} << 31;
    int const d = options.node_dimension;
    return entries > 0 && entries < most && rows > 0 && rows <= longest && columns > 0 && columns <= longest &&
           (d == 64 || d == 128 || d == 256);
}

/// The trees of matrices by convert_on(). Null where the host's conversion says what is wrong, or does it.
template <class T, class Executor, class Primitives>
class tree_maker {
  public:
    using tree = std::shared_ptr<hisparse_content const>;

    tree_maker(Executor& executor, Primitives& primitives, hisparse_options options,
               conversion_choices const& choices = {}, std::int64_t most = most_numbers)
        : executor_(executor), primitives_(primitives), options_(options), choices_(choices), most_numbers_(most) {}

    /// Rows that do not ascend are converted as the list of their entries.
    tree make(csr_view<T> const& a) {
        if (!takes(a)) return nullptr;
        view_arrays<Primitives> arrays(primitives_, space(), a.options);
        matrix_entries<T> entries{a.row_count, a.column_count, a.entry_count()};
        entries.row_offsets = arrays.template indices<std::int64_t>(a.row_offsets);
        entries.columns = arrays.template indices<std::int32_t>(a.column_indices);
        entries.values = arrays.values(a.values);
        if (arrays.is_broken()) return nullptr;
        if (tree const made = convert(entries)) return made;
        if (a.options.ascending) return nullptr;
        primitives_.for_each(a.row_count,
                             check_row_offsets{a.row_count, a.entry_count(), entries.row_offsets, arrays.broken()});
        if (arrays.is_broken()) return nullptr;
        buffer<std::int32_t> const rows(primitives_.temporary(), a.entry_count());
        note_rows const note{
            {a.row_count, a.column_count, a.entry_count(), entries.row_offsets, entries.columns, nullptr, {}},
            rows.data()};
        primitives_.for_each(note.stretches().indices(), note);
        entries.rows = rows.data();
        entries.row_offsets = nullptr;
        return as_promised(convert(entries), a);
    }
    tree make(coo_view<T> const& a) {
        if (!takes(a)) return nullptr;
        view_arrays<Primitives> arrays(primitives_, space(), a.options);
        matrix_entries<T> entries{a.row_count, a.column_count, a.entry_count()};
        entries.rows = arrays.template indices<std::int32_t>(a.rows);
        entries.columns = arrays.template indices<std::int32_t>(a.columns);
        entries.values = arrays.values(a.values);
        if (arrays.is_broken()) return nullptr;
        if (a.options.ascending) {
            primitives_.for_each(a.entry_count(), check_entry_order{entries.rows, entries.columns, arrays.broken()});
            if (arrays.is_broken()) return nullptr;
        }
        return as_promised(convert(entries), a);
    }

  private:
    memory_space space() const { return executor_.memory()->space(); }
    template <class View>
    bool takes(View const& a) const {
        return within_convert_on(a.row_count, a.column_count, a.entry_count(), most_numbers_, options_) &&
               is_complete(a) && view_arrays<Primitives>::reads(space(), a.options);
    }
    template <class View>
    static tree as_promised(tree made, View const& a) {
        return made && a.options.no_duplicates && made->entry_count != a.entry_count() ? nullptr : made;
    }
    tree convert(matrix_entries<T> const& a) {
        int const log2 = std::countr_zero(static_cast<unsigned>(options_.node_dimension));
        auto content = convert_on<T>(executor_, primitives_, a, log2, choices_, most_numbers_);
        copy_options const copied{options_.share_identical, options_.values == stored_values::once,
                                  options_.share_transposed.value_or(false)};
        if (!content || !copied.changes_nodes()) return content;
        return std::make_shared<hisparse_content>(place(copy_tree(*content, sizeof(T), copied), executor_.memory()));
    }

    Executor& executor_;
    Primitives& primitives_;
    hisparse_options const options_;
    conversion_choices const choices_;
    std::int64_t const most_numbers_;
};

}  // namespace copse::detail
