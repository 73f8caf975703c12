#include "CGPIOD.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>

static const char consumer[] = "anicca";

const char *cgpiod_consumer(void) { return consumer; }

static void copy_name(const char *from, char *name, size_t capacity)
{
    snprintf(name, capacity, "%s", from ? from : "");
}

// Makes reads of the descriptor return -EAGAIN instead of waiting for the next edge.
static int stop_blocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);

    return flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

#if defined(GPIOD_LINE_BULK_MAX_LINES) // libgpiod 1.x

enum { kernel_buffer = 16 }; // fixed in the kernel's first GPIO interface, drivers/gpio/gpiolib-cdev.c

struct cgpiod_line {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
};

int cgpiod_kernel_buffer(void) { return kernel_buffer; }

bool cgpiod_numbers_edges(void) { return false; }

static int bias_flags(enum cgpiod_bias bias)
{
    switch (bias) {
    case CGPIOD_BIAS_DISABLED: return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case CGPIOD_BIAS_PULL_UP: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    case CGPIOD_BIAS_AS_IS: break;
    }
    return 0;
}

static int request_line(
    struct cgpiod_line *line, const struct gpiod_line_request_config *config, const char *path, unsigned int offset)
{
    line->chip = gpiod_chip_open(path);
    if (!line->chip)
        return -errno;
    line->line = gpiod_chip_get_line(line->chip, offset);
    return line->line && gpiod_line_request(line->line, config, 0) == 0 ? 0 : -errno;
}

static int take_line(struct cgpiod_line *line, const struct cgpiod_request *request)
{
    struct gpiod_line_request_config config = {
        .consumer = consumer,
        .request_type = request->edge == CGPIOD_EDGE_RISING ? GPIOD_LINE_REQUEST_EVENT_RISING_EDGE
                                                            : GPIOD_LINE_REQUEST_EVENT_FALLING_EDGE,
        .flags = bias_flags(request->bias),
    };

    if (request->debounce_us > 0)
        return -EOPNOTSUPP;
    return request_line(line, &config, request->chip, request->offset);
}

static int take_output(struct cgpiod_line *line, const struct cgpiod_output *request)
{
    struct gpiod_line_request_config config = {
        .consumer = consumer,
        .request_type = GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
        .flags = request->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
    };

    return request_line(line, &config, request->chip, request->offset);
}

int cgpiod_set(struct cgpiod_line *line, int value)
{
    return gpiod_line_set_value(line->line, value != 0) < 0 ? -errno : 0;
}

int cgpiod_holder(const char *path, unsigned int offset, char *name, size_t capacity)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    struct gpiod_line *line;
    int result;

    if (!chip)
        return -errno;
    line = gpiod_chip_get_line(chip, offset);
    result = line ? gpiod_line_is_used(line) : -errno;
    copy_name(line ? gpiod_line_consumer(line) : NULL, name, capacity);
    gpiod_chip_close(chip);
    return result;
}

int cgpiod_descriptor(const struct cgpiod_line *line) { return gpiod_line_event_get_fd(line->line); }

int cgpiod_read(struct cgpiod_line *line, struct cgpiod_event *events, int capacity)
{
    struct gpiod_line_event waiting[kernel_buffer];
    int wanted = capacity < kernel_buffer ? capacity : kernel_buffer;
    int count = gpiod_line_event_read_fd_multiple(cgpiod_descriptor(line), waiting, (unsigned int)wanted);

    if (count < 0)
        return errno == EAGAIN ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        events[i].timestamp_ns = (uint64_t)waiting[i].ts.tv_sec * 1000000000 + (uint64_t)waiting[i].ts.tv_nsec;
        events[i].sequence = 0;
    }
    return count;
}

void cgpiod_close(struct cgpiod_line *line)
{
    if (line->chip)
        gpiod_chip_close(line->chip); // releases its lines as well
    free(line);
}

#else // libgpiod 2.x

enum { kernel_buffer = 1024, read_buffer = 64 };

struct cgpiod_line {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *buffer;
    unsigned int offset; // of an output
};

int cgpiod_kernel_buffer(void) { return kernel_buffer; }

bool cgpiod_numbers_edges(void) { return true; }

static enum gpiod_line_bias bias_setting(enum cgpiod_bias bias)
{
    switch (bias) {
    case CGPIOD_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
    case CGPIOD_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    case CGPIOD_BIAS_AS_IS: break;
    }
    return GPIOD_LINE_BIAS_AS_IS;
}

static int configure(struct gpiod_line_config *config, const struct cgpiod_request *request)
{
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    int result;

    if (!settings)
        return -ENOMEM;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(
        settings, request->edge == CGPIOD_EDGE_RISING ? GPIOD_LINE_EDGE_RISING : GPIOD_LINE_EDGE_FALLING);
    gpiod_line_settings_set_bias(settings, bias_setting(request->bias));
    gpiod_line_settings_set_debounce_period_us(settings, request->debounce_us);
    gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    result = gpiod_line_config_add_line_settings(config, &request->offset, 1, settings) < 0 ? -errno : 0;
    gpiod_line_settings_free(settings);
    return result;
}

static int request_line(
    struct cgpiod_line *line, struct gpiod_request_config *how, struct gpiod_line_config *which, const char *path)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    int result;

    if (!chip)
        return -errno;
    gpiod_request_config_set_consumer(how, consumer);
    gpiod_request_config_set_event_buffer_size(how, kernel_buffer);
    line->request = gpiod_chip_request_lines(chip, how, which);
    result = line->request ? 0 : -errno;
    gpiod_chip_close(chip); // the request lives on without it
    return result;
}

static int take_line(struct cgpiod_line *line, const struct cgpiod_request *request)
{
    struct gpiod_request_config *how = gpiod_request_config_new();
    struct gpiod_line_config *which = gpiod_line_config_new();
    int result = -ENOMEM;

    line->buffer = gpiod_edge_event_buffer_new(read_buffer);
    if (how && which && line->buffer)
        result = configure(which, request);
    if (result == 0)
        result = request_line(line, how, which, request->chip);
    gpiod_line_config_free(which);
    gpiod_request_config_free(how);
    return result;
}

static int configure_output(struct gpiod_line_config *config, const struct cgpiod_output *request)
{
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    int result;

    if (!settings)
        return -ENOMEM;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    gpiod_line_settings_set_active_low(settings, request->active_low);
    gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
    result = gpiod_line_config_add_line_settings(config, &request->offset, 1, settings) < 0 ? -errno : 0;
    gpiod_line_settings_free(settings);
    return result;
}

static int take_output(struct cgpiod_line *line, const struct cgpiod_output *request)
{
    struct gpiod_request_config *how = gpiod_request_config_new();
    struct gpiod_line_config *which = gpiod_line_config_new();
    int result = -ENOMEM;

    line->offset = request->offset;
    if (how && which)
        result = configure_output(which, request);
    if (result == 0)
        result = request_line(line, how, which, request->chip);
    gpiod_line_config_free(which);
    gpiod_request_config_free(how);
    return result;
}

int cgpiod_set(struct cgpiod_line *line, int value)
{
    enum gpiod_line_value wanted = value ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;

    return gpiod_line_request_set_value(line->request, line->offset, wanted) < 0 ? -errno : 0;
}

int cgpiod_holder(const char *path, unsigned int offset, char *name, size_t capacity)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    struct gpiod_line_info *info;
    int result;

    if (!chip)
        return -errno;
    info = gpiod_chip_get_line_info(chip, offset);
    result = info ? gpiod_line_info_is_used(info) : -errno;
    copy_name(info ? gpiod_line_info_get_consumer(info) : NULL, name, capacity);
    gpiod_line_info_free(info);
    gpiod_chip_close(chip);
    return result;
}

int cgpiod_descriptor(const struct cgpiod_line *line) { return gpiod_line_request_get_fd(line->request); }

int cgpiod_read(struct cgpiod_line *line, struct cgpiod_event *events, int capacity)
{
    int wanted = capacity < read_buffer ? capacity : read_buffer;
    int count = gpiod_line_request_read_edge_events(line->request, line->buffer, (size_t)wanted);

    if (count < 0)
        return errno == EAGAIN ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(line->buffer, (unsigned long)i);

        events[i].timestamp_ns = gpiod_edge_event_get_timestamp_ns(event);
        events[i].sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event);
    }
    return count;
}

void cgpiod_close(struct cgpiod_line *line)
{
    if (line->request)
        gpiod_line_request_release(line->request);
    if (line->buffer)
        gpiod_edge_event_buffer_free(line->buffer);
    free(line);
}

#endif

// Hands over what was taken, or releases what there is of it.
static int hand_over(struct cgpiod_line *opened, int result, struct cgpiod_line **line)
{
    if (result == 0)
        *line = opened;
    else if (opened)
        cgpiod_close(opened);
    return result;
}

int cgpiod_open(const struct cgpiod_request *request, struct cgpiod_line **line)
{
    struct cgpiod_line *opened = calloc(1, sizeof *opened);
    int result = opened ? take_line(opened, request) : -ENOMEM;

    if (result == 0)
        result = stop_blocking(cgpiod_descriptor(opened));
    return hand_over(opened, result, line);
}

int cgpiod_open_output(const struct cgpiod_output *request, struct cgpiod_line **line)
{
    struct cgpiod_line *opened = calloc(1, sizeof *opened);

    return hand_over(opened, opened ? take_output(opened, request) : -ENOMEM, line);
}
