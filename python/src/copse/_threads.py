"""On how many threads copse's calls run."""

import operator
from types import TracebackType

from . import _core


class threads:  # noqa: N801
    """`with copse.threads(4): ...` lets the calling thread's calls of copse run on 4 threads. count: their number; 0:
    one for each usable processor, the default. Other threads of the program keep their numbers. A matrix has a plan of
    products for each number of threads that it was multiplied on: the bits of a product depend on that number, and on
    nothing else. Raises ValueError for a number below 0, and for more than the system starts."""

    def __init__(self, count: int):
        self.count = operator.index(count)

    def __enter__(self) -> "threads":
        if not 0 <= self.count < 2**16:
            raise ValueError(f"threads: {self.count} is none of 0 (one for each usable processor) .. 65535")
        self._before = _core.use_threads(self.count)
        try:
            _core.thread_count()  # starts them, if they are the first
        except BaseException:
            _core.use_threads(self._before)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _core.use_threads(self._before)


def get_threads() -> int:
    """Returns the number of threads that the calling thread's calls run on."""
    return _core.thread_count()
