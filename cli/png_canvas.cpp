// PNG: two pixels to the unit, drawn and written by Cairo.
#include <algorithm>
#include <cmath>
#include <copse/runtime/error.hpp>

#include "cli/canvas.hpp"

#if COPSE_HAS_PNG
#include <cairo.h>
#endif

namespace copse::cli {

#if COPSE_HAS_PNG
namespace {

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS) throw error(std::string("Cairo: ") + cairo_status_to_string(status));
}

/// Coordinates are rounded to pixels, so that cells have edges and not shades.
class png_canvas final : public canvas {
  public:
    png_canvas(double width, double height)
        : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixel(std::ceil(width)), pixel(std::ceil(height))),
                   cairo_surface_destroy),
          context_(cairo_create(surface_.get()), cairo_destroy) {
        check(cairo_status(context_.get()));
        cairo_set_source_rgb(context_.get(), 1, 1, 1);
        cairo_paint(context_.get());
        cairo_set_antialias(context_.get(), CAIRO_ANTIALIAS_NONE);
        cairo_select_font_face(context_.get(), "monospace", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(context_.get(), scale * letter_size);
    }

    void fill(rectangle const& area, colour c) override {
        choose(c, 1);
        add(pixel(area.x), pixel(area.y), pixel(area.x + area.width), pixel(area.y + area.height));
        cairo_fill(context_.get());
    }
    void fill_cells(rectangle const& area, int rows, int columns, colour c,
                    std::vector<cell_run> const& runs) override {
        auto const x = [&](int column) { return pixel(area.x + area.width * column / columns); };
        auto const y = [&](int row) { return pixel(area.y + area.height * row / rows); };
        choose(c, 1);
        for (cell_run const& run : runs) {
            add(x(run.column), y(run.row), x(run.column + run.count), y(run.row + 1));
            cairo_fill(context_.get());
        }
    }
    void outline(std::vector<rectangle> const& areas, colour c, double width) override {
        int const line = std::max(1, pixel(width));
        choose(c, opacity);
        for (rectangle const& a : areas) {
            int const left = pixel(a.x) - line / 2, top = pixel(a.y) - line / 2;
            int const right = pixel(a.x + a.width) - line / 2, bottom = pixel(a.y + a.height) - line / 2;
            add(left, top, right + line, top + line);
            add(left, bottom, right + line, bottom + line);
            add(left, top + line, left + line, bottom);
            add(right, top + line, right + line, bottom);
            cairo_fill(context_.get());
        }
    }
    void text(double x, double y, std::string_view line, text_end at) override {
        std::vector<std::string> letters;  // one for each character, whatever its bytes
        for (char const c : line) {
            if ((c & 0xc0) != 0x80 || letters.empty()) letters.emplace_back();
            letters.back() += c;
        }
        double const length = letter_width * static_cast<double>(letters.size());
        double left = at == text_end::left ? x : at == text_end::right ? x - length : x - length / 2;
        choose(black, 1);
        for (std::string const& letter : letters) {
            cairo_move_to(context_.get(), pixel(left), pixel(y));
            cairo_show_text(context_.get(), is_shown(letter) ? letter.c_str() : "?");
            left += letter_width;
        }
    }
    std::string finish() override {
        check(cairo_status(context_.get()));
        std::string file;
        auto const append = [](void* to, unsigned char const* bytes, unsigned count) {
            static_cast<std::string*>(to)->append(reinterpret_cast<char const*>(bytes), count);
            return CAIRO_STATUS_SUCCESS;
        };
        check(cairo_surface_write_to_png_stream(surface_.get(), append, &file));
        return file;
    }

  private:
    static constexpr double scale = 2;
    static constexpr double opacity = 0.6;
    static constexpr double letter_size = 12;  // a usual letter of one width takes 0.6 of it

    static int pixel(double unit) { return static_cast<int>(std::lround(unit * scale)); }
    /// A font may lack letters beyond ASCII, and after bytes that are no UTF-8 Cairo draws nothing more.
    static bool is_shown(std::string const& letter) {
        return letter.size() == 1 && letter[0] >= ' ' && letter[0] <= '~';
    }

    void choose(colour c, double part) {
        cairo_set_source_rgba(context_.get(), c.red / 255., c.green / 255., c.blue / 255., part);
    }
    void add(int left, int top, int right, int bottom) {
        cairo_rectangle(context_.get(), left, top, right - left, bottom - top);
    }

    std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface_;
    std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context_;
};

}  // namespace

bool can_draw_png() {
    return true;
}

std::unique_ptr<canvas> make_png_canvas(double width, double height) {
    return std::make_unique<png_canvas>(width, height);
}
#else
bool can_draw_png() {
    return false;
}

std::unique_ptr<canvas> make_png_canvas(double, double) {
    throw error("this copse was built without Cairo and draws no PNG");
}
#endif

}  // namespace copse::cli
