// The device controller for conversions from HiSparse: compiled with -rdc=true into copse::device, found by run() in
// tree_rows.cu.
#include <copse/formats/to_rows/tree_pieces_tasks.hpp>
#include <copse/formats/to_rows/tree_rows_tasks.hpp>
#include <copse/runtime/gpu_device_controller.cuh>

extern "C" {
int copse_anchor_formats_to_rows_tree_rows_device = 0;
}

static copse::register_device_controller<copse::detail::collect_pieces<float>> const collect_float;
static copse::register_device_controller<copse::detail::collect_pieces<double>> const collect_double;
static copse::register_device_controller<copse::detail::count_rows<float>> const count_float;
static copse::register_device_controller<copse::detail::count_rows<double>> const count_double;
static copse::register_device_controller<copse::detail::place_rows<float>> const place_float;
static copse::register_device_controller<copse::detail::place_rows<double>> const place_double;
