#!/bin/sh
# The lock and the stack of releases against C11's memory model, by Relacy: the C sources themselves, and changed versions of them, which must fail.
. "$(dirname "$0")/common.sh"
[ "$QUICK" = no ] || skip 'the sources are the same in every build'
: "${CXX:=c++}"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/translated"
flags='-std=gnu++20 -fno-sized-deallocation -O0 -w -pthread'     # Relacy replaces only the plain delete
echo '#include <relacy/relacy.hpp>' >"$work/there.cc"
$CXX $flags -fsyntax-only "$work/there.cc" 2>/dev/null || skip 'a C++ compiler or Relacy is missing'
cp "$top"/test/relacy/*.h "$top"/test/relacy/*.cc "$work"
$CXX $flags -x c++-header "$work/c11.h" -o "$work/c11.h.gch" || problem 'c11.h does not compile'

# translate FILE: C to C++ with Relacy's types. What is static there is made anew for each execution here, and small.
translate() {
    sed -E '/^#include/d
        s/_Atomic\(([^)]*)\)/atomic<\1>/
        s/_Atomic ([a-z0-9_]+)/atomic<\1>/
        s/lock_parked\[LOCK_BUCKETS\];/*lock_parked;/
        s/^\} buckets\[LOCK_BUCKETS\] = .*/} *buckets;/
        s/LOCK_BUCKETS = 64/LOCK_BUCKETS = 1/; s/SPINS = 100/SPINS = 1/; s/>= LOCK_PATIENCE/>= patience/
        s/^    struct deferred \*next;/    plain<struct deferred *> next;/
        s/struct deferred \*later = NULL, \*\*end = &later, /plain<struct deferred *> later(NULL), *end = \&later; struct deferred /' "$top/lib/base/$1"
}

# build PROGRAM FILE CHANGE: its source FILE changed by the sed expression. What holds it to its promise is compiled once.
build() {
    for file in $1.h $1.c; do
        translate "$file" >"$work/plain"
        change=; [ "$file" != "$2" ] || change=$3
        sed -E "$change" "$work/plain" >"$work/translated/$file"
        [ "$file" != "$2" ] || ! cmp -s "$work/plain" "$work/translated/$file" || { problem "$2: nothing to change by $3"; return 1; }
    done
    [ -f "$work/$1.o" ] || compile "$1" || return 1
    compile "$1_code" && $CXX "$work/$1.o" "$work/$1_code.o" -o "$work/$1" -pthread || { problem "$1 ($3) cannot be built"; return 1; }
}
compile() { $CXX $flags -I"$work" -I"$top/lib" -I"$top/include" -c "$work/$1.cc" -o "$work/$1.o"; }

good() {
    build "$1" none '' || return 0
    "$work/$1" || problem "$1 fails"
}

# caught PROGRAM FILE CHANGE WHAT: the change must be found.
caught() {
    build "$1" "$2" "$3" || return 0
    status=0
    output=$("$work/$1" 2>&1) || status=$?
    [ $status -eq 1 ] || { problem "$4: not caught (exit status $status)"; return 0; }
    echo "caught: $4: $(echo "$output" | tail -n 1)"
}

good lock
caught lock lock.h 's/(token, )memory_order_acquire/\1memory_order_relaxed/' 'a lock taken without acquire'
caught lock lock.h 's/(word, 0, )memory_order_release/\1memory_order_relaxed/' 'a release that does not release'
caught lock lock.h 's/(word, )memory_order_acquire(\) == 0)/\1memory_order_relaxed\2/' 'a look at the word without acquire'
caught lock lock.h 's/if \(atomic_load_explicit\(&lock_parked.*/if (0)/' 'a release that wakes nobody'
caught lock lock.h 's/if \(atomic_load_explicit\(&lock_parked/if (atomic_load_explicit(\&lock->thread, memory_order_relaxed), atomic_load_explicit(\&lock_parked/' 'a release that touches the lock once it is free'
caught lock lock.c 's/int ordered = order_everybody\(\)/int ordered = 1/' 'parking without membarrier'
caught lock lock.c 's/return syscall.*/return 1;/' 'membarrier failing unseen'
caught lock lock.c '/atomic_fetch_add\(&lock_parked/d; s/int ordered = .*/&atomic_fetch_add(\&lock_parked[at], 1);/' 'a parker that counts itself after the barrier'
caught lock lock.c 's/pthread_cond_wait\(.*\);/pthread_mutex_unlock(\&bucket->mutex), pthread_mutex_lock(\&bucket->mutex), &/' 'a look and a sleep that are not one step'
caught lock lock.c 's/ && \(\*queue\)->lock != lock//' 'a wake of whoever is first, whatever it waits for'
caught lock lock.c '/pthread_cond_signal/d' 'a wake that nobody hears'
caught lock lock.c 's/ && !first->given//' 'a lock that is given twice'
caught lock lock.c 's/waiter->given \|\| \*queue_of.* != waiter/*queue_of(bucket, waiter->lock) != waiter/' 'a gift that is not noticed'
caught lock lock.c 's/next \? next : first->other/first->other/' 'a queue that is lost with its first'
caught lock lock.c 's/if \(held_by_this_thread\(lock\)\)/if (0)/' 'a thread that waits for itself'
good deferred
caught deferred deferred.c 's/node, memory_order_release,/node, memory_order_relaxed,/' 'a push that does not release'
caught deferred deferred.c 's/(stack->head, NULL, )memory_order_acquire/\1memory_order_relaxed/' 'a drain without acquire'
caught deferred deferred.c 's/ \|\| atomic_flag_test_and_set_explicit.*\)\)$/)/' 'two drains at once'
caught deferred deferred.c 's/(draining, )memory_order_acquire/\1memory_order_relaxed/' 'a drain that does not see the one before'
caught deferred deferred.c 's/(draining, )memory_order_release/\1memory_order_relaxed/' 'a drain that the next does not see'
caught deferred deferred.c 's/node->next = head;/node->next = NULL;/' 'a push that forgets the rest'
caught deferred deferred.c '/store_explicit\(&stack->waiting/d' 'a bounded drain that drops the rest'
caught deferred deferred.h 's/ \|\| atomic_load_explicit\(&stack->waiting.*/;/' 'a rest that nobody sees'
caught deferred deferred.c '/push_all\(stack, later\)/d' 'an object that is too early and lost'
caught deferred deferred.c 's/next = node->next;      .*//; s/node = next, tried/node = node->next, tried/' 'a look at an object that was given back'
finish
