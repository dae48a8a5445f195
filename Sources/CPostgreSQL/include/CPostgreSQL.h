#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

// The functions of libpq as a table, which is filled when the first one is needed: a program that opens no PostgreSQL
// database does not load the library, and runs without it.

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

struct pg_conn;
struct pg_result;
struct pg_cancel;

/// Called with the notices of a connection.
typedef void (*CPQNoticeReceiver)(void *, const struct pg_result *);

// What CPostgreSQL.c checks against the declarations of libpq: result, name, parameters.
#define CPQ_FUNCTIONS(F) \
  F(struct pg_conn *, PQconnectStartParams, (const char *const *, const char *const *, int)) \
  F(int, PQsocket, (const struct pg_conn *)) \
  F(char *, PQerrorMessage, (const struct pg_conn *)) \
  F(void, PQfinish, (struct pg_conn *)) \
  F(char *, PQdb, (const struct pg_conn *)) \
  F(char *, PQhost, (const struct pg_conn *)) \
  F(char *, PQport, (const struct pg_conn *)) \
  F(int, PQserverVersion, (const struct pg_conn *)) \
  F(int, PQconnectionNeedsPassword, (const struct pg_conn *)) \
  F(int, PQsetnonblocking, (struct pg_conn *, int)) \
  F(int, PQsendQuery, (struct pg_conn *, const char *)) \
  F(int, PQsendQueryParams, (struct pg_conn *, const char *, int, const unsigned int *, const char *const *, \
    const int *, const int *, int)) \
  F(int, PQsetSingleRowMode, (struct pg_conn *)) \
  F(int, PQflush, (struct pg_conn *)) \
  F(int, PQconsumeInput, (struct pg_conn *)) \
  F(int, PQisBusy, (struct pg_conn *)) \
  F(struct pg_result *, PQgetResult, (struct pg_conn *)) \
  F(void, PQclear, (struct pg_result *)) \
  F(char *, PQresultErrorField, (const struct pg_result *, int)) \
  F(char *, PQresultErrorMessage, (const struct pg_result *)) \
  F(char *, PQcmdStatus, (struct pg_result *)) \
  F(char *, PQcmdTuples, (struct pg_result *)) \
  F(int, PQntuples, (const struct pg_result *)) \
  F(int, PQnfields, (const struct pg_result *)) \
  F(unsigned int, PQftype, (const struct pg_result *, int)) \
  F(int, PQgetisnull, (const struct pg_result *, int, int)) \
  F(int, PQgetlength, (const struct pg_result *, int, int)) \
  F(char *, PQgetvalue, (const struct pg_result *, int, int)) \
  F(int, PQgetCopyData, (struct pg_conn *, char **, int)) \
  F(void, PQfreemem, (void *)) \
  F(struct pg_cancel *, PQgetCancel, (struct pg_conn *)) \
  F(int, PQcancel, (struct pg_cancel *, char *, int)) \
  F(void, PQfreeCancel, (struct pg_cancel *)) \
  F(CPQNoticeReceiver, PQsetNoticeReceiver, (struct pg_conn *, CPQNoticeReceiver, void *))

// Those whose results are enumerations in the declarations of libpq.
#define CPQ_STATES(F) \
  F(int, PQconnectPoll, (struct pg_conn *)) \
  F(int, PQstatus, (const struct pg_conn *)) \
  F(int, PQresultStatus, (const struct pg_result *))

#define CPQ_MEMBER(result, name, parameters) result (*_Nonnull name) parameters;

/// The functions of libpq, by their names.
typedef struct {
  CPQ_FUNCTIONS(CPQ_MEMBER)
  CPQ_STATES(CPQ_MEMBER)
} CPQLibrary;

// The values of these enumerations, which are part of the library's binary interface.
enum { CPQ_POLLING_FAILED = 0, CPQ_POLLING_WRITING = 2, CPQ_POLLING_OK = 3 };
enum { CPQ_CONNECTION_BAD = 1 };
enum { CPQ_TUPLES_OK = 2, CPQ_COPY_OUT = 3, CPQ_BAD_RESPONSE = 5, CPQ_FATAL_ERROR = 7, CPQ_SINGLE_TUPLE = 9 };

/// Loads the library once.
///
/// Returns the functions; null after it has set what is missing, such as `install libpq5`. Any thread may call it.
const CPQLibrary *_Nullable catalogPostgreSQL(const char *_Nullable *_Nonnull missing);

/// Waits until a socket can be read, or with `isWriting` be read or written, but not longer than some milliseconds.
int catalogPostgreSQLWait(int socket, int isWriting, int milliseconds);

#pragma clang diagnostic pop

#endif
