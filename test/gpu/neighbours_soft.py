"""The checks of neighbours.py that need no GPU."""
from baton_ctypes import Producer
from neighbours_world import COUNT, Skipped, all_are, check, equal


@check(soft=True)
def the_header_and_the_library_agree_on_every_struct(w):
    for name in ("baton_error", "baton_stats", "baton_array_options", "baton_array_info", "baton_operand"):
        if w.b.layout[name][1] <= 0:
            raise AssertionError(f"{name} has no size")
    equal(w.b.layout["baton_error"][1], 256, "size of baton_error")
    equal(w.baton.info().text("driver"), w.driver.split(":")[0], "driver")


@check(soft=True)
def a_held_stream_holds_who_follows_it_and_not_the_host(w):
    x, y = w.numbers(w.ours, 1), w.numbers(w.other, 2)
    with w.baton.held(w.ours) as gate, w.no_host_wait():
        w.baton.fill(x, 5, w.ours)
        w.baton.copy(y, x, w.other)
        equal(w.baton.busy(w.other), True, "the follower is busy")
        gate.open()
    w.result(y, w.other, 5)
    w.baton.free(x, y)


@check(soft=True)
def numpy_and_baton_share_host_memory_through_dlpack(w):
    try:
        import numpy
    except ImportError as problem:
        raise Skipped(str(problem))
    x = w.baton.array(COUNT, w.ours, kind=w.b.BATON_HOST)
    w.baton.fill(x, 4, w.ours)
    if w.driver == "cuda":
        seen = numpy.from_dlpack(Producer(w.baton, x, (3, 0)))
    else:
        seen = numpy.from_dlpack(Producer(w.baton, x, (1, 0)))
    all_are(seen.tolist(), 4)
    back = w.baton.take(seen.__dlpack__(max_version=(1, 0)), None) if seen.flags.writeable else None
    del seen
    if back:
        w.result(back, w.ours, 4)
        w.baton.free(back)
    w.baton.free(x)
    w.baton.drain()
