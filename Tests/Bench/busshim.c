// Gives a program an I²C bus that another program simulates: preloaded (LD_PRELOAD, ld.so(8)), it answers I2C_FUNCS and I2C_RDWR on
// every descriptor of the file that ANICCA_BUS_NODE names, through the socket at ANICCA_BUS (`rig-hardware bus`). A request carries the
// program's own boot time, so that a clock that a test sets (Tests/harness/clockshim.c, preloaded after this) is the chip's as well.
//
// A request is one packet: `struct request`, then for each message `struct head` and the bytes of a write; the answer is an int32_t, 0
// or an errno, and then all bytes read. The layout is that of BusServer.swift. The eight bytes that ANICCA_BUS_COUNT names count the calls.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct __attribute__((packed)) request {
    int64_t boot;
    uint16_t address;
    uint16_t messages;
};
struct __attribute__((packed)) head {
    uint16_t is_read;
    uint16_t length;
};

#define MOST_FDS 4096
#define LONGEST 65536

static char on_bus[MOST_FDS];
static int bus = -1;
static uint64_t *count;
static int (*real_ioctl)(int, unsigned long, ...);
static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);

static void die(const char *why) {
    fprintf(stderr, "busshim: %s\n", why);
    abort();
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) die(name);
    return found;
}

__attribute__((constructor)) static void begin(void) {
    if (real_ioctl) return;
    real_open = next("open");
    real_close = next("close");
    real_ioctl = next("ioctl");
}

static void connect_to_bus(void) {
    if (bus >= 0) return;
    const char *path = getenv("ANICCA_BUS"), *counter = getenv("ANICCA_BUS_COUNT");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof address.sun_path) die("ANICCA_BUS is no path of a socket");
    strcpy(address.sun_path, path);
    bus = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bus < 0 || connect(bus, (struct sockaddr *)&address, sizeof address) < 0) die("the bus cannot be reached");
    int file = counter ? real_open(counter, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) count = memory;
    real_close(file);
}

static int transfer(const struct i2c_rdwr_ioctl_data *call) {
    static unsigned char packet[LONGEST];
    connect_to_bus();
    if (count) ++*count;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    struct request request = {
        .boot = now.tv_sec * 1000000000LL + now.tv_nsec, .address = call->msgs[0].addr, .messages = (uint16_t)call->nmsgs};
    size_t size = sizeof request;
    memcpy(packet, &request, size);
    for (unsigned i = 0; i < call->nmsgs; i++) {
        struct head head = {.is_read = call->msgs[i].flags & I2C_M_RD, .length = call->msgs[i].len};
        if (size + sizeof head + head.length > LONGEST) die("a transfer that is too long");
        memcpy(packet + size, &head, sizeof head);
        size += sizeof head;
        if (head.is_read) continue;
        memcpy(packet + size, call->msgs[i].buf, head.length);
        size += head.length;
    }
    if (send(bus, packet, size, MSG_NOSIGNAL) != (ssize_t)size) die("the bus takes no request");
    ssize_t got = recv(bus, packet, sizeof packet, 0);
    int32_t code;
    if (got < (ssize_t)sizeof code) die("the bus is gone");
    memcpy(&code, packet, sizeof code);
    if (code) {
        errno = code;
        return -1;
    }
    size_t place = sizeof code;
    for (unsigned i = 0; i < call->nmsgs; i++) {
        if (!(call->msgs[i].flags & I2C_M_RD)) continue;
        if (place + call->msgs[i].len > (size_t)got) die("an answer that is too short");
        memcpy(call->msgs[i].buf, packet + place, call->msgs[i].len);
        place += call->msgs[i].len;
    }
    return (int)call->nmsgs;
}

int ioctl(int file, unsigned long request, ...) {
    if (!real_ioctl) begin();
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (file < 0 || file >= MOST_FDS || !on_bus[file]) return real_ioctl(file, request, argument);
    switch (request) {
    case I2C_FUNCS: *(unsigned long *)argument = I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL; return 0;
    case I2C_RDWR: return transfer(argument);
    default: errno = ENOTTY; return -1;
    }
}

int open(const char *path, int flags, ...) {
    if (!real_open) begin();
    mode_t mode = 0;
    if (flags & (O_CREAT | __O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    int file = real_open(path, flags, mode);
    const char *node = getenv("ANICCA_BUS_NODE");
    if (file >= 0 && file < MOST_FDS) on_bus[file] = node && strcmp(path, node) == 0;
    return file;
}

int close(int file) {
    if (!real_close) begin();
    if (file >= 0 && file < MOST_FDS) on_bus[file] = 0;
    return real_close(file);
}
