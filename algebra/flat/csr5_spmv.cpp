// Products of CSR5 on the CPU's executors; flat_spmv.cu has the gpu's.
#include <copse/algebra/flat/csr5_cpu.hpp>
#include <copse/algebra/flat/csr5_tasks.hpp>
#include <copse/algebra/flat/flat_host.hpp>
#include <copse/algebra/flat/flat_instances.hpp>

namespace copse {
COPSE_FLAT_FORMAT(cpu, csr5);
COPSE_FLAT_FORMAT(emulated, csr5);
}  // namespace copse
