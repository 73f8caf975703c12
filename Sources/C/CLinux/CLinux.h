/* Calls of glibc that Swift's module of it lacks. */
#ifndef ANICCA_CLINUX_H
#define ANICCA_CLINUX_H

#include <malloc.h>
#include <string.h>
#include <sys/timex.h>

/* Whether something synchronises the wall clock (adjtimex(2)): TIME_ERROR, and STA_UNSYNC with it, say that nothing does. Reads
 * only, which takes no privilege. A sandbox that refuses the call counts as "nothing does". */
static inline int anicca_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int clock = adjtimex(&state);
    return clock != -1 && clock != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/* Has free(3) overwrite what it frees, except for the few blocks that a thread keeps for itself (mallopt(3)). */
static inline void anicca_overwrite_freed(void) { mallopt(M_PERTURB, 0xAA); }

#endif
