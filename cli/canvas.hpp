// What pictures are drawn on: SVG, and PNG where copse was built with Cairo. Units are a screen's pixels; x goes to
// the right, y down. Text is of one width, so that columns of a table stay columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace copse::cli {

struct colour {
    std::uint8_t red;
    std::uint8_t green;
    std::uint8_t blue;
};

inline constexpr colour white{255, 255, 255}, black{0, 0, 0}, grey{120, 120, 120};

/// part 0: a; 1: b.
constexpr colour mixed(colour a, colour b, double part) {
    auto const mix = [part](int from, int to) { return static_cast<std::uint8_t>(from + part * (to - from) + 0.5); };
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

struct rectangle {
    double x;
    double y;
    double width;
    double height;
};

/// Cells column .. column + count - 1 in a row of a grid.
struct cell_run {
    int row;
    int column;
    int count;
};

enum class text_end { left, right, middle };  // which point of a text is given

class canvas {
  public:
    static constexpr double letter_width = 7.2;
    static constexpr double line_height = 17;

    virtual ~canvas() = default;
    virtual void fill(rectangle const& area, colour c) = 0;
    /// The cells that `runs` name, of a grid of rows x columns that covers `area`.
    virtual void fill_cells(rectangle const& area, int rows, int columns, colour c,
                            std::vector<cell_run> const& runs) = 0;
    /// Outlines, which let through a part of what is below them.
    virtual void outline(std::vector<rectangle> const& areas, colour c, double width) = 0;
    /// y: of the base line. Characters beyond ASCII may become '?'.
    virtual void text(double x, double y, std::string_view line, text_end at = text_end::left) = 0;
    /// What is drawn until end_group() can be hidden in a page, by this name, which is a word.
    virtual void begin_group(std::string const&) {}
    virtual void end_group() {}
    /// The file. Call it once, at the end.
    virtual std::string finish() = 0;
};

std::unique_ptr<canvas> make_svg_canvas(double width, double height);

/// Whether copse was built with Cairo.
bool can_draw_png();
/// Throws error where can_draw_png() is false.
std::unique_ptr<canvas> make_png_canvas(double width, double height);

/// With &, <, > and quotes as XML and HTML have them, and bytes that are no UTF-8 as '?'.
std::string escaped(std::string_view text);

}  // namespace copse::cli
