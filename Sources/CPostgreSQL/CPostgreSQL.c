#include "CPostgreSQL.h"

#include <poll.h>

int catalogPostgreSQLWait(int socket, int isWriting, int milliseconds) {
  struct pollfd descriptor = {socket, (short)(POLLIN | (isWriting ? POLLOUT : 0)), 0};
  return poll(&descriptor, 1, milliseconds);
}

// Debian's folder is not among those of the compiler, but a part of the path.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#define CPQ_IS_DECLARED 1
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#define CPQ_IS_DECLARED 1
#endif

#if !CPQ_IS_DECLARED

const CPQLibrary *catalogPostgreSQL(const char **missing) {
  *missing = "built without PostgreSQL; build it where libpq-dev is installed";
  return 0;
}

#else

#include <dlfcn.h>
#include <pthread.h>

// A second declaration of each function: one that differs from that of the header is an error.
#define CPQ_DECLARATION(result, name, parameters) extern result name parameters;
CPQ_FUNCTIONS(CPQ_DECLARATION)

_Static_assert(
  CPQ_POLLING_FAILED == (int)PGRES_POLLING_FAILED && CPQ_POLLING_WRITING == (int)PGRES_POLLING_WRITING
    && CPQ_POLLING_OK == (int)PGRES_POLLING_OK && CPQ_CONNECTION_BAD == (int)CONNECTION_BAD
    && CPQ_TUPLES_OK == (int)PGRES_TUPLES_OK && CPQ_COPY_OUT == (int)PGRES_COPY_OUT && CPQ_BAD_RESPONSE == (int)PGRES_BAD_RESPONSE
    && CPQ_FATAL_ERROR == (int)PGRES_FATAL_ERROR && CPQ_SINGLE_TUPLE == (int)PGRES_SINGLE_TUPLE,
  "the numbers of libpq"
);

static CPQLibrary library;
static const char *reason = 0;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libpq.5.dylib", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    reason = "the library libpq.so.5 was not found; install libpq5";
    return;
  }
#define CPQ_LOAD(result, name, parameters) \
  *(void **)&library.name = dlsym(handle, #name); \
  if (!*(void **)&library.name) reason = "the library libpq.so.5 lacks " #name "; install a newer libpq5";
  CPQ_FUNCTIONS(CPQ_LOAD)
  CPQ_STATES(CPQ_LOAD)
}

const CPQLibrary *catalogPostgreSQL(const char **missing) {
  pthread_once(&once, load);
  *missing = reason;
  return reason ? 0 : &library;
}

#endif
