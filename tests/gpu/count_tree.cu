#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <gpu/count_tree.hpp>
#include <gpu/count_tree_tasks.hpp>
#include <vector>

namespace copse::tests {

std::int64_t count_tree(gpu& executor, int children, int height) {
    buffer<std::int64_t> leaves(executor, std::vector<std::int64_t>{0});
    run(executor, seed<grow_tree>(height), grow_tree{children}, count_leaf{leaves.data()});
    return leaves.to_host()[0];
}

}  // namespace copse::tests
