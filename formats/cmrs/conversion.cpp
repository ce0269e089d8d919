#include <copse/formats/cmrs.hpp>
#include <copse/formats/flat/sharing.hpp>
#include <utility>

namespace copse {

// Many lanes (§6.3): registers leave a Hopper multiprocessor about 40 warps, whose sums take 40 x 32 x 8 rows x 8 bytes =
// 80 of the 256 KiB that they share with the cache for x; 16 rows of doubles would take 160. Of floats 16 take 80.
// Reasoned, not measured. A CPU, whose sums are always in its cache: as many as the words have bits for; strips of 8 rows
// took 1.07 to 1.2 times as long.
template <class T>
cmrs_options detail::with_defaults(cmrs_options options, bool for_lanes) {
    if (options.height == 0) options.height = for_lanes && sizeof(T) == 8 && options.per_row == 0 ? 8 : 16;
    if (!options.sorted) options.sorted = for_lanes;
    return options;
}

template <class T>
std::shared_ptr<cmrs_content<T> const> const& cmrs_content<T>::empty() {
    static auto const content = detail::make_cmrs<T>(host_memory(), {}, detail::with_defaults<T>({}, false));
    return content;
}

template <class T>
cmrs<T> cmrs<T>::from_rows(csr_matrix<T>&& a, cmrs_options const& options) {
    csr_matrix<T> const rows = std::move(a);
    auto const& content = rows.content();
    bool const in_place = detail::is_sole(content) && rows.space() == memory_space::host && options.per_row == 0;
    cmrs const made(in_place ? detail::make_cmrs_in_place(detail::taken(content), options)
                             : detail::make_cmrs(content->where, to_csr(csr_matrix<T>(content)), options));
    return detail::with_state_of(made, rows.is_transposed(), rows.scale());
}

template <class T>
csr<T> to_csr(cmrs<T> const& a) {
    return detail::with_state(detail::rows_of(*a.content()), a.is_transposed(), a.scale());
}

template <class T>
csr_matrix<T> to_csr_matrix(cmrs<T>&& a) {
    cmrs<T> const strips = std::move(a);
    auto const& content = strips.content();
    if (!detail::is_sole(content) || strips.space() != memory_space::host || content->options.per_row > 0)
        return detail::with_state_of(csr_matrix<T>(content->where, detail::rows_of(*content)), strips.is_transposed(),
                                     strips.scale());
    return detail::with_state_of(csr_matrix<T>(detail::rows_in_place(detail::taken(content))), strips.is_transposed(),
                                 strips.scale());
}

template cmrs_options detail::with_defaults<float>(cmrs_options, bool);
template cmrs_options detail::with_defaults<double>(cmrs_options, bool);
template std::shared_ptr<cmrs_content<float> const> const& cmrs_content<float>::empty();
template std::shared_ptr<cmrs_content<double> const> const& cmrs_content<double>::empty();
template class cmrs<float>;
template class cmrs<double>;
template csr<float> to_csr(cmrs<float> const&);
template csr<double> to_csr(cmrs<double> const&);
template csr_matrix<float> to_csr_matrix(cmrs<float>&&);
template csr_matrix<double> to_csr_matrix(cmrs<double>&&);

}  // namespace copse
