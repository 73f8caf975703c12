// What the simulated hardware needs of the kernel's interfaces, and what Swift cannot express of C: the macros of
// control messages, and loads and stores that another processor watches.
#ifndef ANICCA_CRIG_H
#define ANICCA_CRIG_H

#include <linux/fuse.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/virtio_ring.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/// Receives bytes and, into `descriptors`, the file descriptors that came with them. Returns how many bytes came,
/// zero at the end of the connection, -1 with errno set. `count` is the room for descriptors before and their
/// number afterwards, at most 16; what does not fit is closed by the kernel.
static inline ssize_t crig_receive(int socket, void *bytes, size_t size, int *descriptors, int *count)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } control;
    struct iovec data = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control};
    int room = *count < 16 ? *count : 16;

    // Not CMSG_SPACE(): the kernel would put one more descriptor into its padding.
    message.msg_controllen = CMSG_LEN((size_t)room * sizeof(int));
    *count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0)
        return received;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        *count = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(part), (size_t)*count * sizeof(int));
    }
    return received;
}

/// Sends bytes together with file descriptors, at most 16.
static inline ssize_t crig_send(int socket, const void *bytes, size_t size, const int *descriptors, int count)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } control;
    struct iovec data = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

    if (count > 0 && count <= 16) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), descriptors, (size_t)count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Reads an index that a guest counts up, before anything that the guest wrote until then is read.
static inline uint16_t crig_load_acquire(const void *index)
{
    return __atomic_load_n((const uint16_t *)index, __ATOMIC_ACQUIRE);
}

/// Writes an index that a guest reads, after everything that was written until now.
static inline void crig_store_release(void *index, uint16_t value)
{
    __atomic_store_n((uint16_t *)index, value, __ATOMIC_RELEASE);
}

/// What was written before is visible before anything is read after.
static inline void crig_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
