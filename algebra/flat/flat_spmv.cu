// Products of flat formats on the gpu executor. One file for all: half of each one's time went into reading headers.
#include <copse/algebra/flat/cmrs_tasks.hpp>
#include <copse/algebra/flat/csr5_tasks.hpp>
#include <copse/algebra/flat/csr_tasks.hpp>
#include <copse/algebra/flat/flat_gpu.cuh>
#include <copse/algebra/flat/flat_instances.hpp>
#include <copse/algebra/flat/sellp_tasks.hpp>

namespace copse {
COPSE_FLAT_GPU_FORMATS();
}  // namespace copse
