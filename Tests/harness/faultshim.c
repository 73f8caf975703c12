// Makes one call of the C library fail in a program: preloaded (LD_PRELOAD, ld.so(8)), it counts the calls that may fail, and has the
// N-th fail in the way that the test chose. In LD_PRELOAD it stands before clockshim.so, whose own calls are
// then not counted.
//
//   FAULT_COUNTS=FILE       at the end of the process, a line for each call in FILE: its class, name and path
//   FAULT=N                 the N-th call of the process fails, counted over all classes
//   FAULT=CLASS:N           the N-th call of a class
//   FAULT=CLASS:N-M         all calls of a class from the N-th to the M-th; 0 for M: to the end
//   FAULT_ERROR=NUMBER      with this errno; of reading, writing and receiving 0 makes it half as long as asked (a short read or write)
//   FAULT_RELEASE=FILE      as long as FILE exists only
//   FAULT_ON=WORD           of calls of this path or name only
//   FAULT_IN=NAME           only in the program of this name (program_invocation_short_name)
//   FAULT_TOLD=FILE         is made when the fault happened, with the class, the name of the call, its path, and who called
//   FAULT_STOP_AT_END=1     the process stops (SIGSTOP) when it ends, so that its memory can be looked at
//   FAULT_NAMES=HOST        this host name is 127.0.0.1
//   FAULT_SILENT_NAMES=S    nobody answers a question for a name: it fails after S seconds
//   FAULT_PATH=FROM=TO      who opens FROM opens TO
//
// Only calls from the first line of the program on are counted: not those of the dynamic linker, nor what is written to standard error,
// where the program tells what failed.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum class { OPEN, READ, WRITE, SYNC, SIZE, MAP, NAME, STAT, LOCK, SOCKET, CONNECT, SEND, RECEIVE, WAIT, RESOLVE, MEMORY, CONTROL,
             WATCH, CLASSES };
static const char *const class_names[CLASSES] = {
    "open", "read", "write", "sync", "size", "map", "name", "stat", "lock", "socket", "connect", "send", "receive", "wait", "resolve",
    "memory", "control", "watch"};

// What became of a call: it goes on, it fails, or it does half.
enum fate { GOES_ON, FAILS, HALF };

static atomic_int total, of_class[CLASSES];
static int fault_class = -1, first_fault, last_fault, fault_error, is_ready;
static const char *release_path, *told_path, *only_on, *from_path, *to_path;
static int counts_file = -1;
static _Thread_local int is_inside;

static long raw_write(int file, const void *data, size_t length) { return syscall(SYS_write, file, data, length); }

static int raw_create(const char *path, int flags) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static void parse_fault(const char *text) {
    const char *colon = strchr(text, ':');
    if (colon) {
        for (int which = 0; which < CLASSES; which++) {
            if (strncmp(text, class_names[which], (size_t)(colon - text)) == 0 && !class_names[which][colon - text]) fault_class = which;
        }
        if (fault_class < 0) abort();
        text = colon + 1;
    }
    char *rest;
    first_fault = (int)strtol(text, &rest, 10);
    last_fault = *rest == '-' ? atoi(rest + 1) : first_fault;
    if (last_fault == 0) last_fault = INT32_MAX;
}

__attribute__((constructor)) static void begin(void) {
    const char *in = getenv("FAULT_IN");
    if (!in || strcmp(in, program_invocation_short_name) == 0) {
        const char *fault = getenv("FAULT"), *error = getenv("FAULT_ERROR"), *counts = getenv("FAULT_COUNTS");
        if (fault) parse_fault(fault);
        fault_error = error ? atoi(error) : EIO;
        release_path = getenv("FAULT_RELEASE");
        only_on = getenv("FAULT_ON");
        told_path = getenv("FAULT_TOLD");
        if (counts) {
            // Far from the numbers that the program uses.
            int file = raw_create(counts, O_APPEND);
            counts_file = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
            syscall(SYS_close, file);
        }
        is_ready = fault || counts;
    }
    const char *path = getenv("FAULT_PATH");
    const char *equals = path ? strchr(path, '=') : NULL;
    if (equals) {
        from_path = strndup(path, (size_t)(equals - path));
        to_path = equals + 1;
    }
}

__attribute__((destructor)) static void end(void) {
    if (getenv("FAULT_STOP_AT_END")) raise(SIGSTOP);
}

static void line(int file, const char *kind, const char *call, const char *path, const char *caller) {
    char text[400];
    int length = snprintf(text, sizeof text, "%s %s %s %s\n", kind, call, path ? path : "-", caller);
    if (file >= 0 && length > 0) raw_write(file, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

static enum fate count_for(const void *caller, enum class class, const char *call, const char *path, int has_halves) {
    if (!is_ready || is_inside) return GOES_ON;
    is_inside = 1;
    int all = atomic_fetch_add(&total, 1) + 1, same = atomic_fetch_add(&of_class[class], 1) + 1;
    if (counts_file >= 0) line(counts_file, class_names[class], call, path, "-");
    int number = fault_class < 0 ? all : same;
    int is_hit = first_fault && (fault_class < 0 || fault_class == (int)class) && number >= first_fault && number <= last_fault;
    if (is_hit && only_on && strcmp(call, only_on) != 0 && (!path || strcmp(path, only_on) != 0)) is_hit = 0;
    if (is_hit && release_path && syscall(SYS_faccessat, AT_FDCWD, release_path, F_OK, 0) != 0) is_hit = 0;
    if (is_hit && told_path) {
        int file = raw_create(told_path, O_TRUNC);
        Dl_info object;
        line(file, class_names[class], call, path, dladdr(caller, &object) && object.dli_fname ? object.dli_fname : "-");
        syscall(SYS_close, file);
    }
    is_inside = 0;
    if (!is_hit) return GOES_ON;
    if (fault_error == 0) return has_halves ? HALF : GOES_ON;
    errno = fault_error;
    return FAILS;
}

#define count(...) count_for(__builtin_return_address(0), __VA_ARGS__)

#define NEXT(name) \
    static __typeof__(name) *next_##name; \
    if (!next_##name) next_##name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// A call with a fixed list of arguments that fails with `failure`.
#define CALL(class, result, name, parameters, arguments, path, failure) \
    result name parameters { \
        NEXT(name); \
        return count(class, #name, path, 0) == FAILS ? (failure) : next_##name arguments; \
    }

// A call that moves `length` bytes, and may move less.
#define MOVE(class, result, name, parameters, arguments, length) \
    result name parameters { \
        NEXT(name); \
        if (class == WRITE && file == STDERR_FILENO) return next_##name arguments; \
        switch (count(class, #name, NULL, 1)) { \
        case FAILS: return -1; \
        case HALF: length = length > 1 ? length / 2 : length; break; \
        case GOES_ON: break; \
        } \
        return next_##name arguments; \
    }

static const char *instead(const char *path) { return from_path && path && strcmp(path, from_path) == 0 ? to_path : path; }

// MARK: Opening

#define OPENS(name, parameters, arguments) \
    int name parameters { \
        NEXT(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | __O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        path = instead(path); \
        return count(OPEN, #name, path, 0) == FAILS ? -1 : next_##name arguments; \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
OPENS(openat64, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen);
    path = instead(path);
    return count(OPEN, "fopen", path, 0) == FAILS ? NULL : next_fopen(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    NEXT(fopen64);
    path = instead(path);
    return count(OPEN, "fopen64", path, 0) == FAILS ? NULL : next_fopen64(path, mode);
}

// MARK: Reading, writing and making sure

MOVE(READ, ssize_t, read, (int file, void *data, size_t size), (file, data, size), size)
MOVE(READ, ssize_t, pread, (int file, void *data, size_t size, off_t at), (file, data, size, at), size)
MOVE(READ, ssize_t, pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at), size)
MOVE(READ, ssize_t, readv, (int file, const struct iovec *parts, int number), (file, parts, number), number)
MOVE(WRITE, ssize_t, write, (int file, const void *data, size_t size), (file, data, size), size)
MOVE(WRITE, ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at), size)
MOVE(WRITE, ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), size)
MOVE(WRITE, ssize_t, writev, (int file, const struct iovec *parts, int number), (file, parts, number), number)
CALL(SYNC, int, fsync, (int file), (file), NULL, -1)
CALL(SYNC, int, fdatasync, (int file), (file), NULL, -1)
CALL(SYNC, int, msync, (void *memory, size_t size, int flags), (memory, size, flags), NULL, -1)
CALL(SIZE, int, ftruncate, (int file, off_t size), (file, size), NULL, -1)
CALL(SIZE, int, ftruncate64, (int file, off64_t size), (file, size), NULL, -1)
CALL(SIZE, int, fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size), NULL, -1)
CALL(SIZE, int, posix_fallocate, (int file, off_t at, off_t size), (file, at, size), NULL, fault_error)
CALL(SIZE, int, posix_fallocate64, (int file, off64_t at, off64_t size), (file, at, size), NULL, fault_error)
CALL(MAP, void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
     (at, size, protection, flags, file, offset), NULL, MAP_FAILED)
CALL(MAP, void *, mmap64, (void *at, size_t size, int protection, int flags, int file, off64_t offset),
     (at, size, protection, flags, file, offset), NULL, MAP_FAILED)

// MARK: Names and what is behind them

CALL(NAME, int, rename, (const char *from, const char *to), (from, to), from, -1)
CALL(NAME, int, unlink, (const char *path), (path), path, -1)
CALL(NAME, int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags), path, -1)
CALL(NAME, int, link, (const char *from, const char *to), (from, to), from, -1)
CALL(NAME, int, mkdir, (const char *path, mode_t mode), (path, mode), path, -1)
CALL(NAME, int, fchmod, (int file, mode_t mode), (file, mode), NULL, -1)
CALL(NAME, int, fchown, (int file, uid_t user, gid_t group), (file, user, group), NULL, -1)
CALL(NAME, int, futimens, (int file, const struct timespec times[2]), (file, times), NULL, -1)
CALL(STAT, int, stat, (const char *restrict path, struct stat *restrict into), (path, into), path, -1)
CALL(STAT, int, stat64, (const char *restrict path, struct stat64 *restrict into), (path, into), path, -1)
CALL(STAT, int, lstat, (const char *restrict path, struct stat *restrict into), (path, into), path, -1)
CALL(STAT, int, lstat64, (const char *restrict path, struct stat64 *restrict into), (path, into), path, -1)
CALL(STAT, int, fstat, (int file, struct stat *into), (file, into), NULL, -1)
CALL(STAT, int, fstat64, (int file, struct stat64 *into), (file, into), NULL, -1)
CALL(STAT, int, fstatat, (int directory, const char *restrict path, struct stat *restrict into, int flags),
     (directory, path, into, flags), path, -1)
CALL(STAT, int, access, (const char *path, int mode), (path, mode), path, -1)
CALL(STAT, int, faccessat, (int directory, const char *path, int mode, int flags), (directory, path, mode, flags), path, -1)
CALL(LOCK, int, flock, (int file, int how), (file, how), NULL, -1)

// To give a lock back does not fail.
static int gives_back(int request, const struct flock *lock) {
    return (request == F_SETLK || request == F_SETLKW || request == F_OFD_SETLK) && lock && lock->l_type == F_UNLCK;
}

static int never(unsigned long request, const void *argument) {
    (void)request, (void)argument;
    return 0;
}

#define CONTROLS(name, class, type, request, is_exempt) \
    int name(int file, type request, ...) { \
        NEXT(name); \
        va_list rest; \
        va_start(rest, request); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        if (is_exempt(request, argument)) return next_##name(file, request, argument); \
        return count(class, #name, NULL, 0) == FAILS ? -1 : next_##name(file, request, argument); \
    }

CONTROLS(fcntl, LOCK, int, request, gives_back)
CONTROLS(fcntl64, LOCK, int, request, gives_back)
CONTROLS(ioctl, CONTROL, unsigned long, request, never)

// MARK: The network

CALL(SOCKET, int, socket, (int domain, int type, int protocol), (domain, type, protocol), NULL, -1)
CALL(SOCKET, int, socketpair, (int domain, int type, int protocol, int pair[2]), (domain, type, protocol, pair), NULL, -1)
CALL(SOCKET, int, setsockopt, (int file, int level, int name, const void *value, socklen_t size), (file, level, name, value, size), NULL, -1)
CALL(SOCKET, int, getsockopt, (int file, int level, int name, void *restrict value, socklen_t *restrict size),
     (file, level, name, value, size), NULL, -1)
CALL(CONNECT, int, connect, (int file, const struct sockaddr *address, socklen_t size), (file, address, size), NULL, -1)
MOVE(SEND, ssize_t, send, (int file, const void *data, size_t size, int flags), (file, data, size, flags), size)
CALL(SEND, ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags), NULL, -1)
MOVE(RECEIVE, ssize_t, recv, (int file, void *data, size_t size, int flags), (file, data, size, flags), size)
CALL(RECEIVE, ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags), NULL, -1)
CALL(WAIT, int, poll, (struct pollfd *files, nfds_t number, int timeout), (files, number, timeout), NULL, -1)
CALL(WAIT, int, epoll_wait, (int epoll, struct epoll_event *events, int most, int timeout), (epoll, events, most, timeout), NULL, -1)
CALL(WATCH, int, epoll_create1, (int flags), (flags), NULL, -1)
// Only adding takes anything that the kernel may be short of (epoll_ctl(2)).
int epoll_ctl(int epoll, int what, int file, struct epoll_event *event) {
    NEXT(epoll_ctl);
    if (what == EPOLL_CTL_ADD && count(WATCH, "epoll_ctl", NULL, 0) == FAILS) return -1;
    return next_epoll_ctl(epoll, what, file, event);
}
CALL(WATCH, int, inotify_init1, (int flags), (flags), NULL, -1)
CALL(WATCH, int, inotify_add_watch, (int file, const char *path, uint32_t mask), (file, path, mask), path, -1)
CALL(WATCH, int, timerfd_create, (int clock, int flags), (clock, flags), NULL, -1)
CALL(WATCH, int, timerfd_settime, (int file, int flags, const struct itimerspec *new, struct itimerspec *old), (file, flags, new, old),
     NULL, -1)

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result) {
    NEXT(getaddrinfo);
    if (count(RESOLVE, "getaddrinfo", name, 0) == FAILS) return EAI_AGAIN;
    const char *silent = getenv("FAULT_SILENT_NAMES"), *known = getenv("FAULT_NAMES");
    struct in_addr address;
    if (silent && name && inet_pton(AF_INET, name, &address) != 1) {
        usleep((useconds_t)(atof(silent) * 1e6));
        return EAI_AGAIN;
    }
    return next_getaddrinfo(known && name && strcmp(name, known) == 0 ? "127.0.0.1" : name, service, hints, result);
}

// MARK: Memory

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size) { return count(MEMORY, "malloc", NULL, 0) == FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count(MEMORY, "calloc", NULL, 0) == FAILS ? NULL : __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { return count(MEMORY, "realloc", NULL, 0) == FAILS ? NULL : __libc_realloc(memory, size); }
