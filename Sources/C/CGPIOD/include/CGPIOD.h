// One interface to the two libraries named libgpiod: 1.x (Debian 12) and 2.x (Debian 13), which share only the name.
// Functions that can fail return a negative errno.
#ifndef ANICCA_CGPIOD_H
#define ANICCA_CGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cgpiod_edge {
    CGPIOD_EDGE_RISING,
    CGPIOD_EDGE_FALLING,
};

enum cgpiod_bias {
    CGPIOD_BIAS_AS_IS,
    CGPIOD_BIAS_DISABLED,
    CGPIOD_BIAS_PULL_UP,
    CGPIOD_BIAS_PULL_DOWN,
};

/// A request for a line.
struct cgpiod_request {
    /// The path of the chip, such as /dev/gpiochip0.
    const char *chip;
    /// The line's offset on the chip.
    unsigned int offset;
    enum cgpiod_edge edge;
    enum cgpiod_bias bias;
    /// The time in µs that the level must hold before the kernel reports an edge; 0 for no filter. libgpiod 1.x has no
    /// filter and refuses other values with -EOPNOTSUPP.
    unsigned long debounce_us;
};

/// One edge, from the kernel.
struct cgpiod_event {
    /// CLOCK_MONOTONIC (since Linux 5.7, with both generations of libgpiod).
    uint64_t timestamp_ns;
    /// Counts the line's edges from 1 and wraps at 2^32; 0 where cgpiod_numbers_edges() is false.
    uint32_t sequence;
};

/// A line held as an input with edge detection.
struct cgpiod_line;

/// A request for a line as an output.
struct cgpiod_output {
    const char *chip;
    unsigned int offset;
    /// Whether the device on the line is on while the line is low. cgpiod_set() takes values of the device: 1 is on.
    bool active_low;
};

/// The number of edges that the kernel queues for a line before it drops any: 1024 with 2.x, 16 with 1.x.
int cgpiod_kernel_buffer(void);

/// Whether edges carry sequence numbers, so that dropped ones can be counted: 2.x only.
bool cgpiod_numbers_edges(void);

/// Requests the line under the name from cgpiod_consumer(). On success *line is set and 0 is returned; the caller
/// releases it with cgpiod_close().
int cgpiod_open(const struct cgpiod_request *request, struct cgpiod_line **line);

/// Requests the line as an output that is off from the start. Otherwise as cgpiod_open(); cgpiod_descriptor() and
/// cgpiod_read() do not apply to it.
int cgpiod_open_output(const struct cgpiod_output *request, struct cgpiod_line **line);

/// Switches the device on an output on (1) or off (0).
int cgpiod_set(struct cgpiod_line *line, int value);

/// A descriptor that polls readable while an edge waits; it belongs to the line.
int cgpiod_descriptor(const struct cgpiod_line *line);

/// Takes the oldest waiting edges, at most `capacity`, without blocking. Returns their count; 0 when none wait.
int cgpiod_read(struct cgpiod_line *line, struct cgpiod_event *events, int capacity);

/// The name under which cgpiod_open() requests lines.
const char *cgpiod_consumer(void);

/// Whether a process holds the line: 1 or 0. The holder's consumer name goes into `name`, cut to fit; it is empty if
/// there is none.
int cgpiod_holder(const char *chip, unsigned int offset, char *name, size_t capacity);

/// Releases the line and everything that belongs to it.
void cgpiod_close(struct cgpiod_line *line);

#endif
