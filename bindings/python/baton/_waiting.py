"""Waiting in asyncio, by the descriptor of a fence."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from ._core import Array, Fence, Stream


def _finish(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


async def wait(fence: Fence) -> None:
    """Returns when the fence is ready; other tasks run meanwhile. Errors of the work come out here."""
    if not fence.query():
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        descriptor = fence.fileno()
        loop.add_reader(descriptor, _finish, done)
        try:
            await done
        finally:
            loop.remove_reader(descriptor)
    fence.wait()


async def _array(array: Array) -> Array:
    await wait(array.fence())
    return array


async def _stream(stream: Stream) -> Stream:
    await wait(stream.fence())
    return stream


def fence_await(fence: Fence) -> Generator[Any, None, None]:
    return wait(fence).__await__()


def array_await(array: Array) -> Generator[Any, None, Array]:
    return _array(array).__await__()


def stream_await(stream: Stream) -> Generator[Any, None, Stream]:
    return _stream(stream).__await__()
