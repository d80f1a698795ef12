"""Captures: a block whose work becomes a graph, and functions that are captured whenever they are called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from . import _core
from ._core import Graph, Stream

P = ParamSpec("P")
R = TypeVar("R")
Mode = Literal["global", "thread_local", "relaxed"]

MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
OUTCOMES = {1: "captured", 2: "updated", 3: "rebuilt", 4: "eager"}


def _mode(mode: str) -> int:
    if mode not in MODES:
        raise ValueError(f"a capture's mode is one of {', '.join(MODES)}, not {mode!r}")
    return MODES[mode]


class capture:
    """with capture(stream) as graph: what the block submits to the stream becomes the graph, and does not run.

    stream None is the task's current one; in the block it is the current one. The graph can be launched after the block.
    A block that raises leaves no graph. mode says what the capture forbids to other threads meanwhile (baton.h); with
    "global" and "thread_local" the block ends on the thread that began it.
    """

    def __init__(self, stream: Any = None, *, mode: Mode = "thread_local") -> None:
        self._wanted = stream
        self._mode = _mode(mode)
        self._graph = _core._graph()

    def __enter__(self) -> Graph:
        self._stream = _core._capture_begin(self._wanted, self._mode)
        self._stream.__enter__()
        return self._graph

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stream.__exit__(kind, error, trace)
        except BaseException:
            _core._capture_abandon(self._stream)
            raise
        if error is None:
            _core._capture_end(self._stream, self._graph)
        else:
            _core._capture_abandon(self._stream)


class Captured(Generic[P, R]):
    """A function whose submissions are captured at each call and launched as one graph.

    last is what happened at the newest call: "captured", "updated", "rebuilt", or "eager" when the body cannot be captured
    and was run as it is (reason says why). Then the body has run twice; a body that submits the same each time is run once.
    """

    def __init__(self, function: Callable[P, R], stream: Any, mode: Mode) -> None:
        if inspect.iscoroutinefunction(function):
            raise TypeError("a coroutine cannot be captured: its body runs later")
        self._function = function
        self._stream = stream
        self._mode = _mode(mode)
        self._idle: dict[int, list[Graph]] = {}
        self.last = ""
        self.reason = ""
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **keywords: P.kwargs) -> R:
        chosen = _core.current_stream() if self._stream is None else self._stream
        stream = chosen if isinstance(chosen, Stream) else Stream.from_external(chosen)
        idle = self._idle.setdefault(stream.device, [])
        graph = idle.pop() if idle else _core._graph()  # each concurrent call has one of its own
        body = functools.partial(self._function, *args, **keywords)
        try:
            with stream:
                result, outcome, self.reason = _core._capture_run(stream, self._mode, body, graph)
        finally:
            idle.append(graph)
        self.last = OUTCOMES.get(outcome, "")
        return result  # type: ignore[no-any-return]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


@overload
def captured(function: Callable[P, R], /) -> Captured[P, R]: ...
@overload
def captured(*, stream: Any = ..., mode: Mode = ...) -> Callable[[Callable[P, R]], Captured[P, R]]: ...
def captured(function: Any = None, /, *, stream: Any = None, mode: Mode = "thread_local") -> Any:
    """Decorator for the body of a loop: each call captures what it submits and launches that as one graph."""
    if function is None:
        return lambda wrapped: Captured(wrapped, stream, mode)
    return Captured(function, stream, mode)
