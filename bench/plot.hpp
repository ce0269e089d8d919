// Speeds over structure as a picture: panels one above the other, a column for each matrix, a line for each competitor.
//
//        |  o--o                 o this      the ceiling is a dashed line; the scale is logarithmic
//   GB/s |- - - - - - ceiling    x that
//        |  x--x
//        +---------
//           a  b
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace copse::bench {

struct plot_series {
    std::string name;
    bool is_ours = false;                       // drawn thicker, in colors of its own
    std::vector<std::optional<double>> values;  // one for each column, positive; none where there is no measurement
};

struct plot_panel {
    std::string title;
    std::vector<plot_series> series;  // one that is in another panel too has the same name there
};

struct plot {
    std::string title;
    std::string value_title;           // what the values are
    std::string column_title;          // what the columns are ordered by
    std::vector<std::string> columns;  // their labels
    std::string ceiling_name;
    double ceiling = 0;
    std::vector<plot_panel> panels;
};

/// A whole SVG file.
std::string to_svg(plot const& p);

}  // namespace copse::bench
