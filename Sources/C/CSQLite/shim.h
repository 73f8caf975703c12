#ifndef ANICCA_CSQLITE_SHIM_H
#define ANICCA_CSQLITE_SHIM_H

#include <stddef.h>

/* Debian's library is built with this option. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

/* A macro with a cast, which Swift does not import: SQLite copies the bound value. */
static inline sqlite3_destructor_type sqlite3_transient(void) { return SQLITE_TRANSIENT; }

/* Wraps a variadic function, which Swift cannot call. To be called before any other function of SQLite: pages are then
 * allocated one by one on use, not twenty in advance per connection. */
static inline int sqlite3_config_no_page_reserve(void) { return sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0); }

/* Also variadic. The last connection to close then leaves the WAL in place. */
static inline int sqlite3_keep_log(sqlite3 *db) { return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); }

#endif
