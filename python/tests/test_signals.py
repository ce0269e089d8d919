"""Ctrl-C, and other signals, during long calls."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from strategies import same

import copse

ENTRIES = 2_000_000


@pytest.fixture(autouse=True)
def keyboard():
    """Shells start programs in the background with SIGINT ignored; Python then has no handler of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def big():
    """Entries in no order: the longest conversion for its size."""
    rng = np.random.default_rng(3)
    row, col = rng.integers(0, 200_000, (2, ENTRIES), dtype=np.int32)
    return sp.coo_array((rng.random(ENTRIES), (row, col)), shape=(200_000, 200_000))


def first_of(S, entries):
    return sp.coo_array((S.data[:entries], (S.row[:entries], S.col[:entries])), S.shape)


def seconds_of(f):
    """(on the clock, of all processors): the latter hardly grow when other programs run."""
    start, used = time.perf_counter(), time.process_time()
    f()
    return time.perf_counter() - start, time.process_time() - used


def is_cut_short(f):
    """Whether Ctrl-C, pressed after an eighth of the time that f() takes, ends it before it has used 0.6 of the
    processor's time. A call that goes to its end never is; one that is cut short may be late on a busy machine, and is
    tried again."""
    clock, used = map(min, zip(seconds_of(f), seconds_of(f), strict=True))

    def interrupted():
        timer = threading.Timer(clock / 8, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            f()
            timer.join()  # f() was faster
            time.sleep(1)
        timer.join()

    return any(seconds_of(interrupted)[1] < 0.6 * used for _ in range(5))


@pytest.mark.parametrize("call", ["array", "add", "SumPlan"])
def test_ctrl_c_ends_long_calls(big, call):
    with copse.threads(1):
        A, B = copse.array(big, values="each"), copse.array(first_of(big, 500_000), values="each")
        # A sum of A takes 35 ms, of which what is looked at in between is too large a part.
        long = copse.array(sp.kron(sp.eye_array(4), big), values="each") if call == "add" else A
        calls = {
            "array": lambda: copse.array(big),
            "add": lambda: long + long.T,
            "SumPlan": lambda: copse.SumPlan(B, B),
        }
        assert is_cut_short(calls[call])
        same((A @ np.ones(200_000))[:5], big.tocsr()[:5] @ np.ones(200_000))


def test_ctrl_c_ends_reading(big, tmp_path):
    scipy.io.mmwrite(tmp_path / "a.mtx", first_of(big, 1_200_000), precision=12)
    with copse.threads(1):
        assert is_cut_short(lambda: copse.read(tmp_path / "a.mtx"))


@pytest.mark.parametrize("call", ["array", "SumPlan"])
def test_handlers_run_during_a_call_and_may_use_copse(big, call):
    small = copse.array(np.eye(3))
    A, seen = copse.array(first_of(big, 1_200_000)), []

    def handler(*_):
        seen.append(float((small @ np.ones(3)).sum()))
        if len(seen) == 1:
            A @ np.ones(200_000)  # an operand of what runs

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        with copse.threads(1):
            copse.array(big) if call == "array" else copse.SumPlan(A, A)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) >= 2 and set(seen) == {3.0}  # signals that wait for the end of a call are one


def test_any_exception_of_a_handler_ends_a_call(big):
    def handler(*_):
        raise TimeoutError("from the handler")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with copse.threads(1), pytest.raises(TimeoutError, match="from the handler"):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            copse.array(big)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_long_calls_of_other_threads(big):
    results = []
    threads = [threading.Thread(target=lambda: results.append(copse.array(big).nnz)) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [copse.array(big).nnz] * 2
