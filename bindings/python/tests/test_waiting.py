"""asyncio, and interrupts."""

import asyncio
import os
import select
import signal
import threading

import pytest

import baton

N = 32


def test_awaiting_an_array_lets_other_tasks_run(pair):
    a, _ = pair

    async def main():
        gate = baton.Gate(a)
        x = baton.zeros(N, stream=a)
        steps = []

        async def waiter():
            assert await x is x
            steps.append("done")

        task = asyncio.create_task(waiter())
        for _ in range(3):
            await asyncio.sleep(0)
            steps.append("other")
        assert not task.done()
        gate.open()
        await task
        return steps, x.query()

    assert asyncio.run(main()) == (["other"] * 3 + ["done"], True)


def test_streams_and_fences_can_be_awaited(pair):
    a, b = pair

    async def main():
        assert await a is a
        gate = baton.Gate(a)
        fence = a.fence()
        task = asyncio.gather(a, fence, b)
        await asyncio.sleep(0)
        gate.open()
        await task
        return fence.query()

    assert asyncio.run(main())


def test_a_wait_in_asyncio_can_be_cancelled(pair):
    a, _ = pair

    async def main():
        with baton.Gate(a), pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(a.fence(), 0.01)
        await a

    asyncio.run(main())


def test_waiting_over_and_over_does_not_use_up_descriptors(pair):
    a, _ = pair
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        fence = a.fence()
        assert select.select([fence], [], [], 10)[0] == [fence]
        fence.wait()
    assert len(os.listdir("/proc/self/fd")) < before + 50


def test_tasks_share_arrays_in_order(add_one):
    async def work(x):
        for _ in range(10):
            add_one(N)(x)
            await asyncio.sleep(0)

    async def main():
        x = baton.zeros(N, "f4")
        await asyncio.gather(*(work(x) for _ in range(10)))
        return (await x).tolist()

    assert asyncio.run(main()) == [100.0] * N


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("what", ["stream", "array", "fence", "numpy", "item", "download"])
def test_a_signal_interrupts_a_wait_and_leaves_everything_right(pair, what):
    a, _ = pair

    def handler(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, handler)
    gate = baton.Gate(a)
    x = baton.full(1, 7, "i4", stream=a)
    waits = {
        "stream": a.synchronize,
        "array": x.synchronize,
        "fence": lambda: x.fence().wait(),
        "numpy": x.numpy,
        "item": x.item,
        "download": lambda: x.download(bytearray(4)),
    }
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        with pytest.raises(Interrupted):
            timer.start()
            waits[what]()
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert not a.query()
    gate.open()
    assert x.item() == 7
