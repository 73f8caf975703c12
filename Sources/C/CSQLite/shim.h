#ifndef ANICCA_CSQLITE_SHIM_H
#define ANICCA_CSQLITE_SHIM_H

#include <sqlite3.h>

/* A macro with a cast, which Swift does not import: SQLite takes its own copy of what is bound. */
static inline sqlite3_destructor_type sqlite3_transient(void) { return SQLITE_TRANSIENT; }

#endif
