// copse convert: a matrix in another format: what it takes, and whether it is the same matrix there.
#include <fmt/format.h>

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/addition.hpp"
#include "cli/auto_format.hpp"
#include "cli/commands.hpp"
#include "cli/competitors.hpp"
#include "cli/conversion_memory.hpp"
#include "cli/flat_arguments.hpp"
#include "cli/flat_formats.hpp"
#include "cli/json_value.hpp"
#include "cli/load.hpp"
#include "cli/measurement.hpp"
#include "cli/memory_option.hpp"
#include "cli/options.hpp"
#include "cli/target.hpp"
#include "cli/text.hpp"
#include "cli/timing.hpp"

namespace copse::cli {
namespace {

struct convert_arguments {
    std::string matrix;
    std::string format;
    std::string type = "double";
    measure::target_options where;
    measure::flat_options flat;
    int node_dimension = 128;
    bool check = false;
    bool memory = false;
    bool json = false;
};

char const* const footer =
    "Converts from compressed rows, in the memory of the executor, and says how long that took and what the matrix\n"
    "takes there; no file is written. (To HiSparse from coordinates where rows are more than eight times as many as\n"
    "entries: without row offsets.) --check converts back, on a GPU where the matrix is, and compares all entries\n"
    "bit by bit; a difference is an error (exit status 1). --memory does it once more, and then what may follow, and\n"
    "says what each takes of the host's memory at most, and of the GPU's where that is used, its result included: the\n"
    "conversion, the way back to CSR, making a plan; of HiSparse also the way back to COO, new values and a plan's\n"
    "update with them, an edit of a thousand entries, prune (of a half of the entries), compaction. JSON: peak_bytes,\n"
    "device_peak_bytes, and the same behind back_, coo_, plan_, values_, update_, edit_, prune_, compact_.\n"
    "\n"
    "Examples:\n"
    "  copse convert A.mtx --format csr5 --check\n"
    "  copse convert rmat:16 --format hisparse --type float --json";

/// What a conversion gave.
struct outcome {
    std::int64_t bytes = 0;
    double seconds = 0;
    std::optional<double> back_seconds;                   // with --check
    std::optional<measure::conversion_memory> of_memory;  // with --memory
    bool is_same = true;
};

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

/// Whether `a` is what `made` was made of. Measures the way back: to the host, or to rows on the GPU.
template <class T, class Matrix>
void check(outcome& result, csr<T> const& a, Matrix const& made, measure::target& where) {
    result.is_same = where.with([&](auto& executor) {
        if constexpr (requires { to_csr_matrix(executor, made); }) {
            std::optional<csr_matrix<T>> back;
            result.back_seconds = measure::seconds_of([&] { back = to_csr_matrix(executor, made); });
            return same_entries(a, to_csr(*back));
        } else {
            csr<T> back;
            result.back_seconds = measure::seconds_of([&] { back = to_csr(made); });
            return same_entries(a, back);
        }
    });
}

std::string converting(convert_arguments const& arguments) {
    return "converting '" + arguments.matrix + "' to " + arguments.format;
}

template <class T, class Matrix>
outcome convert_to(convert_arguments const& arguments, csr<T> const& a, measure::target& where) {
    std::optional<Matrix> made;
    outcome result;
    auto const make = [&] {
        return where.with([&](auto& executor) {
            if constexpr (flat_format<Matrix>)
                return measure::make_flat<Matrix>(executor, a, arguments.flat);
            else
                return Matrix(executor, a, {.node_dimension = arguments.node_dimension});
        });
    };
    result.seconds = measure::seconds_of([&] {
        made = measure::within_memory(converting(arguments), measure::converted_bytes(a, arguments.format), make);
    });
    result.bytes = made->bytes();
    if (arguments.check) check(result, a, *made, where);
    if (!arguments.memory) return result;
    made.reset();
    result.of_memory =
        where.with([&](auto& executor) { return measure::measure_conversion_memory(executor, a, make); });
    return result;
}

template <class T>
outcome convert(convert_arguments const& arguments, csr<T> const& a, measure::target& where) {
    if (arguments.format == "hisparse") return convert_to<T, hisparse<T>>(arguments, a, where);
    return measure::with_flat_format<T>(arguments.format, [&]<class Matrix>(std::type_identity<Matrix>) {
        return convert_to<T, Matrix>(arguments, a, where);
    });
}

/// In the format that was asked for; by auto in another one where SELL-P refuses. Sets arguments.format to what was
/// taken.
template <class T>
outcome convert_as_asked(convert_arguments& arguments, csr<T> const& a, measure::target& where) {
    if (arguments.format != "auto") return convert<T>(arguments, a, where);
    arguments.format = name_of(measure::choose_format(a, false, true, where.on()).format);
    try {
        return convert<T>(arguments, a, where);
    } catch (too_much_padding const&) {
        arguments.format = measure::instead_of_sellp(where.on());
        return convert<T>(arguments, a, where);
    }
}

/// Of coordinates, to HiSparse. The way back is that to the host's.
template <class T>
outcome convert_as_asked(convert_arguments const& arguments, coo<T> const& a, measure::target& where) {
    auto const made = measure::convert(where, arguments.matrix, a, arguments.node_dimension);
    outcome result;
    result.bytes = made.matrix.bytes();
    result.seconds = made.seconds;
    if (!arguments.check) return result;
    coo<T> back;
    result.back_seconds = measure::seconds_of([&] { back = to_coo(made.matrix); });
    result.is_same = same_entries(a, back);
    return result;
}

/// f(words, prefix of JSON names, peak)
template <class F>
void for_each_peak(measure::conversion_memory const& m, F f) {
    f("conversion", "", m.convert);
    f("back to CSR", "back_", m.back);
    f("back to COO", "coo_", m.back_to_coo);
    f("plan", "plan_", m.plan);
    f("new values", "values_", m.values);
    f("update", "update_", m.update);
    f("edit", "edit_", m.edit);
    f("prune", "prune_", m.prune);
    f("compaction", "compact_", m.compact);
}

std::string to_text(measure::conversion_memory const& m) {
    std::string text;
    for_each_peak(m, [&](char const* words, char const*, std::optional<measure::memory_peak> const& most) {
        if (most && *most != measure::memory_peak())
            text += fmt::format("{} {} {}", text.empty() ? "" : ",", words, measure::peak_text(*most));
    });
    return "memory at most:" + (text.empty() ? ' ' + measure::peak_text({}) : text) + '\n';
}

nlohmann::ordered_json to_json(measure::conversion_memory const& m) {
    nlohmann::ordered_json object;
    for_each_peak(m, [&](char const*, std::string const& prefix, std::optional<measure::memory_peak> const& most) {
        auto const found = most.value_or(measure::memory_peak());
        object[prefix + "peak_bytes"] = measure::or_null(found.bytes);
        if (found.device_bytes) object[prefix + "device_peak_bytes"] = *found.device_bytes;
    });
    return object;
}

std::string to_text(convert_arguments const& arguments, outcome const& o, std::int64_t entries, std::string const& on) {
    auto const per_entry =
        entries == 0 ? ""
                     : fmt::format(", {:.2f} per entry", static_cast<double>(o.bytes) / static_cast<double>(entries));
    auto const back =
        o.back_seconds ? fmt::format("; the same entries back in {}", measure::human_seconds(*o.back_seconds)) : "";
    return fmt::format("{} in {} on {}: {} bytes{}, converted in {}{}\n", measure::one_line(arguments.matrix),
                       arguments.format, on, measure::with_commas(o.bytes), per_entry,
                       measure::human_seconds(o.seconds), back) +
           (o.of_memory ? to_text(*o.of_memory) : "");
}

/// a: csr, or coo for HiSparse.
template <class T, class Matrix>
void run_convert(convert_arguments arguments, Matrix const& a, measure::target& where) {
    outcome const o = convert_as_asked<T>(arguments, a, where);
    if (!o.is_same)
        throw error("'" + arguments.matrix + "' has other entries after a conversion to " + arguments.format +
                    " and back: this is a defect of copse");
    if (!arguments.json) return print(to_text(arguments, o, a.entry_count(), where.on()));
    nlohmann::ordered_json record{{"op", "convert"},     {"matrix", arguments.matrix},    {"format", arguments.format},
                                  {"on", where.on()},    {"type", measure::type_name<T>}, {"threads", where.threads()},
                                  {"rows", a.row_count}, {"cols", a.column_count},        {"entries", a.entry_count()},
                                  {"bytes", o.bytes},    {"convert_seconds", o.seconds},  {"checked", arguments.check}};
    if (o.back_seconds) record["back_seconds"] = *o.back_seconds;
    if (o.of_memory) record.update(to_json(*o.of_memory));
    print(measure::json_line(record));
}

/// Throws error where memory is missing for what is known from the shape alone, before anything is sorted.
template <class T>
csr<T> load_rows(convert_arguments const& arguments, measure::target const& where) {
    auto const entries = measure::load_entries<T>(arguments.matrix);
    measure::check_memory_for_rows(arguments.matrix, entries);
    bool const has_offsets = arguments.format == "csr" || arguments.format == "csr5";
    // Of the rows that are converted, of those in the format, and of those that come back.
    int const of_rows =
        1 + (has_offsets && where.on() != "gpu" ? 1 : 0) + (arguments.check || arguments.memory ? 1 : 0);
    measure::check_memory(converting(arguments), of_rows * measure::offset_bytes(entries.row_count));
    return measure::rows_of(arguments.matrix, entries);
}

template <class T>
void run_convert(convert_arguments const& arguments) {
    measure::target where(arguments.where);
    // Flat formats, and the measurements of memory, start from row offsets.
    if (arguments.format != "hisparse" || arguments.memory)
        return run_convert<T>(arguments, load_rows<T>(arguments, where), where);
    std::visit([&](auto const& a) { run_convert<T>(arguments, a, where); },
               measure::load_rows_or_coordinates<T>(arguments.matrix));
}

}  // namespace

command add_convert(CLI::App& all) {
    auto const arguments = std::make_shared<convert_arguments>();
    auto* const app = all.add_subcommand("convert", "convert a matrix to another format, and back");
    add_matrix(*app, arguments->matrix);
    std::vector<std::string> formats{"hisparse"};
    formats.insert(formats.end(), flat_format_names.begin(), flat_format_names.end());
    formats.emplace_back("auto");
    add_choice(*app, "--format", arguments->format, formats,
               "what to convert to; auto: what suits products from a plan")
        ->required();
    add_choice(*app, "--type", arguments->type, {"double", "float"}, "of the values (default double)");
    add_choice(*app, "--on", arguments->where.on, {"auto", "cpu", "gpu", "emulated"},
               "where (default auto: a GPU that can be used, else the cpu)");
    add_threads(*app, arguments->where.threads);
    add_flat_options(*app, arguments->flat);
    auto* const dimension = add_node_dimension(*app, arguments->node_dimension);
    app->add_flag("--check", arguments->check, "convert back and compare all entries")->disable_flag_override();
    add_memory_option(*app, arguments->memory, "it and what may follow take");
    app->add_flag("--json", arguments->json, "print one JSON object on one line")->disable_flag_override();
    app->footer(footer);
    return {app, [app, arguments, dimension] {
                check_flat_options(*app, arguments->format);
                if (dimension->count() > 0 && arguments->format != "hisparse" && arguments->format != "auto")
                    throw argument_error("--node-dimension belongs to --format hisparse, not to " + arguments->format);
                arguments->type == "float" ? run_convert<float>(*arguments) : run_convert<double>(*arguments);
            }};
}

}  // namespace copse::cli
