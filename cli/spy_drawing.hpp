// A matrix's picture on a canvas: cells in the colours of kinds, outlines of nodes, axes, a legend with the bytes.
#pragma once

#include <copse/formats/statistics.hpp>
#include <string>
#include <vector>

#include "cli/canvas.hpp"

namespace copse::cli {

class spy_drawing {
  public:
    /// title: the matrix's name, and what was done to it.
    spy_drawing(spy_picture const& picture, std::string title);

    double width() const { return width_; }
    double height() const { return height_; }
    void draw(canvas& to) const;
    /// A page with the picture in it, which can hide what is drawn in groups. It needs no other file.
    std::string page(std::string const& svg) const;

  private:
    struct legend_line {
        std::string text = {};
        int swatch = -1;        // the number of a kind
        bool hollow = false;    // the swatch of an inner node
        bool in_table = false;  // stands behind where swatches are
        bool has_bar = false;   // of the bytes by kind
        bool has_shades = false;
    };

    void write_legend();
    void draw_cells(canvas& to) const;
    void draw_outlines(canvas& to) const;
    void draw_axes(canvas& to) const;
    void draw_legend(canvas& to) const;
    double x_of(double column) const { return plot_.x + plot_.width * column / columns_drawn_; }
    double y_of(double row) const { return plot_.y + plot_.height * row / rows_drawn_; }
    std::vector<int> outlined_levels() const;

    spy_picture const& picture_;
    std::string title_;
    std::string facts_;
    std::vector<legend_line> legend_;
    std::int64_t most_in_a_cell_ = 0;
    double rows_drawn_;  // of whole cells
    double columns_drawn_;
    rectangle plot_{};  // all cells
    double width_ = 0;
    double height_ = 0;
};

}  // namespace copse::cli
