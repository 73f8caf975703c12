#ifndef ANICCA_CMICROHTTPD_SHIM_H
#define ANICCA_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/* Swift's names of these constants depend on the header's version. */
static const enum MHD_Result mhd_yes = MHD_YES;
static const enum MHD_Result mhd_no = MHD_NO;
static const enum MHD_ValueKind mhd_headers = MHD_HEADER_KIND;

/* The bytes are copied. */
static inline struct MHD_Response *mhd_response(const void *bytes, size_t count)
{
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/* Wraps a variadic function, which Swift cannot call. One thread serves the connections of a listening socket. A
 * request may be suspended while its response is made (MHD_suspend_connection). */
static inline struct MHD_Daemon *mhd_start(
    int listening, unsigned int connections, unsigned int idle_seconds, size_t memory_of_a_connection,
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, void *context)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
        MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_of_a_connection,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_END);
}

#endif
