/* libsystemd as Swift sees it: the event loop, readiness and watchdog, the journal. */
#ifndef ANICCA_CSYSTEMD_H
#define ANICCA_CSYSTEMD_H

/* The calls themselves, not the macros that would add a C file and line to every journal entry. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>

#endif
