#ifndef ANICCA_CSQLITE_SHIM_H
#define ANICCA_CSQLITE_SHIM_H

#include <stddef.h>

/* Debian's library is built with it. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

/* A macro with a cast, which Swift does not import: SQLite takes its own copy of what is bound. */
static inline sqlite3_destructor_type sqlite3_transient(void) { return SQLITE_TRANSIENT; }

/* A variadic function, which Swift cannot call. To be called before anything else of SQLite: pages are allocated one
 * by one as they are used, not twenty in advance for every connection. */
static inline int sqlite3_config_no_page_reserve(void) { return sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0); }

/* The same: the last connection to close leaves the log where it is. */
static inline int sqlite3_keep_log(sqlite3 *db) { return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); }

#endif
