// copse convert: a matrix in another format: what it takes, and whether it is the same matrix there.
#include <fmt/format.h>

#include <algorithm>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/buffer.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/formats.hpp"
#include "cli/load.hpp"
#include "cli/measure.hpp"
#include "cli/options.hpp"

namespace copse::cli {
namespace {

char const* const convert_footer =
    R"(Converts from compressed rows, in the memory of the executor, and says how long that took and what the matrix
takes there; no file is written. (To HiSparse from coordinates where rows are more than eight times as many as
entries: without row offsets.) --check converts back, on a GPU where the matrix is, and compares all entries
bit by bit; a difference is an error (exit status 1). --memory does it once more, and then what may follow, and
says what each takes of the host's memory at most, and of the GPU's where that is used, its result included: the
conversion, the way back to CSR, making a plan for both directions; of HiSparse also the way back to COO, new
values and a plan's update with them, an edit of a thousand entries, prune (of a half of the entries),
compaction. JSON: peak_bytes, device_peak_bytes, and the same behind back_, coo_, plan_, values_, update_, edit_,
prune_, compact_.

Examples:
  copse convert A.mtx --format csr5 --check
  copse convert rmat:16 --format hisparse --type float --json)";

struct convert_arguments {
    std::string matrix;
    std::string format;
    format_options options;
    std::string type = "double";
    target_options where;
    bool check = false;
    bool memory = false;
    bool json = false;
    std::string trace;  // a file; empty: no trace
};

/// What --json prints, and the same for people.
struct outcome {
    nlohmann::ordered_json object;
    std::string text;
    std::string memory_text;
};

/// A thousand entries that lie apart, each twice as large; of fewer all.
template <class T>
edits<T> some_edits(csr<T> const& a) {
    edits<T> changes;
    auto const step = std::max<std::int64_t>(1, a.entry_count() / 1000);
    std::int64_t row = 0;
    for (std::int64_t k = 0; k < a.entry_count(); k += step) {
        while (a.row_offsets[row + 1] <= k) ++row;
        changes.set(row, a.column_indices[k], 2 * a.values[k]);
    }
    return changes;
}

/// Adds the peaks of the conversion and of what may follow: each beside what was there before, its result included, and
/// measured in a call of its own. make(): `a` in the format, in the memory of the executor. The way back is the host's,
/// but a gpu's to its own memory. "new values": the first time, when places are looked up; "update": of the plan, with
/// such values.
template <class T, class Executor, class Make>
void add_peaks(outcome& o, Executor& executor, csr<T> const& a, Make const& make) {
    constexpr bool is_gpu = std::is_same_v<Executor, gpu>;
    auto const add = [&](char const* words, char const* prefix, auto const& work) {
        auto const most = memory_peak_of(executor, work);
        add_peak(o.object, prefix, most);
        if (most != memory_peak())
            o.memory_text += fmt::format("{} {} {}", o.memory_text.empty() ? "" : ",", words, peak_text(most));
    };
    add("conversion", "", [&] { (void)make(); });
    auto const made = make();
    add("back to CSR", "back_", [&] {
        if constexpr (is_gpu && requires { to_csr_matrix(executor, made); })
            (void)to_csr_matrix(executor, made);
        else
            (void)to_csr(made);
    });
    if constexpr (std::is_same_v<decltype(make()), hisparse<T>>) {
        add("back to COO", "coo_", [&] {
            if constexpr (is_gpu)
                (void)to_coo(executor, made);
            else
                (void)to_coo(made);
        });
        add("plan", "plan_", [&] { spmv_plan<T>(executor, made, plan_directions::both); });
        buffer<T> const values(executor, a.values);
        add("new values", "values_", [&] { (void)with_values(executor, made, values.view()); });
        std::vector<T> half_zero = a.values;
        for (std::size_t i = 0; i < half_zero.size(); i += 2) half_zero[i] = T(0);
        auto const other = with_values(executor, made, buffer<T>(executor, half_zero).view());
        add("update", "update_",
            [&, plan = spmv_plan<T>(executor, made, plan_directions::both)] { (void)update(plan, other); });
        add("edit", "edit_", [&, changes = some_edits(a)] { (void)edit(made, changes); });
        add("prune", "prune_", [&] { (void)prune(executor, other); });
        add("compaction", "compact_", [&] { (void)compact(executor, made); });
    } else {
        add_peak(o.object, "coo_", {});
        add("plan", "plan_", [&] { flat_plan(executor, made, plan_directions::both); });
        for (auto const* of_trees : {"values_", "update_", "edit_", "prune_", "compact_"})
            add_peak(o.object, of_trees, {});
    }
    if (o.memory_text.empty()) o.memory_text = ' ' + peak_text({});
}

/// Equal in all bits, NaN and the sign of zero included.
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
    return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}
template <class T>
bool same_entries(csr<T> const& a, csr<T> const& b) {
    return a.row_count == b.row_count && a.column_count == b.column_count && a.row_offsets == b.row_offsets &&
           a.column_indices == b.column_indices && same_bits(a.values, b.values);
}
template <class T>
bool same_entries(coo<T> const& a, coo<T> const& b) {
    return a.row_count == b.row_count && a.column_count == b.column_count && a.rows == b.rows &&
           a.columns == b.columns && same_bits(a.values, b.values);
}

/// Whether `a`, of which `made` was made, comes back the same: from the host, or by way of rows on the GPU.
template <class T, class Matrix, class Executor>
bool comes_back(csr<T> const& a, Matrix const& made, Executor& executor, double& seconds) {
    if constexpr (requires { to_csr_matrix(executor, made); })
        return same_entries(a, to_csr(timed(seconds, [&] { return to_csr_matrix(executor, made); })));
    else
        return same_entries(a, timed(seconds, [&] { return to_csr(made); }));
}
template <class T, class Executor>
bool comes_back(coo<T> const& a, hisparse<T> const& made, Executor&, double& seconds) {
    return same_entries(a, timed(seconds, [&] { return to_coo(made); }));
}

/// Converts `a` to Matrix, and prints what that took. a: csr; coo for HiSparse, without --memory.
template <class Matrix, class Source, class Executor>
void convert_to(convert_arguments const& arguments, std::string const& format, Source const& a, target const& where,
                Executor& executor) {
    double seconds = 0, back_seconds = 0;
    auto const make = [&] { return make_matrix<Matrix>(executor, a, arguments.options); };
    std::optional<Matrix> made = timed(
        seconds, [&] { return within_memory(converting(arguments.matrix, format), converted_bytes(a, format), make); });
    auto const bytes = made->bytes();
    auto const mean = per_entry(bytes, a.entry_count());
    outcome o{{{"op", "convert"},
               {"matrix", arguments.matrix},
               {"format", format},
               {"on", where.on},
               {"type", arguments.type},
               {"threads", where.threads},
               {"rows", a.row_count},
               {"cols", a.column_count},
               {"entries", a.entry_count()},
               {"bytes", bytes},
               {"convert_seconds", seconds},
               {"checked", arguments.check}},
              fmt::format("{} in {} on {}: {} bytes{}, converted in {}", one_line(arguments.matrix), format, where.on,
                          with_commas(bytes), mean.empty() ? "" : ", " + mean + " per entry", human_seconds(seconds)),
              ""};
    if (arguments.check) {
        if (!comes_back(a, *made, executor, back_seconds))
            throw error("'" + arguments.matrix + "' has other entries after a conversion to " + format +
                        " and back: this is a defect of copse; report it");
        o.object["back_seconds"] = back_seconds;
        o.text += "; the same entries back in " + human_seconds(back_seconds);
    }
    made.reset();
    if (!arguments.trace.empty()) trace_work(arguments.trace, [&] { (void)make(); });
    if constexpr (requires { a.row_offsets; })
        if (arguments.memory) add_peaks(o, executor, a, make);
    if (arguments.json) return print(o.object);
    print(o.text + '\n' + (arguments.memory ? "memory at most:" + o.memory_text + '\n' : ""));
}

/// Throws error where memory is missing for what is known from the shape alone, before anything is sorted.
template <class T>
csr<T> load_rows(convert_arguments const& arguments, coo<T> const& entries, target const& where) {
    check_memory(sorting(arguments.matrix), sorting_bytes(entries));
    bool const has_offsets = arguments.format == "csr" || arguments.format == "csr5";
    // Of the rows that are converted, of those in the format, and of those that come back.
    int const of_rows = 1 + (has_offsets && where.on != "gpu" ? 1 : 0) + (arguments.check || arguments.memory ? 1 : 0);
    check_memory(converting(arguments.matrix, arguments.format), of_rows * offset_bytes(entries.row_count));
    return rows_of(arguments.matrix, entries);
}

template <class T>
rows_or_coordinates<T> load(convert_arguments& arguments, target const& where) {
    auto const entries = load_entries<T>(arguments.matrix, arguments.options.source);
    // Flat formats, and the measurements of memory, start from row offsets.
    if (arguments.format != "hisparse" || arguments.memory) return load_rows(arguments, entries, where);
    return rows_or_coordinates_of(arguments.matrix, entries);
}

template <class T>
void convert(convert_arguments arguments) {
    target const where(arguments.where);
    auto const matrix = load<T>(arguments, where);
    auto const convert_as = [&]<class Matrix>(std::type_identity<Matrix>, auto const& a, std::string const& format) {
        where.with([&](auto& executor) { convert_to<Matrix>(arguments, format, a, where, executor); });
    };
    if (auto const* entries = std::get_if<coo<T>>(&matrix))
        return convert_as(std::type_identity<hisparse<T>>(), *entries, arguments.format);
    auto const& rows = std::get<csr<T>>(matrix);
    auto use = use_of(false, true, where.on);
    use.formats_of_plans = false;
    take_format(arguments.format, rows, use, [&](std::string const& format, std::string const&) {
        with_format<T>(format, [&](auto type) { convert_as(type, rows, format); });
    });
}

}  // namespace

command add_convert(CLI::App& all) {
    auto const arguments = std::make_shared<convert_arguments>();
    CLI::App& app = add_command(all, "convert", "convert a matrix to another format, and back", convert_footer);
    add_matrix(app, arguments->matrix);
    add_choice(app, "--format", format_names(), "what to convert to; auto: what suits products from a plan",
               arguments->format, presence::required);
    add_type(app, arguments->type);
    add_on(app, arguments->where.on);
    add_threads(app, arguments->where.threads);
    add_flat_options(app, arguments->options);
    add_tree_options(app, arguments->options);
    add_flag(app, "--check", arguments->check, "convert back and compare all entries");
    add_memory(app, arguments->memory, "it and what may follow take");
    add_trace_option(app, arguments->trace, "one more conversion");
    add_json(app, arguments->json);
    return {&app, [&app, arguments] {
                check_format_options(app, arguments->format);
                check_trace_option(app, arguments->trace, "", {arguments->matrix});
                arguments->type == "float" ? convert<float>(*arguments) : convert<double>(*arguments);
            }};
}

}  // namespace copse::cli
