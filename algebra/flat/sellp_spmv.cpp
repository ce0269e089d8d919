// Products of SELL-P on the CPU's executors; flat_spmv.cu has the gpu's.
#include <copse/algebra/flat/flat_host.hpp>
#include <copse/algebra/flat/flat_instances.hpp>
#include <copse/algebra/flat/sellp_cpu.hpp>
#include <copse/algebra/flat/sellp_tasks.hpp>

namespace copse {
COPSE_FLAT_FORMAT(cpu, sellp);
COPSE_FLAT_FORMAT(emulated, sellp);
}  // namespace copse
