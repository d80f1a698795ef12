/* Arrays that pass between streams: order on the device, a host that does not wait, and no call too many. */
#include "support.h"

/* S5, section: an operation on B behind A's work returns while A is held. */
START_TEST(a_fill_on_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(1000, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    ck_assert_int_eq(baton_stream_query(a, &error), BATON_NOT_READY);
    ck_assert_int_eq(baton_stream_query(b, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 2, b);
    baton_array_release(array);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

SUPPORT_MAIN("handoff", 30, a_fill_on_memory_of_a_gated_stream_returns_at_once)
