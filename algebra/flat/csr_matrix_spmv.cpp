// Products of compressed rows on the CPU's executors; flat_spmv.cu has the gpu's.
#include <copse/algebra/flat/csr_cpu.hpp>
#include <copse/algebra/flat/csr_tasks.hpp>
#include <copse/algebra/flat/flat_host.hpp>
#include <copse/algebra/flat/flat_instances.hpp>

namespace copse {
COPSE_FLAT_FORMAT(cpu, csr_matrix);
COPSE_FLAT_FORMAT(emulated, csr_matrix);
}  // namespace copse
