#include "arrays.hpp"

namespace copse::python {

void refuse_type(char const* name, char const* wanted) {
    throw nb::type_error((std::string(name) + " must be an array of " + wanted).c_str());
}

void check_place(char const* name, int kind, int device, place where) {
    bool const on_gpu = kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value;
    if (on_gpu == (where.kind == place_kind::gpu) && (!on_gpu || device == where.device)) return;
    std::string const at = on_gpu ? "cuda:" + std::to_string(device) : "cpu";
    throw nb::type_error(
        (std::string(name) + " is on " + at + ", but the matrix is on " + where.name() + "; move one of them").c_str());
}

index_view indices_of(char const* name, array_in const& array, place where) {
    check_place(name, array.device_type(), array.device_id(), where);
    auto const size = static_cast<std::int64_t>(array.size());
    if (holds<std::int32_t>(array)) return {static_cast<std::int32_t const*>(array.data()), size};
    if (holds<std::int64_t>(array)) return {static_cast<std::int64_t const*>(array.data()), size};
    if (holds<std::uint32_t>(array)) return {static_cast<std::uint32_t const*>(array.data()), size};
    if (holds<std::uint64_t>(array)) return {static_cast<std::uint64_t const*>(array.data()), size};
    refuse_type(name, "integers of 32 or 64 bits");
}

}  // namespace copse::python
