// What copse::device holds of the operation: the device controller over its tasks.
#include <copse/runtime/gpu_device_controller.cuh>
#include <gpu/count_tree_tasks.hpp>

static copse::register_device_controller<copse::tests::grow_tree, copse::tests::count_leaf> const registered;
