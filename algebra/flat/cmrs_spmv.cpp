// Products of CMRS on the CPU's executors; flat_spmv.cu has the gpu's.
#include <copse/algebra/flat/cmrs_cpu.hpp>
#include <copse/algebra/flat/cmrs_tasks.hpp>
#include <copse/algebra/flat/flat_host.hpp>
#include <copse/algebra/flat/flat_instances.hpp>

namespace copse {
COPSE_FLAT_FORMAT(cpu, cmrs);
COPSE_FLAT_FORMAT(emulated, cmrs);
}  // namespace copse
