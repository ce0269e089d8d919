// Products of flat formats on the gpu executor. One file for all: half of each one's time went into reading headers.
#include <copse/algebra/cmrs_tasks.hpp>
#include <copse/algebra/csr5_tasks.hpp>
#include <copse/algebra/csr_tasks.hpp>
#include <copse/algebra/flat_gpu.cuh>
#include <copse/algebra/flat_instances.hpp>
#include <copse/algebra/sellp_tasks.hpp>

namespace copse {
COPSE_FLAT_GPU_FORMATS();
}  // namespace copse
