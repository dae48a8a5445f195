#ifndef CATALOG_SQLITE_H
#define CATALOG_SQLITE_H
/* The functions of this option are declared only with it, and missing in a library that was built without it. */
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_depth
#pragma weak sqlite3_preupdate_old
#pragma weak sqlite3_preupdate_new

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

/* Receives each row before it changes: what happens to it, its table, its number before and after. */
typedef void (*catalog_sqlite_row_change)(
    void *context, sqlite3 *database, int operation, const char *schema, const char *table,
    sqlite3_int64 before, sqlite3_int64 after);

/* True if the library can tell which rows change. */
static inline int catalog_sqlite_can_watch(void) {
  return sqlite3_preupdate_hook && sqlite3_preupdate_depth && sqlite3_preupdate_old && sqlite3_preupdate_new;
}

static inline void catalog_sqlite_watch(sqlite3 *database, catalog_sqlite_row_change change, void *context) {
  if (catalog_sqlite_can_watch()) sqlite3_preupdate_hook(database, change, context);
}

/* Whether the change is made by a foreign key or a trigger; only during one. */
static inline int catalog_sqlite_is_indirect(sqlite3 *database) {
  return sqlite3_preupdate_depth(database) > 0;
}

/* A value of the row before or after the change, or null; only during one. */
static inline sqlite3_value *catalog_sqlite_changed_value(sqlite3 *database, int column, int is_new) {
  sqlite3_value *value = 0;
  int code = is_new ? sqlite3_preupdate_new(database, column, &value)
                    : sqlite3_preupdate_old(database, column, &value);
  return code == SQLITE_OK ? value : 0;
}
#endif
