/* C11's atomics over Relacy's, so that the library's own sources can be compiled against its memory model.
 *
 * Relacy runs threads as fibers in one, in an order that it draws, and lets each load return any value that C11's rules allow. It finds data races, lost
 * wake-ups, uses of freed memory, and leaks. test/relacy.sh turns the C sources into C++ (types of atomics, and members that are to be watched) and
 * makes changed versions that must fail. */
#ifndef BATON_TEST_RELACY_C11_H
#define BATON_TEST_RELACY_C11_H

#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <pthread.h>

#include <relacy/relacy.hpp>

using rl::atomic;
using rl::mo_acq_rel;
using rl::mo_acquire;
using rl::mo_relaxed;
using rl::mo_release;
using rl::mo_seq_cst;

/* Relacy's memory_order_... are two arguments, the order and the place in the source. */
#define atomic_load_explicit(object, order) (object)->load(order)
#define atomic_store_explicit(object, value, order) (object)->store(value, order)
#define atomic_exchange_explicit(object, value, order) (object)->exchange(value, order)
#define atomic_fetch_add_explicit(object, value, order) (object)->fetch_add(value, order)
#define atomic_compare_exchange_strong_explicit(object, expected, value, order, otherwise) \
    (object)->compare_exchange_strong(*(expected), value, order, otherwise)
#define atomic_compare_exchange_weak_explicit(object, expected, value, order, otherwise) \
    (object)->compare_exchange_weak(*(expected), value, order, otherwise)
#define atomic_fetch_add(object, value) (object)->fetch_add(value, memory_order_seq_cst)
#define atomic_fetch_sub(object, value) (object)->fetch_sub(value, memory_order_seq_cst)
#define atomic_signal_fence(order) ((void)0)

struct atomic_flag {
    atomic<int> set;
};
#define atomic_flag_test_and_set_explicit(flag, order) (flag)->set.exchange(1, order)
#define atomic_flag_clear_explicit(flag, order) (flag)->set.store(0, order)

/* A plain variable whose every use is checked for races and for being freed. */
template <typename T> class plain {
    rl::var<T> value;

public:
    plain() {}
    plain(T to) { value($) = to; }
    plain(const plain &from) { value($) = (T)from; }
    plain &operator=(const plain &from) { return *this = (T)from; }
    plain &operator=(T to)
    {
        value($) = to;
        return *this;
    }
    operator T() const { return value($).load(); }
};

/* Relacy tells what it finds while it watches every allocation: nothing of it is kept. */
struct nothing : std::streambuf {
    int overflow(int character) { return character; }
    std::streamsize xsputn(const char *, std::streamsize count) { return count; }
};

/* All interleavings up to `bound` switches of threads that need not be, then `drawn` drawn ones. Nonzero when all were good; says what was wrong. */
template <typename test> int hold(const char *sentence, unsigned bound, unsigned drawn)
{
    rl::test_params parameters;
    struct nothing nothing;
    std::ostream silence(&nothing);
    parameters.progress_stream = parameters.output_stream = &silence;
    unsigned long executions = 0;
    for (rl::scheduler_type_e type : { rl::sched_bound, rl::sched_random }) {
        parameters.search_type = type;
        parameters.context_bound = bound;
        parameters.iteration_count = type == rl::sched_bound ? 100000000 : drawn;
        int good = rl::simulate<test>(parameters);
        executions += parameters.stop_iteration;
        if (good)
            continue;
        std::cout << sentence << ": " << rl::test_result_str(parameters.test_result) << std::endl;
        return 0;
    }
    std::cout << sentence << ": " << executions << " executions" << std::endl;
    return 1;
}

#endif
