#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/error.hpp>
#include <string>

namespace copse {
namespace {

/// One walk over the tree of op(A).
template <class T>
class spy_walk {
  public:
    spy_walk(detail::host_tree const& tree, spy_options const& options, spy_picture& picture)
        : reader_(tree.view()),
          least_side_(options.least_cells * static_cast<double>(picture.cell)),
          picture_(picture) {}

    void visit(node n) {
        add_box(n);
        if (n.reference.is_leaf()) return add_entries(n);
        for (int i = 0; i < reader_.child_count(n); ++i)
            if (node const child = reader_.child(n, i)) visit(child);
    }

  private:
    std::int64_t side_of(node n) const {
        return std::int64_t{1} << (reader_.dimension_log2() * (n.reference.level() + 1));
    }

    void add_box(node n) {
        int const level = n.reference.level();
        std::int64_t const side = side_of(n);
        if (static_cast<double>(side) < least_side_) {
            picture_.first_listed_level = std::max(picture_.first_listed_level, level + 1);
            return;
        }
        picture_.boxes.push_back({n.row, n.column, std::min(side, picture_.row_count - n.row),
                                  std::min(side, picture_.column_count - n.column), level, n.reference.kind(),
                                  n.reference.entries(), n.reference.is_leaf()});
    }

    void add_entries(node leaf) {
        auto& cells = picture_.entries_by_kind[static_cast<std::size_t>(leaf.reference.kind())];
        auto const place = [&](std::int64_t row, std::int64_t column) {
            return picture_.place(static_cast<int>(row / picture_.cell), static_cast<int>(column / picture_.cell));
        };
        int const wide = leaf.reference.is_wide_leaf() ? reader_.wide_count(leaf) : 0;
        std::int64_t const last = side_of(leaf) - 1;
        std::size_t const here = place(leaf.row, leaf.column);
        bool const in_one_cell = leaf.row / picture_.cell == (leaf.row + last) / picture_.cell &&
                                 leaf.column / picture_.cell == (leaf.column + last) / picture_.cell;
        if (in_one_cell) {
            cells[here] += leaf.reference.is_wide_leaf() ? wide : leaf.reference.entries();
            return;
        }
        detail::with_leaf<T>(reader_, leaf, [&](auto const& view) {
            detail::visit_alone<detail::visited::positions>(view, 0, wide, [&](int, int row, int column) {
                ++cells[place(std::int64_t{leaf.row} + row, std::int64_t{leaf.column} + column)];
            });
        });
    }

    detail::node_reader const reader_;
    double const least_side_;
    spy_picture& picture_;
};

}  // namespace

template <class T>
spy_picture spy(hisparse<T> const& a, spy_options const& options) {
    if (options.most_cells < 1 || options.most_cells > 4096)
        throw argument_error("spy: most_cells is " + std::to_string(options.most_cells) + "; it must be 1 to 4096");
    if (!(options.least_cells >= 0))
        throw argument_error("spy: least_cells is " + std::to_string(options.least_cells) + "; it must be 0 or more");
    detail::host_tree const tree(*a.content(), sizeof(T));
    spy_picture picture;
    picture.row_count = a.row_count();
    picture.column_count = a.column_count();
    picture.entry_count = a.entry_count();
    picture.node_dimension = a.node_dimension();
    auto const parts = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
    picture.cell = std::max<std::int64_t>(1, parts(std::max(a.row_count(), a.column_count()), options.most_cells));
    picture.grid_rows = static_cast<int>(parts(a.row_count(), picture.cell));
    picture.grid_columns = static_cast<int>(parts(a.column_count(), picture.cell));
    for (auto& of_kind : picture.entries_by_kind)
        of_kind.assign(static_cast<std::size_t>(picture.grid_rows) * static_cast<std::size_t>(picture.grid_columns), 0);
    if (node const root = a.root()) spy_walk<T>(tree, options, picture).visit(root);
    picture.nodes = sizes_of_nodes(a);
    return picture;
}

template spy_picture spy(hisparse<float> const&, spy_options const&);
template spy_picture spy(hisparse<double> const&, spy_options const&);

}  // namespace copse
