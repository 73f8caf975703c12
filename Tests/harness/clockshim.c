// Gives a program other clocks than the machine's: preloaded (LD_PRELOAD, ld.so(8)), it answers the calls that read a clock or
// wait for one from a page that all programs of a test share. The page is the file that ANICCA_CLOCKS names; see `struct clocks`.
//
// Time stands still while a program works. It goes on only where the one program that drives it (ANICCA_CLOCK_DRIVER=1) would
// wait: then it leaps to the next timer, and no further than `limit`, where the driver waits for the test. So a day takes
// as long as the work of a day, and the same test gives the same times on any machine. In the other programs boot time goes on
// with the real clock from its value at their start, because network timeouts are real.
//
// Answered: clock_gettime, gettimeofday, time, adjtimex and its kin, timerfd_settime, epoll_wait and its kin, and the reading of
// /proc/sys/kernel/random/boot_id. Not answered: nanosleep and poll, which wait in real time, and the times of files.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// Written by the test, except `boot`, `parked` and `wakeups`, which the driver writes. Nanoseconds.
struct clocks {
    uint64_t magic;
    volatile int64_t boot;          // time since boot
    volatile int64_t wall_at_boot;  // what the wall clock shows minus boot time: the test sets the clock with it
    volatile int64_t limit;         // boot time that the driver must not pass
    volatile int64_t suspended;     // part of `boot` that CLOCK_MONOTONIC does not count
    volatile uint32_t synchronised; // whether the kernel says that the clock is
    volatile uint32_t parked;       // the driver waits at `limit`
    volatile uint64_t wakeups;      // times that a timer has woken the driver
    char boot_id[64];
};

#define MAGIC 0x616e69636361636cULL
#define MOST_FDS 4096
#define SECOND 1000000000LL

static struct clocks *page;
static int drives;
static int64_t boot_at_start, real_at_start;
// By descriptor: the boot time at which the timer fires; 0 where none is set. And the clock of the timer.
static int64_t expiry[MOST_FDS];
static int timer_clock[MOST_FDS];

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_timerfd_create)(int, int);
static int (*real_timerfd_settime)(int, int, const struct itimerspec *, struct itimerspec *);
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);
static int (*real_close)(int);
static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_write)(int, const void *, size_t);
static FILE *(*real_fopen)(const char *, const char *);

static void die(const char *why) {
    fprintf(stderr, "clockshim: %s\n", why);
    abort();
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) die(name);
    return found;
}

static int64_t real_now(void) {
    struct timespec time;
    real_clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
    if (page) return;
    real_clock_gettime = next("clock_gettime");
    real_timerfd_create = next("timerfd_create");
    real_timerfd_settime = next("timerfd_settime");
    real_epoll_wait = next("epoll_wait");
    real_close = next("close");
    real_open = next("open");
    real_open64 = next("open64");
    real_openat = next("openat");
    real_write = next("write");
    real_fopen = next("fopen");
    const char *path = getenv("ANICCA_CLOCKS");
    if (!path) die("ANICCA_CLOCKS is not set");
    int file = real_open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) die("the file of ANICCA_CLOCKS cannot be opened");
    void *memory = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    real_close(file);
    if (memory == MAP_FAILED || ((struct clocks *)memory)->magic != MAGIC) die("the file of ANICCA_CLOCKS is no page of clocks");
    page = memory;
    const char *driver = getenv("ANICCA_CLOCK_DRIVER");
    drives = driver && strcmp(driver, "1") == 0;
    boot_at_start = page->boot;
    real_at_start = real_now();
}

static int64_t boot_now(void) {
    if (!page) begin();
    return drives ? page->boot : boot_at_start + (real_now() - real_at_start);
}

static int64_t wall_now(void) { return boot_now() + page->wall_at_boot; }

static struct timespec spec(int64_t time) {
    int64_t seconds = time / SECOND - (time % SECOND < 0);
    return (struct timespec){.tv_sec = seconds, .tv_nsec = time - seconds * SECOND};
}

// MARK: Reading a clock

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!page) begin();
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_TAI: *time = spec(wall_now()); return 0;
    case CLOCK_BOOTTIME: *time = spec(boot_now()); return 0;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE:
        *time = spec(boot_now() - page->suspended);
        return 0;
    default: return real_clock_gettime(clock, time);
    }
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

// Reading only: no program of ours sets a clock.
int adjtimex(struct timex *state) {
    if (!page) begin();
    if (state->modes) {
        errno = EPERM;
        return -1;
    }
    memset(state, 0, sizeof *state);
    struct timespec now = spec(wall_now());
    state->time.tv_sec = now.tv_sec;
    state->time.tv_usec = now.tv_nsec / 1000;
    state->status = page->synchronised ? STA_PLL : STA_UNSYNC;
    state->maxerror = page->synchronised ? 1000 : 16000000;
    state->esterror = state->maxerror;
    return page->synchronised ? TIME_OK : TIME_ERROR;
}

int ntp_adjtime(struct timex *state) { return adjtimex(state); }
int clock_adjtime(clockid_t clock, struct timex *state) {
    (void)clock;
    return adjtimex(state);
}

// MARK: Waiting for one

int timerfd_create(int clock, int flags) {
    if (!page) begin();
    int file = real_timerfd_create(clock, flags);
    if (file >= MOST_FDS) die("too many descriptors");
    if (file >= 0) {
        timer_clock[file] = clock;
        expiry[file] = 0;
    }
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
    if (!page) begin();
    if (!drives || file < 0 || file >= MOST_FDS) return real_timerfd_settime(file, flags, new, old);
    int64_t time = new->it_value.tv_sec * SECOND + new->it_value.tv_nsec;
    expiry[file] = 0;
    if (time > 0) {
        if (!(flags & TFD_TIMER_ABSTIME)) time += page->boot;
        else if (timer_clock[file] == CLOCK_REALTIME) time -= page->wall_at_boot;
        else if (timer_clock[file] == CLOCK_MONOTONIC) time += page->suspended;
        expiry[file] = time > 0 ? time : 1;
    }
    struct itimerspec none = {0};
    return real_timerfd_settime(file, 0, &none, old);
}

int close(int file) {
    if (!real_close) begin();
    if (file >= 0 && file < MOST_FDS) expiry[file] = 0;
    return real_close(file);
}

// Leaps to the next timer, if there is one up to the limit, and has it fire. Returns whether it did. A timer may have fired that
// nobody waits for.
static int leap(void) {
    int first = -1;
    for (int file = 0; file < MOST_FDS; file++) {
        if (expiry[file] && (first < 0 || expiry[file] < expiry[first])) first = file;
    }
    if (first < 0 || expiry[first] > page->limit) {
        if (page->boot < page->limit) page->boot = page->limit;
        return 0;
    }
    if (page->boot < expiry[first]) page->boot = expiry[first];
    expiry[first] = 0;
    struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};
    real_timerfd_settime(first, 0, &at_once, NULL);
    struct pollfd fired = {.fd = first, .events = POLLIN};
    poll(&fired, 1, 1000);
    return 1;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout) {
    if (!page) begin();
    if (!drives) return real_epoll_wait(epoll, events, most, timeout);
    for (;;) {
        int ready = real_epoll_wait(epoll, events, most, 0);
        if (ready != 0 || timeout == 0) return ready;
        if (leap()) {
            ready = real_epoll_wait(epoll, events, most, 0);
            if (ready == 0) continue;
            page->wakeups++;
            return ready;
        }
        page->parked = 1;
        ready = real_epoll_wait(epoll, events, most, 2);
        if (ready != 0 || page->boot < page->limit) page->parked = 0;
        if (ready != 0) return ready;
    }
}

int epoll_pwait(int epoll, struct epoll_event *events, int most, int timeout, const sigset_t *signals) {
    (void)signals;
    return epoll_wait(epoll, events, most, timeout);
}

int epoll_pwait2(
    int epoll, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *signals) {
    (void)signals;
    int none = timeout && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
    return epoll_wait(epoll, events, most, none ? 0 : -1);
}

// MARK: The identity of the boot

static int boot_id_file(void) {
    int file = memfd_create("boot_id", MFD_CLOEXEC);
    if (file >= 0 && (real_write(file, page->boot_id, strlen(page->boot_id)) < 0 || lseek(file, 0, SEEK_SET) < 0)) die("boot_id");
    return file;
}

static int is_boot_id(const char *path) {
    if (!page) begin();
    return path && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0;
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return is_boot_id(path) ? boot_id_file() : real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return is_boot_id(path) ? boot_id_file() : real_open64(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MODE_OF(flags)
    return is_boot_id(path) ? boot_id_file() : real_openat(directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    return is_boot_id(path) ? fdopen(boot_id_file(), mode) : real_fopen(path, mode);
}
