#ifndef ANICCA_CPOSTGRESQL_SHIM_H
#define ANICCA_CPOSTGRESQL_SHIM_H

/* Debian keeps libpq's headers in a folder that no compiler searches by itself. */
#include <postgresql/libpq-fe.h>

/* A struct that libpq declares in a header of the server's: the fields of an error (libpq, PQresultErrorField). */
static const int pq_sqlstate_field = 'C';
static const int pq_primary_message_field = 'M';

#endif
