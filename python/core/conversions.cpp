// Matrices from arrays and files, into arrays, and from one format to another.
#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

namespace copse::python {
namespace {

struct making {
    std::string format;
    hisparse_options options;
    place where = {};
};

/// f(a class) with the flat format's matrix of T that has this name; throws argument_error for other names.
template <class T, class F, class... Matrix>
matrix in_flat_format(std::string const& name, F f, std::variant<Matrix...>*) {
    std::optional<matrix> made;
    ((name == Matrix::name && (made.emplace(f.template operator()<Matrix>()), true)) || ...);
    if (made) return *std::move(made);
    std::string names = "hisparse";
    for (char const* known : flat_format_names) names += std::string(", ") + known;
    throw argument_error("format: '" + name + "' is none of " + names);
}

template <class T>
matrix of_rows(csr_view<T> const& rows, bool columns, making const& how) {
    if (how.format == "hisparse")
        return on(how.where, [&](auto& e) {
            hisparse<T> const a(e, rows, how.options);
            return matrix(held<hisparse<T>>{columns ? a.transposed() : a, how.where});
        });
    check_on_cpu("format", how.where);
    auto const make = [&]<class Matrix>() {
        Matrix const a(executor(), rows);
        return matrix(columns ? a.transposed() : a);
    };
    return in_flat_format<T>(how.format, make, static_cast<flat_matrices<T, std::variant>*>(nullptr));
}

template <class T>
matrix of_entries(coo_view<T> const& entries, making const& how) {
    if (how.format == "hisparse")
        return on(how.where, [&](auto& e) {
            return matrix(held<hisparse<T>>{hisparse<T>(e, entries, how.options), how.where});
        });
    check_on_cpu("format", how.where);
    csr<T> const rows = to_csr(entries);
    return of_rows<T>(rows, false, how);
}

making how_to_make(std::string const& format, std::optional<bool> values_once, bool share_transposed, place where) {
    hisparse_options options;
    if (values_once) options.values = *values_once ? stored_values::once : stored_values::each;
    options.share_transposed = share_transposed;
    return {format, options, where};
}

matrix from_compressed(std::int64_t m, std::int64_t n, array_in const& offsets, array_in const& indices,
                       array_in const& values, bool columns, std::string const& format, std::optional<bool> values_once,
                       bool share_transposed, std::string const& device) {
    auto const how = how_to_make(format, values_once, share_transposed, place_of(device));
    return with_value_type("data", values, [&]<class T>(T) {
        csr_view<T> const rows(columns ? n : m, columns ? m : n, indices_of("indptr", offsets, how.where),
                               indices_of("indices", indices, how.where), values_of<T>("data", values, how.where));
        nb::gil_scoped_release const release;
        return watched(rows.entry_count(), [&] { return of_rows<T>(rows, columns, how); });
    });
}

matrix from_coordinates(std::int64_t m, std::int64_t n, array_in const& rows, array_in const& columns,
                        array_in const& values, std::string const& format, std::optional<bool> values_once,
                        bool share_transposed, std::string const& device) {
    auto const how = how_to_make(format, values_once, share_transposed, place_of(device));
    return with_value_type("data", values, [&]<class T>(T) {
        coo_view<T> const entries(m, n, indices_of("row", rows, how.where), indices_of("col", columns, how.where),
                                  values_of<T>("data", values, how.where));
        nb::gil_scoped_release const release;
        return watched(entries.entry_count(), [&] { return of_entries<T>(entries, how); });
    });
}

template <class T>
matrix read_as(std::string const& path, making const& how) {
    std::error_code ignored;
    auto const bytes = std::filesystem::file_size(path, ignored);  // an entry takes about 10
    return watched(ignored ? 0 : static_cast<std::int64_t>(bytes / 10),
                   [&] { return of_entries<T>(read_matrix_market<T>(path), how); });
}

matrix read(std::string const& path, bool single, std::string const& format, std::optional<bool> values_once,
            bool share_transposed) {
    auto const how = how_to_make(format, values_once, share_transposed, {});
    nb::gil_scoped_release const release;
    return single ? read_as<float>(path, how) : read_as<double>(path, how);
}

/// Writes op(A) as compressed rows to arrays of the caller.
void to_arrays(matrix const& a, array_out const& offsets, array_out const& indices, array_out const& values) {
    if (!holds<std::int64_t>(offsets)) refuse_type("indptr", "int64");
    if (!holds<std::int32_t>(indices)) refuse_type("indices", "int32");
    a.visit([&]<class Matrix>(held<Matrix> const& h) {
        using T = value_type_of<Matrix>;
        auto const to = values_of<T>("data", values);
        csr_arrays<T> const arrays(std::span(static_cast<std::int64_t*>(offsets.data()), offsets.size()),
                                   std::span(static_cast<std::int32_t*>(indices.data()), indices.size()),
                                   std::span(to.data(), values.size()));
        nb::gil_scoped_release const release;
        run_watched(h.a.entry_count(), [&] { to_csr(h.a, arrays); });
    });
}

/// An array of Python over `values`, which `owner` keeps, in the memory of that place.
template <class V>
nb::object array_of_buffer(buffer<V> const& values, nb::handle owner, place where) {
    auto const size = static_cast<std::size_t>(values.size());
    int const device = where.kind == place_kind::gpu ? nb::device::cuda::value : nb::device::cpu::value;
    return nb::cast(
        nb::ndarray<nb::array_api, V>(values.data(), 1, &size, owner, nullptr, nb::dtype<V>(), device, where.device));
}

/// (indptr, indices, data) of a device's matrix as it is stored, in the device's memory: objects with DLPack's
/// interface.
nb::tuple stored_rows(matrix const& m) {
    return m.visit_tree("stored_rows", [&]<class T>(held<hisparse<T>> const& h) {
        auto const rows_on = [&]<class Executor>(Executor& e) -> csr_matrix<T> {
            if constexpr (lanes_executor<Executor>) return to_csr_matrix(e, h.stored());
            throw argument_error("stored_rows: the matrix is on cpu; give A.to_scipy()");
        };
        auto kept = std::make_unique<csr_matrix<T>>([&] {
            nb::gil_scoped_release const release;
            return on(h.where, rows_on);
        }());
        auto const& arrays = *kept->content();
        nb::capsule const owner(kept.release(), [](void* p) noexcept { delete static_cast<csr_matrix<T>*>(p); });
        return nb::make_tuple(array_of_buffer(arrays.row_offsets, owner, h.where),
                              array_of_buffer(arrays.column_indices, owner, h.where),
                              array_of_buffer(arrays.values, owner, h.where));
    });
}

/// op(A), state included, with values of float (`single`) or double, on the device; null: on A's.
matrix converted(matrix const& a, bool single, std::string const& format, std::optional<bool> values_once,
                 bool share_transposed, std::optional<std::string> const& device) {
    auto const how = how_to_make(format, values_once, share_transposed, device ? place_of(*device) : a.where());
    nb::gil_scoped_release const release;
    return a.visit([&]<class Matrix>(held<Matrix> const& h) {
        using T = value_type_of<Matrix>;
        return watched(h.a.entry_count(), [&] {
            csr<T> rows = to_csr(h.a);
            if (single == (sizeof(T) == 4)) return of_rows<T>(rows, false, how);
            using other = std::conditional_t<sizeof(T) == 4, double, float>;
            csr<other> const cast(rows.row_count, rows.column_count, std::move(rows.row_offsets),
                                  std::move(rows.column_indices),
                                  std::vector<other>(rows.values.begin(), rows.values.end()));
            return of_rows<other>(cast, false, how);
        });
    });
}

}  // namespace

void add_conversions(nb::module_& m, nb::class_<matrix>& c) {
    using namespace nb::literals;
    m.def("from_compressed", &from_compressed, "m"_a, "n"_a, nb::arg("indptr").noconvert(),
          nb::arg("indices").noconvert(), nb::arg("data").noconvert(), "columns"_a, "format"_a,
          "values_once"_a = nb::none(), "share_transposed"_a = false, "device"_a = "cpu",
          "From compressed rows, or columns, which are read where they lie.");
    m.def("from_coordinates", &from_coordinates, "m"_a, "n"_a, nb::arg("row").noconvert(), nb::arg("col").noconvert(),
          nb::arg("data").noconvert(), "format"_a, "values_once"_a = nb::none(), "share_transposed"_a = false,
          "device"_a = "cpu", "From a list of entries; those at one place are summed.");
    m.def("read", &read, "path"_a, "single"_a, "format"_a, "values_once"_a = nb::none(), "share_transposed"_a = false,
          "From a Matrix Market file.");
    c.def("to_arrays", &to_arrays, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("data").noconvert(), "Writes op(A) as compressed rows, columns ascending.");
    c.def("converted", &converted, "single"_a, "format"_a, "values_once"_a = nb::none(), "share_transposed"_a = false,
          "device"_a = nb::none(), "op(A) in a format, with values of float32 (single) or float64.");
    c.def("stored_rows", &stored_rows, "(indptr, indices, data) of a device's matrix as it is stored.");
    // For tests: where the library reads an argument.
    m.def(
        "address_of", [](array_in const& array) { return reinterpret_cast<std::uintptr_t>(array.data()); },
        nb::arg("array").noconvert(), "The address at which the library reads an array.");
}

}  // namespace copse::python
