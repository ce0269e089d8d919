// PNG: two pixels to the unit, written by libpng.
#include <algorithm>
#include <cmath>
#include <copse/runtime/error.hpp>

#include "cli/canvas.hpp"
#include "cli/pixel_font.hpp"

#if COPSE_HAS_PNG
#include <png.h>
#endif

namespace copse::cli {

#if COPSE_HAS_PNG
namespace {

class png_canvas final : public canvas {
  public:
    png_canvas(double width, double height)
        : width_(pixel(std::ceil(width))),
          height_(pixel(std::ceil(height))),
          pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), white) {}

    void fill(rectangle const& area, colour c) override {
        paint(pixel(area.x), pixel(area.y), pixel(area.x + area.width), pixel(area.y + area.height), c, 1);
    }
    void fill_cells(rectangle const& area, int rows, int columns, colour c,
                    std::vector<cell_run> const& runs) override {
        auto const x = [&](int column) { return pixel(area.x + area.width * column / columns); };
        auto const y = [&](int row) { return pixel(area.y + area.height * row / rows); };
        for (cell_run const& run : runs)
            paint(x(run.column), y(run.row), x(run.column + run.count), y(run.row + 1), c, 1);
    }
    void outline(std::vector<rectangle> const& areas, colour c, double width) override {
        int const line = std::max(1, pixel(width));
        for (rectangle const& a : areas) {
            int const left = pixel(a.x) - line / 2, top = pixel(a.y) - line / 2;
            int const right = pixel(a.x + a.width) - line / 2, bottom = pixel(a.y + a.height) - line / 2;
            paint(left, top, right + line, top + line, c, opacity);
            paint(left, bottom, right + line, bottom + line, c, opacity);
            paint(left, top + line, left + line, bottom, c, opacity);
            paint(right, top + line, right + line, bottom, c, opacity);
        }
    }
    void text(double x, double y, std::string_view line, text_end at) override {
        std::string letters;  // one for each character, whatever its bytes
        for (char const c : line)
            if ((c & 0xc0) != 0x80) letters += c >= ' ' && c <= '~' ? c : '?';
        double const length = letter_width * static_cast<double>(letters.size());
        double left = at == text_end::left ? x : at == text_end::right ? x - length : x - length / 2;
        for (char const c : letters) {
            draw(pixel(left), pixel(y), pixel_font[static_cast<std::size_t>(c - ' ')]);
            left += letter_width;
        }
    }
    std::string finish() override {
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        image.width = static_cast<png_uint_32>(width_);
        image.height = static_cast<png_uint_32>(height_);
        image.format = PNG_FORMAT_RGB;
        static_assert(sizeof(colour) == 3);
        png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
        std::string file(bytes, '\0');
        if (!png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels_.data(), 0, nullptr))
            throw error(std::string("libpng: ") + image.message);
        file.resize(bytes);
        return file;
    }

  private:
    static constexpr double scale = 2;
    static constexpr double opacity = 0.6;

    static int pixel(double unit) { return static_cast<int>(std::lround(unit * scale)); }

    void paint(int left, int top, int right, int bottom, colour c, double part) {
        for (int y = std::max(top, 0); y < std::min(bottom, height_); ++y)
            for (int x = std::max(left, 0); x < std::min(right, width_); ++x) {
                colour& p = pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                    static_cast<std::size_t>(x)];
                p = mixed(p, c, part);
            }
    }
    /// Two pixels wide and high for each of the letter's.
    void draw(int left, int base, pixel_letter const& letter) {
        for (int column = 0; column < 5; ++column)
            for (int row = 0; row < 8; ++row)
                if ((letter[static_cast<std::size_t>(column)] >> row & 1) != 0) {
                    int const x = left + 2 * column, y = base + 2 * (row - 7);
                    paint(x, y, x + 2, y + 2, black, 1);
                }
    }

    int const width_;
    int const height_;
    std::vector<colour> pixels_;
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
    throw error("this copse was built without libpng and draws no PNG");
}
#endif

}  // namespace copse::cli
