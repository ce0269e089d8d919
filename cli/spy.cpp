// copse spy: a picture of a matrix: its entries, the nodes of its tree, and where its bytes are.
#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/write_file.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "cli/formats.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/record.hpp"
#include "cli/spy_drawing.hpp"
#include "cli/text.hpp"

namespace copse::cli {
namespace {

char const* const spy_footer =
    R"(Draws the entries in the colours of the kinds of leaves that hold them, outlines of the HiSparse tree's nodes,
axes (rows and columns from 0), and a legend: nodes and bytes by level and kind. A matrix of up to 480 rows and
columns is drawn entry by entry. A larger one is drawn in 480 cells along its longer side; the darker a cell, the
more entries it has. Nodes that are less than four cells wide are not outlined. No file has more than some MB.

The ending of the file's name says what is written: .svg; .html, a page in which entries and levels can be hidden;
.png, if copse was built with Cairo. None of them needs another file or a network.

JSON: op, matrix, type, transpose, rows, cols, entries, output, node_dimension, cell, grid (rows, columns),
outlined_from_level, bytes (by kind).

Examples:
  copse spy A.mtx -o A.svg
  copse spy rmat:18 --node-dimension 64 -o rmat.html
  copse spy A.mtx --transpose -o At.png)";

struct spy_arguments {
    std::string matrix;
    std::string output;
    std::string type = "double";
    format_options options;
    int threads = 0;
    bool transpose = false;
    bool json = false;
};

enum class picture_kind { svg, html, png };

/// Throws argument_error for a name that ends in none of them.
picture_kind kind_by_name(std::string const& path) {
    std::string end = path.substr(std::min(path.rfind('.'), path.size()));
    std::transform(end.begin(), end.end(), end.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    for (auto const& [name, kind] :
         {std::pair{".svg", picture_kind::svg}, {".html", picture_kind::html}, {".png", picture_kind::png}})
        if (end == name) {
            if (kind == picture_kind::png && !can_draw_png())
                throw argument_error("-o: '" + path +
                                     "' is to be a PNG, but this copse was built without Cairo; name a file that ends "
                                     "in .svg or .html, or install libcairo2-dev and build copse anew");
            return kind;
        }
    throw argument_error("-o: the name '" + path + "' does not say what to draw; let it end in .svg, .html or .png");
}

std::string drawn(spy_drawing const& drawing, picture_kind kind) {
    auto const canvas = kind == picture_kind::png ? make_png_canvas(drawing.width(), drawing.height())
                                                  : make_svg_canvas(drawing.width(), drawing.height());
    drawing.draw(*canvas);
    return kind == picture_kind::html ? drawing.page(canvas->finish()) : canvas->finish();
}

void print_json(spy_arguments const& arguments, spy_picture const& p) {
    nlohmann::ordered_json bytes = nlohmann::ordered_json::object();
    for (int kind = 0; kind < node_kind_count; ++kind)
        if (auto const own = p.bytes_of(static_cast<node_kind>(kind)); own > 0)
            bytes[std::string(name_of(static_cast<node_kind>(kind)))] = own;
    print({{"op", "spy"},
           {"matrix", arguments.matrix},
           {"type", arguments.type},
           {"transpose", arguments.transpose},
           {"rows", p.row_count},
           {"cols", p.column_count},
           {"entries", p.entry_count},
           {"output", arguments.output},
           {"node_dimension", p.node_dimension},
           {"cell", p.cell},
           {"grid", {{"rows", p.grid_rows}, {"columns", p.grid_columns}}},
           {"outlined_from_level", p.first_listed_level},
           {"bytes", std::move(bytes)}});
}

template <class T>
void draw(spy_arguments const& arguments) {
    if (arguments.output.empty()) throw argument_error("spy needs a file to draw to: -o FILE, such as -o a.svg");
    auto const kind = kind_by_name(arguments.output);
    announce_output(arguments.output, {arguments.matrix});
    auto const source = rows_or_coordinates_of(arguments.matrix, load_entries<T>(arguments.matrix));
    auto const picture = std::visit(
        [&](auto const& entries) {
            return within_memory(converting(arguments.matrix, "hisparse"), 0, [&] {
                hisparse<T> const a(host_memory(), entries, arguments.options.tree);
                return spy(arguments.transpose ? transposed(a) : a);
            });
        },
        source);
    spy_drawing const drawing(picture, arguments.transpose ? "transpose of " + arguments.matrix : arguments.matrix);
    std::string const file = drawn(drawing, kind);
    write_output([&] { write_file(arguments.output, file); });
    if (arguments.json) return print_json(arguments, picture);
    print(fmt::format(
        "{}: {} x {}, {} entries, {}; {}\n", one_line(arguments.output), with_commas(picture.row_count),
        with_commas(picture.column_count), with_commas(picture.entry_count),
        picture.cell == 1 ? std::string("one by one") : fmt::format("in cells of {0} x {0}", with_commas(picture.cell)),
        human_bytes(static_cast<double>(file.size()))));
}

}  // namespace

command add_spy(CLI::App& all) {
    auto const arguments = std::make_shared<spy_arguments>();
    CLI::App& app = add_command(all, "spy", "draw a matrix: its entries, its tree, its bytes", spy_footer);
    add_matrix(app, arguments->matrix);
    add_file(app, "-o,--output", arguments->output, "the file to draw to: .svg, .html or .png");
    add_flag(app, "--transpose", arguments->transpose, "draw the transpose");
    add_tree_options(app, arguments->options);
    add_type(app, arguments->type);
    add_threads(app, arguments->threads);
    add_json(app, arguments->json);
    return {&app, [arguments] {
                use_threads(arguments->threads);
                arguments->type == "float" ? draw<float>(*arguments) : draw<double>(*arguments);
            }};
}

}  // namespace copse::cli
