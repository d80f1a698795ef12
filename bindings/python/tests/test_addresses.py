"""Addresses for foreign code, and scopes that give them: who waits for whom (P1, P3, W1, S13)."""

import pytest
from structures import host_waits

import baton

N = 64


def test_addresses_for_foreign_code_wait_on_the_host(pair):
    a, b = pair
    x = baton.zeros(N, "i4", stream=a)
    assert x.pointer(a) == x.pointer(b, "r") and x.ptr == x[0].ptr and x[1].ptr == x.ptr + 4
    x.note_use(b, "w")
    with pytest.raises(ValueError):
        x.pointer(a, "x")


def test_managed_gives_addresses_in_order_without_waiting(pair):
    a, b = pair
    x, y = baton.zeros(N, "i4"), baton.zeros(N, "i4")
    before = host_waits()
    with baton.Gate(b):
        x.fill(1, b)
        with baton.managed(a, x, writes=[y]) as addresses:
            assert len(addresses) == 2 and all(addresses)
        assert not a.query() and host_waits() == before
    assert addresses == (x.ptr, y.ptr)
    with baton.managed(None, x, x[1:], writes=x) as addresses:
        assert addresses[1] == addresses[0] + 4


def test_a_scope_ends_also_when_its_block_fails(pair):
    a, b = pair
    x = baton.zeros(N)
    scope = baton.managed(a, writes=x)
    for _ in range(3):
        with pytest.raises(KeyError), scope:
            assert scope.pointer(x, "r") and scope.stream is a
            with pytest.raises(baton.BusyError):
                scope.__enter__()
            with pytest.raises(baton.ScopeError):
                x.fill(1, b)
            raise KeyError
        x.fill(2, b)
    with pytest.raises(ValueError):
        scope.pointer(x)
    with pytest.raises(TypeError):
        baton.managed(a, 3)
    with pytest.raises(TypeError):
        baton.managed(a, x, reads=x)
    with pytest.raises(TypeError):
        baton.managed()


def test_the_synchronizing_switch_can_be_turned(pair):
    a, b = pair
    x = baton.zeros(N, stream=a)
    x.synchronizing = False
    with baton.Gate(a):
        x.fill(1, a)
        x.fill(2, b)
        b.synchronize(timeout=10)
    assert x.synchronizing is False
    x.synchronizing = True
