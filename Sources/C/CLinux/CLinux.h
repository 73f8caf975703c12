/* glibc calls that Swift's Glibc module lacks. */
#ifndef ANICCA_CLINUX_H
#define ANICCA_CLINUX_H

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* A file in memory only (memfd_create(2), with _GNU_SOURCE); -1 with errno. */
int memfd_create(const char *name, unsigned int flags);
static inline int anicca_memory_file(const char *name) { return memfd_create(name, 1U /* MFD_CLOEXEC */); }

/* Whether the wall clock is synchronised (adjtimex(2)): TIME_ERROR or STA_UNSYNC means that it is not. The call only
 * reads, which needs no privilege. If a sandbox denies it, the clock counts as not synchronised. */
static inline int anicca_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int clock = adjtimex(&state);
    return clock != -1 && clock != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/* Makes free(3) overwrite freed memory from now on (mallopt(3)), except small blocks in a thread's cache. */
static inline void anicca_overwrite_freed(void) { mallopt(M_PERTURB, 0xAA); }

/* Overwrites cached blocks: malloc(3) returns them before any other, and keeps at most 7 of each size up to 1032 bytes
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

/* Arms a timer for an absolute time of its clock, in ns; 0 disarms it. Returns 0, or -1 with errno. */
static inline int anicca_set_timer(int descriptor, long long time) {
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000)}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Resets an expired timer. */
static inline void anicca_clear_timer(int descriptor) {
    char expirations[8];
    /* EAGAIN: it was armed again meanwhile. */
    if (read(descriptor, expirations, sizeof expirations) < 0) errno = 0;
}

/* Arms a timer of anicca_clock_watch() for the next change of the wall clock. Returns 0, or -1 with errno. */
static inline int anicca_clock_watch_again(int descriptor) {
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)1 << 40}};
    char expirations[8];
    /* EAGAIN or ECANCELED: arming it again handles both. */
    if (read(descriptor, expirations, sizeof expirations) < 0) errno = 0;
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

/* A descriptor that becomes readable when the wall clock is set (timerfd_create(2)); -1 with errno. */
static inline int anicca_clock_watch(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -1;
    if (anicca_clock_watch_again(descriptor) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

/* The process at the other end of a Unix socket (unix(7), SO_PEERCRED); 0 if it is unavailable. */
static inline pid_t anicca_peer(int descriptor) {
    /* As struct ucred, which needs _GNU_SOURCE. */
    struct { pid_t pid; uid_t uid; gid_t gid; } peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0 ? peer.pid : 0;
}

#endif
