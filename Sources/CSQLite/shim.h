#ifndef CATALOG_SQLITE_H
#define CATALOG_SQLITE_H
#include <sqlite3.h>

/* Swift cannot call functions with a variable number of arguments, and does not see SQLITE_TRANSIENT. */

static inline int catalog_sqlite_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

static inline int catalog_sqlite_bind_text(
    sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 size) {
  return sqlite3_bind_text64(statement, place, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int catalog_sqlite_bind_blob(
    sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 size) {
  return size == 0 ? sqlite3_bind_zeroblob(statement, place, 0)
                   : sqlite3_bind_blob64(statement, place, bytes, size, SQLITE_TRANSIENT);
}
#endif
