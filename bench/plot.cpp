#include "bench/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace copse::bench {
namespace {

constexpr double left = 130, top = 60, column_width = 72, panel_height = 300, panel_gap = 46, legend_width = 200;
constexpr double label_height = 130;
constexpr std::string_view ceiling_color = "#888888";

// Most of them are Okabe and Ito's colors, which nearly everybody can tell apart.
constexpr std::array<std::string_view, 5> our_colors{"#000000", "#d55e00", "#c2185b", "#8c6d5a", "#5a5a8c"};
constexpr std::array<std::string_view, 6> peer_colors{"#0072b2", "#56b4e9", "#009e73", "#e69f00", "#8a6fd1", "#7f7f00"};

std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
        if (c == '<')
            result += "&lt;";
        else if (c == '&')
            result += "&amp;";
        else
            result += c;
    }
    return result;
}

struct scale {
    double lowest = 1, highest = 10;

    /// Distance from the top of a panel.
    double y(double value) const { return panel_height * (1 - std::log(value / lowest) / std::log(highest / lowest)); }
};

/// 1, 2 and 5 times powers of ten, from one below the smallest value to one above the largest.
std::vector<double> ticks_around(double smallest, double largest) {
    std::vector<double> ticks;
    for (double power = std::pow(10, std::floor(std::log10(smallest))); ticks.empty() || ticks.back() < largest;
         power *= 10)
        for (double const factor : {1, 2, 5})
            if (ticks.empty() || ticks.back() < largest) ticks.push_back(factor * power);
    while (ticks.size() > 2 && ticks[1] <= smallest) ticks.erase(ticks.begin());
    return ticks;
}

std::vector<double> ticks_of(plot const& p) {
    double smallest = p.ceiling, largest = p.ceiling;
    for (auto const& panel : p.panels)
        for (auto const& series : panel.series)
            for (auto const& value : series.values) {
                smallest = std::min(smallest, value.value_or(smallest));
                largest = std::max(largest, value.value_or(largest));
            }
    return ticks_around(smallest, largest);
}

struct style {
    std::string name;
    bool is_ours;
    std::string_view color;
};

/// One for each name, in the order in which they come.
std::vector<style> styles_of(plot const& p) {
    std::vector<style> styles;
    std::size_t ours = 0, peers = 0;
    for (auto const& panel : p.panels)
        for (auto const& series : panel.series) {
            if (std::any_of(styles.begin(), styles.end(), [&](style const& s) { return s.name == series.name; }))
                continue;
            auto const color =
                series.is_ours ? our_colors[ours++ % our_colors.size()] : peer_colors[peers++ % peer_colors.size()];
            styles.push_back({series.name, series.is_ours, color});
        }
    return styles;
}

std::string line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view more = "") {
    return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" {}/>)"
                       "\n",
                       x1, y1, x2, y2, color, more);
}

std::string text(double x, double y, std::string_view what, std::string_view more = "") {
    return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)"
                       "\n",
                       x, y, more, escaped(what));
}

std::string marker(double x, double y, style const& s) {
    if (s.is_ours) return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4.5" fill="{}"/>)", x, y, s.color) + '\n';
    return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="7" height="7" fill="{}"/>)", x - 3.5, y - 3.5, s.color) +
           '\n';
}

double column_x(std::size_t column) {
    return left + column_width * (static_cast<double>(column) + 0.5);
}

std::string drawn(plot_series const& series, style const& s, scale const& with) {
    std::string path, markers;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (!series.values[i]) continue;
        double const y = with.y(*series.values[i]);
        path += fmt::format("{:.1f},{:.1f} ", column_x(i), y);
        markers += marker(column_x(i), y, s);
    }
    return fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}" opacity="0.6"/>)", path,
                       s.color, s.is_ours ? 2.5 : 1.2) +
           '\n' + markers;
}

std::string drawn(plot_panel const& panel, plot const& p, std::vector<double> const& ticks,
                  std::vector<style> const& styles) {
    scale const with{ticks.front(), ticks.back()};
    double const right = left + column_width * static_cast<double>(p.columns.size());
    std::string svg = text(left, -8, panel.title, R"(font-weight="bold")");
    for (std::size_t i = 0; i < p.columns.size(); ++i)
        svg += line(column_x(i), 0, column_x(i), panel_height, "#eeeeee");
    for (double const tick : ticks) {
        svg += line(left, with.y(tick), right, with.y(tick), "#dddddd");
        svg += text(left - 8, with.y(tick) + 4, fmt::format("{:g}", tick), R"(text-anchor="end")");
    }
    svg += line(left, with.y(p.ceiling), right, with.y(p.ceiling), ceiling_color,
                R"(stroke-width="1.5" stroke-dasharray="7 4")");
    svg += text(
        left - 52, panel_height / 2, p.value_title,
        fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {:.1f} {:.1f})\"", left - 52, panel_height / 2));
    for (bool const is_ours : {false, true})  // ours last, on top
        for (auto const& series : panel.series)
            if (series.is_ours == is_ours)
                svg += drawn(
                    series,
                    *std::find_if(styles.begin(), styles.end(), [&](style const& s) { return s.name == series.name; }),
                    with);
    return svg;
}

std::string legend(plot const& p, std::vector<style> const& styles) {
    double const x = left + column_width * static_cast<double>(p.columns.size()) + 20;
    std::string svg;
    double y = 10;
    for (auto const& s : styles) {
        svg += line(x, y, x + 24, y, s.color, s.is_ours ? R"(stroke-width="2.5")" : R"(stroke-width="1.2")");
        svg += marker(x + 12, y, s) + text(x + 32, y + 4, s.name);
        y += 20;
    }
    return svg + line(x, y, x + 24, y, ceiling_color, R"(stroke-width="1.5" stroke-dasharray="7 4")") +
           text(x + 32, y + 4, fmt::format("{} {:.1f}", p.ceiling_name, p.ceiling));
}

}  // namespace

std::string to_svg(plot const& p) {
    double const right = left + column_width * static_cast<double>(p.columns.size());
    double const width = right + legend_width;
    double const height = top + static_cast<double>(p.panels.size()) * (panel_height + panel_gap) + label_height;
    auto const styles = styles_of(p);
    auto const ticks = ticks_of(p);
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}")"
        R"( font-family="sans-serif" font-size="12">)"
        "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
    svg += text(left, 24, p.title, R"(font-size="15")");
    double y = top;
    for (auto const& panel : p.panels) {
        svg += fmt::format("<g transform=\"translate(0 {:.1f})\">\n", y) + drawn(panel, p, ticks, styles) + "</g>\n";
        y += panel_height + panel_gap;
    }
    y -= panel_gap - 16;
    for (std::size_t i = 0; i < p.columns.size(); ++i)
        svg += text(column_x(i), y, p.columns[i],
                    fmt::format("text-anchor=\"end\" transform=\"rotate(-35 {:.1f} {:.1f})\"", column_x(i), y));
    svg += text((left + right) / 2, height - 10, p.column_title, R"(text-anchor="middle")");
    return svg + fmt::format("<g transform=\"translate(0 {:.1f})\">\n", top) + legend(p, styles) + "</g>\n</svg>\n";
}

}  // namespace copse::bench
