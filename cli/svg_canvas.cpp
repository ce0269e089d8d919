// SVG: paths with short numbers, because a picture may have a quarter of a million cells.
#include <fmt/format.h>

#include <cmath>

#include "cli/canvas.hpp"

namespace copse::cli {
namespace {

std::string hex(colour c) {
    return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

/// Hundredths, without zeros behind: 0.5 -> ".5", 12 -> "12".
std::string number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    if (text == "-0") return "0";
    if (text.starts_with("0.")) text.erase(0, 1);
    return text;
}

class svg_canvas final : public canvas {
  public:
    svg_canvas(double width, double height)
        : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                            "height=\"{1}\" font-family=\"monospace\" font-size=\"12\">\n",
                            number(std::ceil(width)), number(std::ceil(height)))) {
        fill({0, 0, std::ceil(width), std::ceil(height)}, white);
    }

    void fill(rectangle const& area, colour c) override {
        text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(area.x),
                             number(area.y), number(area.width), number(area.height), hex(c));
    }
    /// Strokes as wide as a cell, in units of cells.
    void fill_cells(rectangle const& area, int rows, int columns, colour c,
                    std::vector<cell_run> const& runs) override {
        if (runs.empty()) return;
        text_ += fmt::format(
            "<path transform=\"translate({} {}) scale({:.8g} {:.8g})\" stroke=\"{}\" stroke-width=\"1\" fill=\"none\" "
            "shape-rendering=\"crispEdges\" d=\"",
            number(area.x), number(area.y), area.width / columns, area.height / rows, hex(c));
        for (cell_run const& run : runs) text_ += fmt::format("M{} {}.5h{}", run.column, run.row, run.count);
        text_ += "\"/>\n";
    }
    void outline(std::vector<rectangle> const& areas, colour c, double width) override {
        if (areas.empty()) return;
        text_ += fmt::format("<path stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\".6\" fill=\"none\" d=\"", hex(c),
                             number(width));
        for (rectangle const& a : areas)
            text_ += fmt::format("M{} {}h{}v{}h{}z", number(a.x), number(a.y), number(a.width), number(a.height),
                                 number(-a.width));
        text_ += "\"/>\n";
    }
    void text(double x, double y, std::string_view line, text_end at) override {
        char const* const anchor = at == text_end::left    ? ""
                                   : at == text_end::right ? " text-anchor=\"end\""
                                                           : " text-anchor=\"middle\"";
        text_ += fmt::format("<text x=\"{}\" y=\"{}\"{} xml:space=\"preserve\">{}</text>\n", number(x), number(y),
                             anchor, escaped(line));
    }
    void begin_group(std::string const& name) override { text_ += fmt::format("<g class=\"{}\">\n", name); }
    void end_group() override { text_ += "</g>\n"; }
    std::string finish() override { return std::move(text_ += "</svg>\n"); }

  private:
    std::string text_;
};

/// The length of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
    auto const first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    std::size_t const length = first >= 0xc2 && first < 0xe0   ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    auto const second = static_cast<unsigned char>(text[1]);  // too long a form, a surrogate, beyond the last one
    bool const is_valid = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second >= 0xa0) &&
                          !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second >= 0x90);
    return is_valid ? length : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        std::size_t const bytes = character_bytes(text);
        char const c = text[0];
        if (bytes == 0 || (bytes == 1 && (c < ' ' || c == '\x7f')))
            result += '?';
        else if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else if (c == '\'')
            result += "&#39;";
        else
            result += text.substr(0, bytes);
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return result;
}

std::unique_ptr<canvas> make_svg_canvas(double width, double height) {
    return std::make_unique<svg_canvas>(width, height);
}

}  // namespace copse::cli
