#ifndef ANICCA_CPOSTGRESQL_SHIM_H
#define ANICCA_CPOSTGRESQL_SHIM_H

/* Debian's libpq headers are outside the compiler's default path. */
#include <postgresql/libpq-fe.h>

/* Field codes of an error: PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY (libpq, PQresultErrorField). */
static const int pq_sqlstate_field = 'C';
static const int pq_primary_message_field = 'M';

#endif
