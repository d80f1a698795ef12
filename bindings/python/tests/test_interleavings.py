"""Work on shared arrays from several streams, tasks and threads, against a model that runs in order."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import baton

SIZE = 8
ARRAYS = 3
WORKERS = 3

actions = st.one_of(
    st.tuples(st.just("fill"), st.integers(0, ARRAYS - 1), st.integers(-9, 9)),
    st.tuples(st.just("add"), st.integers(0, ARRAYS - 1), st.integers(0, ARRAYS - 1)),
    st.tuples(st.just("copy"), st.integers(0, ARRAYS - 1), st.integers(0, ARRAYS - 1)),
    st.tuples(st.just("slice"), st.integers(0, ARRAYS - 1), st.integers(0, ARRAYS - 1)),
    st.tuples(st.just("renew"), st.integers(0, ARRAYS - 1), st.just(0)),
    st.tuples(st.just("read"), st.integers(0, ARRAYS - 1), st.just(0)),
)
plans = st.lists(st.tuples(st.integers(0, WORKERS - 1), actions), max_size=25)


def act(arrays, action, reads):
    """The same words for Baton's arrays and for NumPy's."""
    what, i, n = action
    if what == "fill":
        arrays[i].fill(n)
    elif what == "add":
        arrays[i] = arrays[i] + arrays[n]
    elif what == "copy":
        arrays[i][...] = arrays[n].copy()
    elif what == "slice":
        arrays[i][::2] += arrays[n][1::2]
    elif what == "renew":
        arrays[i] = arrays[i].copy()
    else:
        reads.append(arrays[i].tolist())


def expected(plan):
    arrays, reads = [np.full(SIZE, i, "i4") for i in range(ARRAYS)], []
    for _, action in plan:
        act(arrays, action, reads)
    return [array.tolist() for array in arrays], reads


def started():
    return [baton.full(SIZE, i, "i4") for i in range(ARRAYS)], []


@given(plans, st.booleans())
def test_streams_in_any_interleaving_give_what_one_stream_gives(plan, gated):
    streams = [baton.Stream() for _ in range(WORKERS)]
    arrays, reads = started()
    gate = baton.Gate(streams[0]) if gated and not any(action[0] == "read" for _, action in plan) else None
    for worker, action in plan:
        with streams[worker]:
            act(arrays, action, reads)
    if gate:
        gate.open()
    assert ([array.tolist() for array in arrays], reads) == expected(plan)


@given(plans)
def test_tasks_in_any_interleaving_give_what_one_gives(plan):
    async def main():
        arrays, reads = started()
        turns = [asyncio.Event() for _ in range(len(plan) + 1)]
        turns[0].set()

        async def worker(me):
            for turn, (who, action) in enumerate(plan):
                if who == me:
                    await turns[turn].wait()
                    act(arrays, action, reads)
                    turns[turn + 1].set()

        await asyncio.gather(*(worker(me) for me in range(WORKERS)))
        return [array.tolist() for array in arrays], reads

    assert asyncio.run(main()) == expected(plan)


@settings(max_examples=20)
@given(plans)
def test_threads_in_any_interleaving_give_what_one_gives(plan):
    arrays, reads = started()
    turns = [threading.Event() for _ in range(len(plan) + 1)]
    turns[0].set()

    def worker(me):
        for turn, (who, action) in enumerate(plan):
            if who == me:
                assert turns[turn].wait(20)
                act(arrays, action, reads)
                turns[turn + 1].set()

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(worker, range(WORKERS)))
    assert ([array.tolist() for array in arrays], reads) == expected(plan)


def test_threads_without_any_order_still_see_whole_operations(add_one):
    """Additions of four threads on the same arrays: none is lost, whichever comes first."""
    arrays = [baton.zeros(SIZE, "f4") for _ in range(3)]
    launch = add_one(SIZE)

    def worker(me):
        for i in range(100):
            launch(arrays[(i + me) % 3])
            arrays[i % 3].shape, arrays[me % 3][1:]
            if i % 25 == 0:
                arrays[i % 3].tolist()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(worker, range(4)))
    assert sum(array.tolist()[0] for array in arrays) == 400


def test_one_array_may_be_closed_while_others_use_it():
    """Whoever comes too late is told; nothing is torn."""
    for _ in range(30):
        array = baton.zeros(1000)
        start = threading.Barrier(3)

        def use(array=array, start=start):
            start.wait(10)
            try:
                for _ in range(20):
                    array.fill(1)
                    array.copy()
            except baton.ClosedError:
                pass

        def close(array=array, start=start):
            start.wait(10)
            array.close()

        with ThreadPoolExecutor(3) as pool:
            for future in [pool.submit(use), pool.submit(use), pool.submit(close)]:
                future.result(20)
        assert array.closed
