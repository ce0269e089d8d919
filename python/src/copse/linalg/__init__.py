"""Solvers on copse's products: those that multiply with A and with A^T read A once for both.

Linear systems: cg, bicg. Least squares: cgls, lsqr, lsmr. Graphs: pagerank, hits. Singular values: svd. Each returns
its results and an Info, which is 0 if it converged, and takes a callback. SciPy's solvers take copse's arrays, too.
"""

from ._info import Info
from ._krylov import bicg, cg, cgls
from ._least_squares import lsmr, lsqr
from ._ranking import hits, pagerank
from ._svd import svd

__all__ = ["Info", "bicg", "cg", "cgls", "hits", "lsmr", "lsqr", "pagerank", "svd"]
