#include "heap.h"

#include <stddef.h>
#include <stdlib.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local int counting, paused;
static _Thread_local uint64_t allocations;

static void note(void)
{
    allocations += counting && !paused;
}

#ifdef SANITIZED
/* The sanitizer has the allocator, and tells. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static void allocated(const volatile void *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    note();
}

static void freed(const volatile void *address)
{
    (void)address;
}

static void watch(void)
{
    static int installed;
    if (!installed)
        installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);
}
#else
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *address, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    note();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note();
    return __libc_calloc(count, bytes);
}

void *realloc(void *address, size_t bytes)
{
    note();
    return __libc_realloc(address, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    note();
    return __libc_memalign(alignment, bytes);
}

static void watch(void)
{
}
#endif

void heap_count_start(void)
{
    watch();
    allocations = 0;
    counting = 1;
}

uint64_t heap_count_stop(void)
{
    counting = 0;
    return allocations;
}

void heap_pause(void)
{
    paused++;
}

void heap_resume(void)
{
    paused--;
}
