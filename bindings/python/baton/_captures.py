"""Functions that are captured whenever they are called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from . import _core
from ._core import Graph, Stream
from ._types import Mode

P = ParamSpec("P")
R = TypeVar("R")

MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
OUTCOMES = {1: "captured", 2: "updated", 3: "rebuilt", 4: "eager"}


def _mode(mode: str) -> int:
    if mode not in MODES:
        raise ValueError(f"a capture's mode is one of {', '.join(MODES)}, not {mode!r}")
    return MODES[mode]


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
def captured(
    function: None = None, /, *, stream: Any = ..., mode: Mode = ...
) -> Callable[[Callable[P, R]], Captured[P, R]]: ...
def captured(function: Any = None, /, *, stream: Any = None, mode: Mode = "thread_local") -> Any:
    """Decorator for the body of a loop: each call captures what it submits and launches that as one graph."""
    if function is None:
        return lambda wrapped: Captured(wrapped, stream, mode)
    return Captured(function, stream, mode)
