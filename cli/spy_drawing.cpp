#include "cli/spy_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/text.hpp"

namespace copse::cli {
namespace {

constexpr double left_margin = 92, top_margin = 84, gap = 30, margin = 14;
constexpr double longest_side = 720, shortest_side = 40, largest_cell = 24;
constexpr int shades = 6;
constexpr double least_shade = 0.35;

/// Told apart by people who see few colours, too (Okabe and Ito). By the kind's number.
constexpr std::array<colour, 8> kind_colours{{{0, 114, 178},
                                              {213, 94, 0},
                                              {0, 158, 115},
                                              {204, 121, 167},
                                              {230, 159, 0},
                                              {86, 180, 233},
                                              {240, 228, 66},
                                              {60, 60, 60}}};
static_assert(node_kind_count <= static_cast<int>(kind_colours.size()));

constexpr colour shade_of(int kind, int shade) {
    return mixed(white, kind_colours[static_cast<std::size_t>(kind)],
                 least_shade + (1 - least_shade) * shade / (shades - 1));
}

/// Each shade stands for the same multiple of the entries of the shade before it.
int shade_for(std::int64_t entries, std::int64_t most) {
    if (entries >= most) return shades - 1;
    return static_cast<int>(shades * std::log(static_cast<double>(entries)) / std::log(static_cast<double>(most)));
}

/// 1, 2 or 5 times a power of ten, the least that is at least `least`.
std::int64_t round_step(double least) {
    for (std::int64_t power = 1;; power *= 10)
        for (std::int64_t const digit : {1, 2, 5})
            if (static_cast<double>(digit * power) >= least) return digit * power;
}

std::string percent(std::int64_t part, std::int64_t all) {
    return all == 0 ? "" : fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

spy_drawing::spy_drawing(spy_picture const& picture, std::string title)
    : picture_(picture),
      title_(one_line(title)),
      rows_drawn_(static_cast<double>(std::max(1, picture.grid_rows)) * static_cast<double>(picture.cell)),
      columns_drawn_(static_cast<double>(std::max(1, picture.grid_columns)) * static_cast<double>(picture.cell)) {
    if (title_.size() > 100) title_ = "..." + title_.substr(title_.size() - 97);
    facts_ = fmt::format("{} x {}, {} entries", with_commas(picture.row_count), with_commas(picture.column_count),
                         with_commas(picture.entry_count));
    for (int row = 0; row < picture.grid_rows; ++row)
        for (int column = 0; column < picture.grid_columns; ++column)
            most_in_a_cell_ = std::max(most_in_a_cell_, picture.entries_in(row, column));
    write_legend();

    double const side = std::min(largest_cell, longest_side / std::max({1, picture.grid_rows, picture.grid_columns}));
    plot_ = {left_margin, top_margin, std::max(shortest_side, side * std::max(1, picture.grid_columns)),
             std::max(shortest_side, side * std::max(1, picture.grid_rows))};
    std::size_t letters = 0;
    for (legend_line const& line : legend_) letters = std::max(letters, line.text.size());
    double const legend_width = canvas::letter_width * static_cast<double>(letters + 4);
    double const title_width =
        canvas::letter_width * static_cast<double>(std::max(title_.size(), facts_.size())) + left_margin;
    width_ = std::max(plot_.x + plot_.width + gap + legend_width, title_width) + margin;
    height_ = plot_.y + std::max(plot_.height, canvas::line_height * static_cast<double>(legend_.size())) + margin;
}

void spy_drawing::write_legend() {
    auto const& nodes = picture_.nodes;
    std::int64_t const bytes = nodes.bytes();
    legend_.push_back({fmt::format("HiSparse tree, d = {}: {} bytes{}", picture_.node_dimension, with_commas(bytes),
                                   picture_.entry_count == 0
                                       ? ", no nodes"
                                       : fmt::format(", {} per entry", per_entry(bytes, picture_.entry_count)))});
    legend_.push_back({});
    if (picture_.entry_count == 0) return;

    legend_.push_back({"Bytes by kind of node:"});
    legend_.push_back({.has_bar = true});
    table kinds("lrr");
    std::vector<int> numbers;
    for (int kind = 0; kind < node_kind_count; ++kind) {
        std::int64_t const own = picture_.bytes_of(static_cast<node_kind>(kind));
        if (own == 0) continue;
        numbers.push_back(kind);
        kinds.add({std::string(name_of(static_cast<node_kind>(kind))), with_commas(own), percent(own, bytes)});
    }
    auto const add_table = [&](table const& t, std::size_t heads, auto const& swatch_of) {
        std::string const text = t.text();
        std::size_t row = 0;
        for (std::size_t at = 0; at < text.size(); ++row) {
            std::size_t const end = text.find('\n', at);
            legend_line line{text.substr(at, end - at)};
            line.in_table = true;
            if (row >= heads) swatch_of(line, row - heads);
            legend_.push_back(line);
            at = end + 1;
        }
    };
    add_table(kinds, 0, [&](legend_line& line, std::size_t row) { line.swatch = numbers[row]; });

    legend_.push_back({});
    legend_.push_back({"Nodes, which are outlined where they can be seen:"});
    table levels("llrrrr");
    levels.add({"level", "kind", "nodes", "hold", "bytes", ""});
    std::vector<std::pair<int, bool>> swatches;  // kind, inner node
    for (int level = level_count - 1; level >= 0; --level)
        for (int kind = 0; kind < node_kind_count; ++kind) {
            auto const& group = nodes.of(level, static_cast<node_kind>(kind));
            if (group.nodes == 0) continue;
            bool const is_leaf = level == 0 || static_cast<node_kind>(kind) == node_kind::wide;
            swatches.emplace_back(kind, !is_leaf);
            levels.add({std::to_string(level), std::string(name_of(static_cast<node_kind>(kind))),
                        with_commas(group.nodes), with_commas(group.entries) + (is_leaf ? " entries" : " children"),
                        human_bytes(static_cast<double>(group.bytes)), percent(group.bytes, bytes)});
        }
    add_table(levels, 1,
              [&](legend_line& line, std::size_t row) { std::tie(line.swatch, line.hollow) = swatches[row]; });
    if (picture_.first_listed_level > 0)
        legend_.push_back({fmt::format(
            "Nodes of level {} are too small to be outlined.",
            picture_.first_listed_level == 1 ? "0" : fmt::format("0 to {}", picture_.first_listed_level - 1))});
    legend_.push_back({});
    if (picture_.cell == 1) {
        legend_.push_back({"Each entry is a square in the colour of its leaf's kind."});
    } else {
        legend_.push_back({fmt::format("A cell is {0} x {0}, in the colour of the kind of leaf that holds most of its",
                                       with_commas(picture_.cell))});
        legend_.push_back({"entries; the more entries, the darker:"});
        legend_.push_back({.has_shades = true});
    }
}

std::vector<int> spy_drawing::outlined_levels() const {
    std::set<int> levels;
    for (spy_box const& box : picture_.boxes) levels.insert(box.level);
    return {levels.begin(), levels.end()};
}

void spy_drawing::draw(canvas& to) const {
    to.text(margin, 22, title_);
    to.text(margin, 40, facts_);
    draw_cells(to);
    draw_outlines(to);
    draw_axes(to);
    draw_legend(to);
}

void spy_drawing::draw_cells(canvas& to) const {
    std::array<std::array<std::vector<cell_run>, shades>, node_kind_count> runs;
    for (int row = 0; row < picture_.grid_rows; ++row)
        for (int column = 0; column < picture_.grid_columns; ++column) {
            std::int64_t const entries = picture_.entries_in(row, column);
            if (entries == 0) continue;
            std::size_t kind = 0;
            std::size_t const place = picture_.place(row, column);
            for (std::size_t k = 1; k < picture_.entries_by_kind.size(); ++k)
                if (picture_.entries_by_kind[k][place] > picture_.entries_by_kind[kind][place]) kind = k;
            auto& same = runs[kind][static_cast<std::size_t>(shade_for(entries, most_in_a_cell_))];
            if (!same.empty() && same.back().row == row && same.back().column + same.back().count == column)
                ++same.back().count;
            else
                same.push_back({row, column, 1});
        }
    to.begin_group("entries");
    for (int kind = 0; kind < node_kind_count; ++kind)
        for (int shade = 0; shade < shades; ++shade)
            to.fill_cells(plot_, std::max(1, picture_.grid_rows), std::max(1, picture_.grid_columns),
                          shade_of(kind, shade), runs[static_cast<std::size_t>(kind)][static_cast<std::size_t>(shade)]);
    to.end_group();
}

void spy_drawing::draw_outlines(canvas& to) const {
    for (int const level : outlined_levels()) {
        to.begin_group("level-" + std::to_string(level));
        for (int kind = 0; kind < node_kind_count; ++kind) {
            std::vector<rectangle> areas;
            for (spy_box const& box : picture_.boxes)
                if (box.level == level && box.kind == static_cast<node_kind>(kind)) {
                    auto const row = static_cast<double>(box.row), column = static_cast<double>(box.column);
                    double const x = x_of(column), y = y_of(row);
                    areas.push_back({x, y, x_of(column + static_cast<double>(box.columns)) - x,
                                     y_of(row + static_cast<double>(box.rows)) - y});
                }
            // Darker than what is filled, so that the outline of a full leaf can be seen.
            colour const c = mixed(kind_colours[static_cast<std::size_t>(kind)], black, 0.4);
            to.outline(areas, c, std::min(2.5, 0.75 + 0.75 * level));
        }
        to.end_group();
    }
}

void spy_drawing::draw_axes(canvas& to) const {
    auto const rows = static_cast<double>(picture_.row_count), columns = static_cast<double>(picture_.column_count);
    to.outline({{plot_.x, plot_.y, x_of(columns) - plot_.x, y_of(rows) - plot_.y}}, black, 1);
    to.text(plot_.x, plot_.y - 26, "column");
    to.text(plot_.x - 8, plot_.y - 10, "row", text_end::right);
    std::int64_t const column_step = round_step(90 * columns_drawn_ / plot_.width);
    for (std::int64_t column = 0; column < picture_.column_count; column += column_step) {
        double const x = x_of(static_cast<double>(column) + 0.5);
        to.fill({x - 0.5, plot_.y - 5, 1, 5}, black);
        to.text(x, plot_.y - 9, std::to_string(column), column == 0 ? text_end::left : text_end::middle);
    }
    std::int64_t const row_step = round_step(30 * rows_drawn_ / plot_.height);
    for (std::int64_t row = 0; row < picture_.row_count; row += row_step) {
        double const y = y_of(static_cast<double>(row) + 0.5);
        to.fill({plot_.x - 5, y - 0.5, 5, 1}, black);
        to.text(plot_.x - 8, y + 4, std::to_string(row), text_end::right);
    }
}

void spy_drawing::draw_legend(canvas& to) const {
    double const x = plot_.x + plot_.width + gap, indent = 20;
    double y = plot_.y + 10;
    for (legend_line const& line : legend_) {
        if (line.swatch >= 0) {
            colour const c = kind_colours[static_cast<std::size_t>(line.swatch)];
            if (!line.hollow) to.fill({x, y - 10, 12, 12}, c);
            to.outline({{x + 1, y - 9, 10, 10}}, c, 2);
        }
        if (line.has_bar) {
            double at = x;
            double const length = 400;
            auto const all = static_cast<double>(std::max<std::int64_t>(1, picture_.nodes.bytes()));
            for (int kind = 0; kind < node_kind_count; ++kind) {
                double const part = length * static_cast<double>(picture_.bytes_of(static_cast<node_kind>(kind))) / all;
                if (part > 0) to.fill({at, y - 11, part, 13}, kind_colours[static_cast<std::size_t>(kind)]);
                at += part;
            }
        }
        if (line.has_shades) {
            to.text(x, y, "1");
            for (int shade = 0; shade < shades; ++shade)
                to.fill({x + indent + 24 * shade, y - 11, 24, 13},
                        mixed(white, grey, least_shade + (1 - least_shade) * shade / (shades - 1)));
            to.text(x + indent + 24 * shades + 8, y, with_commas(most_in_a_cell_) + " entries");
        }
        if (!line.text.empty()) to.text(line.in_table ? x + indent : x, y, line.text);
        y += canvas::line_height;
    }
}

std::string spy_drawing::page(std::string const& svg) const {
    std::string inputs, rules;
    auto const add = [&](std::string const& group, std::string const& label) {
        inputs +=
            fmt::format("<input type=\"checkbox\" id=\"show-{0}\" checked=\"\"/><label for=\"show-{0}\">{1}</label>\n",
                        group, label);
        rules += fmt::format("#show-{0}:not(:checked)~svg .{0}{{display:none}}\n", group);
    };
    add("entries", "entries");
    for (int const level : outlined_levels()) {
        auto const number = std::to_string(level);
        add("level-" + number, "outlines of level " + number);
    }
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>\n"
        "body{{font-family:sans-serif;margin:1em;background:#fff;color:#000}}\n"
        "label{{margin-right:1em}}\nsvg{{display:block;max-width:100%;height:auto}}\n{}</style>\n</head>\n<body>\n"
        "{}{}</body>\n</html>\n",
        escaped(title_), rules, inputs, svg);
}

}  // namespace copse::cli
