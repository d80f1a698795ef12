"""Captures and graphs."""

import threading

import pytest

import baton

N = 32


def test_a_block_becomes_a_graph_that_is_launched_often(add_one, pair):
    a, b = pair
    x = baton.zeros(N, "f4")
    with baton.capture(a) as graph:
        assert baton.current_stream() is a and a.capturing
        add_one(N)(x)
        add_one(N)(x)
    assert not a.capturing and x.tolist() == [0.0] * N
    for _ in range(5):
        graph.launch(b)
    graph.launch()
    assert x.tolist() == [12.0] * N
    assert (graph.steps, graph.memories, graph.written, graph.device) == (2, 1, 1, 0)
    assert graph.dot().startswith("digraph")


def test_a_graph_keeps_what_it_uses(add_one):
    x = baton.zeros(N, "f4")
    with baton.capture() as graph:
        add_one(N)(x)
    y = x[:]
    del x, add_one
    graph.launch()
    assert y.tolist() == [1.0] * N


def test_a_graph_takes_the_place_of_another(add_one):
    x, y = baton.zeros(N, "f4"), baton.zeros(N, "f4")
    graphs = []
    for array in (x, y):
        with baton.capture() as graph:
            add_one(N)(array)
        graphs.append(graph)
    graphs[0].launch()
    graphs[0].update(graphs[1])
    graphs[0].launch()
    graphs[1].launch()
    assert x.tolist() == [1.0] * N and y.tolist() == [2.0] * N
    with baton.capture() as longer:
        add_one(N)(x)
        add_one(N)(x)
    with pytest.raises(baton.TopologyError):
        graphs[0].update(longer)
    with pytest.raises(TypeError):
        graphs[0].update(x)


def test_a_block_that_fails_leaves_no_graph_and_no_capture(add_one, pair):
    a, _ = pair
    x = baton.zeros(N, "f4")
    with pytest.raises(KeyError), baton.capture(a) as graph:
        add_one(N)(x)
        raise KeyError
    assert not a.capturing
    with pytest.raises(ValueError):
        graph.launch()
    add_one(N, stream=a)(x)
    assert x.tolist() == [1.0] * N


def test_the_capturing_task_is_refused_what_would_wait(add_one):
    x = baton.zeros(N, "f4")
    with baton.capture() as graph:
        add_one(N)(x)
        with pytest.raises(baton.CaptureError):
            x.numpy()
        with pytest.raises(baton.CaptureError):
            baton.current_stream().synchronize()
    graph.launch()
    assert x.tolist() == [1.0] * N


def test_other_threads_go_on_during_a_capture(add_one):
    x, y = baton.zeros(N, "f4"), baton.zeros(N, "f4")
    with baton.capture() as graph:
        add_one(N)(x)

        def other():
            add_one(N)(y)
            y.synchronize()

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(10)
        assert not thread.is_alive()
    graph.launch()
    assert x.tolist() == y.tolist() == [1.0] * N


def test_a_captured_function_is_launched_as_one_graph(add_one):
    x = baton.zeros(N, "f4")

    @baton.captured
    def body(array, times):
        """The doc."""
        for _ in range(times):
            add_one(N)(array)
        return times

    outcomes = []
    launches = baton.stats()["graph_launches"]
    for times in (1, 1, 2, 2):
        assert body(x, times) == times
        outcomes.append(body.last)
    assert outcomes == ["captured", "updated", "rebuilt", "updated"]
    assert x.tolist() == [6.0] * N
    assert baton.stats()["graph_launches"] - launches == 4 and body.__doc__ == "The doc."


def test_a_body_that_cannot_be_captured_is_run_as_it_is(add_one):
    x = baton.zeros(N, "f4")

    @baton.captured(mode="relaxed")
    def body():
        add_one(N)(x)
        return x.tolist()

    assert body() == [1.0] * N and body.last == "eager" and body.reason


def test_the_bodys_exception_comes_out(add_one, pair):
    a, _ = pair

    @baton.captured(stream=a)
    def body():
        raise KeyError("mine")

    for _ in range(3):
        with pytest.raises(KeyError, match="mine"):
            body()
    assert not a.capturing


def test_captured_methods_and_recursive_calls(add_one):
    class Loop:
        def __init__(self):
            self.x = baton.zeros(N, "f4")

        @baton.captured
        def step(self):
            add_one(N)(self.x)

    one, two = Loop(), Loop()
    for loop in (one, two, one):
        loop.step()
    assert one.x.tolist() == [2.0] * N and two.x.tolist() == [1.0] * N


def test_a_coroutine_is_refused():
    with pytest.raises(TypeError):

        @baton.captured
        async def body():
            pass


def test_a_block_that_leaves_another_stream_chosen_is_told_and_ends_its_capture(pair):
    a, b = pair
    with pytest.raises(RuntimeError), baton.capture(a):
        b.__enter__()
    assert not a.capturing
    b.__exit__(None, None, None)
    a.__exit__(None, None, None)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError):
        baton.capture(mode="loud")


def test_a_capture_that_is_used_again_makes_another_graph(add_one, pair):
    a, _ = pair
    x, y = baton.zeros(N, "f4"), baton.zeros(N, "f4")
    capture, graphs = baton.capture(a), []
    for array in (x, y):
        with capture as graph:
            add_one(N)(array)
        graph.launch()
        graphs.append(graph)
    graphs[0].launch()
    assert x.tolist() == [2.0] * N and y.tolist() == [1.0] * N


def test_a_capture_is_entered_once_at_a_time_and_left_once(add_one, pair):
    a, _ = pair
    x, capture = baton.zeros(N, "f4"), baton.capture(a)
    with pytest.raises(baton.ArgumentError):
        capture.__exit__(None, None, None)
    with capture as graph:
        with pytest.raises(baton.BusyError):
            capture.__enter__()
        with pytest.raises(baton.CaptureError), baton.capture(a):
            pass
        add_one(N)(x)
    with pytest.raises(baton.ArgumentError):
        capture.__exit__(None, None, None)
    graph.launch()
    assert x.tolist() == [1.0] * N and not a.capturing


def test_what_is_no_stream_cannot_be_captured():
    with pytest.raises(TypeError):
        baton.capture("a")
    with pytest.raises(ValueError):
        baton.capture(mode=1)
