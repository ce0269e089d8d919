"""ncu.csv as a table: what Nsight Compute counted in each kernel (ncu --csv --page raw)."""

import csv

from gpu_records import grouped
from tables import table


def number(text):
    """1,234.5 is 1234.5; what is no number is 0."""
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return 0.0


def launches(path):
    """[{column: text}]. The file has a header for each run of ncu, and lines of ncu and of bench/gpu between."""
    found, header = [], []
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for fields in csv.reader(file):
            if fields[:1] == ["ID"]:
                header = fields
            else:
                found.append(dict(zip(header, fields)))
    return [f for f in found if f.get("Kernel Name")]  # the line below a header has units, and no name


def short_name(name, longest=100):
    for part in ("void ", "copse::", "detail::", "(anonymous namespace)::", "<unnamed>::"):
        name = name.replace(part, "")
    before, template_end, _ = name.rpartition(">(")
    name = before + ">" if template_end else name
    return f"`{name if len(name) <= longest else name[:longest] + '...'}`"


def kernels(path, most=24):
    """Sums over the launches of each kernel; rates are weighted by time."""
    by_name = grouped(launches(path), lambda one: one["Kernel Name"])

    def total(of, metric):
        return sum(number(one.get(metric)) for one in of)
    time = "gpu__time_duration.sum"
    rows = []
    for name, of in sorted(by_name.items(), key=lambda item: -total(item[1], time))[:most]:
        nanoseconds = max(total(of, time), 1e-3)

        def rate(metric):
            return f"{sum(number(one.get(time)) * number(one.get(metric)) for one in of) / nanoseconds:.0f}"
        conflicts = total(of, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
        wavefronts = max(total(of, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 1)
        local = "l1tex__t_bytes_pipe_lsu_mem_local_op_"
        rows.append([
            short_name(name), str(len(of)), f"{1e-6 * nanoseconds:.3f}",
            f"{(total(of, 'dram__bytes_read.sum') + total(of, 'dram__bytes_write.sum')) / nanoseconds:.0f}",
            rate("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            rate("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            rate("sm__warps_active.avg.pct_of_peak_sustained_active"),
            rate("l1tex__t_sector_hit_rate.pct"), rate("lts__t_sector_hit_rate.pct"),
            f"{100 * conflicts / wavefronts:.1f}",
            f"{total(of, local + 'ld.sum') + total(of, local + 'st.sum'):.0f}",
            f"{max(number(one.get('launch__registers_per_thread')) for one in of):.0f}"])
    header = ["kernel", "launches", "ms", "DRAM GB/s", "DRAM %", "SM %", "warps %", "L1 hits %", "L2 hits %",
              "bank conflicts %", "local bytes", "registers"]
    return ("## Kernels\n\nBy Nsight Compute, under the host controller and in plans, with clocks as they are and "
            "caches emptied before each launch. Bank conflicts: of the wavefronts of shared memory.\n\n"
            + table(header, rows) + "\n" if rows else "")
