#include <algorithm>
#include <copse/formats/sellp.hpp>
#include <copse/formats/vector_lanes.hpp>

namespace copse {

// Many lanes: b * t is a warp, which takes a slice; b = 32 lets it read neighbouring rows' columns, and with them x, side
// by side. Reasoned, not measured. A CPU: two vectors of rows, whose sums do not wait for one another: 0.33 ns per entry
// of poisson3d:20 in cache, where one vector takes 0.41 (double, AVX-512), and as long on stencil27:12.
template <class T>
sellp_options detail::with_defaults(sellp_options options, bool for_lanes) {
    int constexpr warp = 32;
    if (options.slice_rows == 0) {
        if (for_lanes)
            options.slice_rows = options.row_threads > 0 ? std::max(1, warp / options.row_threads) : warp;
        else
            options.slice_rows = 2 * vector_lanes<T>();
    }
    if (options.row_threads == 0)
        options.row_threads = for_lanes && options.slice_rows > 0 ? std::max(1, warp / options.slice_rows) : 1;
    return options;
}

template <class T>
csr<T> to_csr(sellp<T> const& a) {
    return detail::with_state(detail::rows_of(*a.content()), a.is_transposed(), a.scale());
}

template sellp_options detail::with_defaults<float>(sellp_options, bool);
template sellp_options detail::with_defaults<double>(sellp_options, bool);
template csr<float> to_csr(sellp<float> const&);
template csr<double> to_csr(sellp<double> const&);

}  // namespace copse
