#include <algorithm>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu/vector_lanes.hpp>

namespace copse {

// Many lanes: b * t = 32; a warp takes a slice, 2 or 4 columns of it by each load (sellp_tasks.hpp). b = 32 lets lanes
// side by side read neighbouring rows' columns, and with them x, side by side. Reasoned, not measured. A CPU: four
// vectors of rows, whose sums do not wait for one another. Two took 1.04 to 1.5 times as long on stencils, bands and rows
// of equal length, one 1.2 times (double, AVX-512, 2 threads; in cache on poisson3d:20 0.32, 0.33 and 0.41 ns per entry).
// Rows of many lengths pad more: 6.5 times the entries of rmat:17, where two vectors pad 4 times, and one 2.4.
template <class T>
sellp_options detail::with_defaults(sellp_options options, bool for_lanes) {
    int constexpr warp = 32;
    if (options.slice_rows == 0) {
        if (for_lanes)
            options.slice_rows = options.row_threads > 0 ? std::max(1, warp / options.row_threads) : warp;
        else
            options.slice_rows = 4 * vector_bytes() / static_cast<int>(sizeof(T));
    }
    if (options.row_threads == 0)
        options.row_threads = for_lanes && options.slice_rows > 0 ? std::max(1, warp / options.slice_rows) : 1;
    return options;
}

template <class T>
std::shared_ptr<sellp_content<T> const> const& sellp_content<T>::empty() {
    static auto const content = detail::make_sellp<T>(host_memory(), {}, detail::with_defaults<T>({}, false));
    return content;
}

template <class T>
csr<T> to_csr(sellp<T> const& a) {
    return detail::with_state(detail::rows_of(*a.content()), a.is_transposed(), a.scale());
}

template sellp_options detail::with_defaults<float>(sellp_options, bool);
template sellp_options detail::with_defaults<double>(sellp_options, bool);
template std::shared_ptr<sellp_content<float> const> const& sellp_content<float>::empty();
template std::shared_ptr<sellp_content<double> const> const& sellp_content<double>::empty();
template csr<float> to_csr(sellp<float> const&);
template csr<double> to_csr(sellp<double> const&);

}  // namespace copse
