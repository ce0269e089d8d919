"""Measures copse beside SciPy, sparse-dot-mkl and python-graphblas (those that are installed), and what a call costs
over C++. Every result is compared with SciPy's before anything is timed; the libraries take turns; medians count.

    python python/benchmarks/run.py -o results.jsonl          # JSON lines, and the table
    python python/benchmarks/report.py results.jsonl -o results.png
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from matrices import MATRICES
from peers import PEERS, dense_of

import copse

OPERATIONS = ["product", "transposed", "sum", "transposed_sum", "lsqr"]


def seconds(f: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        f()
    return (time.perf_counter() - start) / calls


def calls_of(operation: str, peer: Any, S: sp.csr_array, steps: int) -> Callable[[], Any]:
    m, n = S.shape
    x, w = np.cos(np.arange(n)), np.sin(np.arange(m) + 1.0)
    f = getattr(peer, operation)
    return {
        "product": lambda: f(x),
        "transposed": lambda: f(w),
        "sum": f,
        "transposed_sum": f,
        "lsqr": lambda: f(w, steps),
    }[operation]


def compared(operation: str, S: sp.csr_array, result: Any, wanted: Any) -> float:
    """How far a result is off; of LSQR, whose steps depend on rounding before it has converged, |b - A x|
    is compared, to two digits."""
    m, n = S.shape
    x = np.cos(np.arange(n))
    a, b = dense_of(result, x), dense_of(wanted, x)
    if operation == "lsqr":
        a, b = (np.linalg.norm(np.sin(np.arange(m) + 1.0) - S @ k) for k in (a, b))
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def measure(name: str, S: sp.csr_array, rounds: int, steps: int, threads: int, write: Callable[[dict], None]) -> None:
    m, n = S.shape
    shift = sp.eye_array(m, n, k=3, format="csr")
    B = (S + shift).tocsr() if m != n else (S + shift + shift.T).tocsr()
    peers = []
    for Peer in PEERS:
        try:
            peers.append(Peer(S, B, threads))
        except ImportError as e:
            print(f"{Peer.name} is left out: {e}", file=sys.stderr)
    for operation in OPERATIONS:
        if operation == "transposed_sum" and m != n:
            continue
        calls = {p.name: calls_of(operation, p, S, steps) for p in peers if hasattr(p, operation)}
        wanted = calls["SciPy"]()
        for who, call in calls.items():
            error = compared(operation, S, call(), wanted)
            if error > (1e-2 if operation == "lsqr" else 1e-10):
                sys.exit(f"{who}: {operation} of {name} is off by {error:.1e}")
        once = {who: max(seconds(call, 1), 1e-7) for who, call in calls.items()}
        times: dict[str, list[float]] = {who: [] for who in calls}
        for _ in range(rounds):
            for who, call in calls.items():
                times[who].append(seconds(call, max(1, int(0.05 / once[who]))))
        for who, of in times.items():
            write(
                {
                    "matrix": name,
                    "rows": m,
                    "columns": n,
                    "entries": S.nnz,
                    "operation": operation,
                    "library": who,
                    "seconds": statistics.median(of),
                    "least": min(of),
                    "most": max(of),
                    "threads": threads,
                }
            )


def measure_calls(rounds: int, write: Callable[[dict], None]) -> None:
    """What `A @ x` costs over the same product called in C++, for a matrix of one entry."""
    A, x = copse.array(sp.eye_array(1).tocsr()), np.ones(1)
    y = A @ x
    python, cpp = [], []
    for _ in range(rounds):
        python.append(seconds(lambda: A @ x, 20_000) - seconds(lambda: None, 20_000))
        cpp.append(A._core.seconds_of_product(x, y, 20_000))
    over = statistics.median(p - c for p, c in zip(python, cpp, strict=True))
    write({"operation": "overhead", "library": "copse", "seconds": over, "cpp": statistics.median(cpp)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", help="the file of JSON lines; not given: standard output")
    parser.add_argument("--matrix", action="append", choices=list(MATRICES), help="not given: all")
    parser.add_argument("--scale", type=float, default=1.0, help="of the matrices' sides")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=50, help="of LSQR")
    parser.add_argument("--threads", type=int, default=copse.get_threads())
    given = parser.parse_args()
    out = open(given.output, "w", encoding="utf-8") if given.output else sys.stdout  # noqa: SIM115

    def write(record: dict) -> None:
        print(json.dumps(record), file=out, flush=True)

    write({"machine": platform.processor() or platform.machine(), "load": os.getloadavg()[0], "numpy": np.__version__})
    with copse.threads(given.threads):
        measure_calls(given.rounds, write)
        for name in given.matrix or MATRICES:
            measure(name, MATRICES[name](given.scale), given.rounds, given.steps, given.threads, write)


if __name__ == "__main__":
    main()
