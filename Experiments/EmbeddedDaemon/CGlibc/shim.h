/* The headers of glibc that the project uses, as one module: the toolchain's own map of them is for ordinary Swift alone. */
#ifndef ANICCA_CGLIBC_SHIM_H
#define ANICCA_CGLIBC_SHIM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Variadic functions and macros, which Swift cannot use; the library of ordinary Swift has the same in its module Glibc. */
static inline int open_with_mode(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int openat_with_mode(int directory, const char *path, int flags, mode_t mode) { return openat(directory, path, flags, mode); }
static inline int fcntl_with_int(int file, int command, int value) { return fcntl(file, command, value); }
static inline int fcntl_with_pointer(int file, int command, void *value) { return fcntl(file, command, value); }
static inline int current_errno(void) { return errno; }
static inline void set_errno(int value) { errno = value; }
static inline void *map_failed(void) { return MAP_FAILED; }

/* The event loop: a timer of the boot-time clock and the signals that end a daemon, on one epoll descriptor. */
static inline int loop_make(int *timer, int *signals) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    if (sigprocmask(SIG_BLOCK, &ending, NULL) < 0) return -1;
    int loop = epoll_create1(EPOLL_CLOEXEC);
    *timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    *signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    if (loop < 0 || *timer < 0 || *signals < 0) return -1;
    struct epoll_event timed = {.events = EPOLLIN, .data.fd = *timer}, signalled = {.events = EPOLLIN, .data.fd = *signals};
    if (epoll_ctl(loop, EPOLL_CTL_ADD, *timer, &timed) < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, *signals, &signalled) < 0) return -1;
    return loop;
}

/* Waits for the next of them, and takes it: its descriptor, or -1 with errno. */
static inline int loop_wait(int loop) {
    struct epoll_event event;
    int count;
    do { count = epoll_wait(loop, &event, 1, -1); } while (count < 0 && errno == EINTR);
    if (count < 1) return -1;
    char taken[sizeof(struct signalfd_siginfo)];
    if (read(event.data.fd, taken, sizeof taken) < 0 && errno != EAGAIN) return -1;
    return event.data.fd;
}

/* Zero, or -1 with errno. */
static inline int loop_arm(int timer, int64_t nanoseconds) {
    struct itimerspec time = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

#endif
