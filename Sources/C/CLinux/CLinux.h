/* Calls of glibc that Swift's module of it lacks. */
#ifndef ANICCA_CLINUX_H
#define ANICCA_CLINUX_H

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

/* Whether something synchronises the wall clock (adjtimex(2)): TIME_ERROR, and STA_UNSYNC with it, say that nothing does. Reads
 * only, which takes no privilege. A sandbox that refuses the call counts as "nothing does". */
static inline int anicca_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int clock = adjtimex(&state);
    return clock != -1 && clock != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/* Has free(3) overwrite what it frees from now on (mallopt(3)), but for the small blocks that a thread keeps for itself. */
static inline void anicca_overwrite_freed(void) { mallopt(M_PERTURB, 0xAA); }

/* Overwrites those: malloc(3) hands them out before any other, and keeps at most 7 of each size up to 1032 bytes
 * (glibc.malloc.tcache_count and tcache_max, "Memory Allocation Tunables" in the manual of glibc). */
static inline void anicca_overwrite_kept_blocks(void) {
    enum { most = 7, step = 16, largest = 1032 };
    for (size_t size = 24; size <= largest; size += step) {
        void *blocks[most];
        for (int i = 0; i < most; i++)
            if ((blocks[i] = malloc(size))) explicit_bzero(blocks[i], malloc_usable_size(blocks[i]));
        for (int i = 0; i < most; i++) free(blocks[i]);
    }
}

#endif
