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

static inline unsigned char catalog_sqlite_small(unsigned char byte) {
  return byte - 'A' < 26u ? byte | 0x20 : byte;
}

static inline int catalog_sqlite_is_at(
    const unsigned char *text, const unsigned char *pattern, int length) {
  int same = 0;
  while (same < length && catalog_sqlite_small(text[same]) == pattern[same]) same++;
  return same == length;
}

static inline sqlite3_uint64 catalog_sqlite_word(const unsigned char *text) {
  sqlite3_uint64 word;
  __builtin_memcpy(&word, text, 8);
  return word;
}

static inline int catalog_sqlite_is_ascii(const unsigned char *text, int size) {
  sqlite3_uint64 all = 0;
  int place = 0;
  for (; place + 8 <= size; place += 8) all |= catalog_sqlite_word(text + place);
  for (; place < size; place++) all |= text[place];
  return !(all & 0x8080808080808080u);
}

/* Whether a text contains a pattern in small letters, whatever the case of its own letters. Eight places at a time are
   left out if none of them has the first letter of the pattern and the last one where it would be. */
static inline int catalog_sqlite_is_in(
    const unsigned char *text, int size, const unsigned char *pattern, int length) {
  if (length == 0) return 1;
  const sqlite3_uint64 ones = 0x0101010101010101u;
  const unsigned char first = pattern[0], last = pattern[length - 1];
  const sqlite3_uint64 firsts = first * ones, lasts = last * ones;
  const sqlite3_uint64 first_case = first - 'a' < 26u ? ones << 5 : 0, last_case = last - 'a' < 26u ? ones << 5 : 0;
  for (int place = 0; place <= size - length; place += 8) {
    if (place <= size - length - 7) {
      sqlite3_uint64 differences = ((catalog_sqlite_word(text + place) | first_case) ^ firsts) |
                                   ((catalog_sqlite_word(text + place + length - 1) | last_case) ^ lasts);
      if (!((differences - ones) & ~differences & ones << 7)) continue;
    }
    for (int start = place; start < place + 8 && start <= size - length; start++)
      if (catalog_sqlite_is_at(text + start, pattern, length)) return 1;
  }
  return 0;
}

/* Whether the second argument contains the first one, a text in small letters; null unless it is a text of ASCII. */
static void catalog_sqlite_contains(sqlite3_context *context, int count, sqlite3_value **values) {
  if (count != 2 || sqlite3_value_type(values[1]) != SQLITE_TEXT) return;
  const unsigned char *text = sqlite3_value_text(values[1]), *pattern = sqlite3_value_text(values[0]);
  int size = sqlite3_value_bytes(values[1]), length = sqlite3_value_bytes(values[0]);
  if (!text || !pattern || !catalog_sqlite_is_ascii(text, size)) return;
  sqlite3_result_int(context, catalog_sqlite_is_in(text, size, pattern, length));
}

static inline int catalog_sqlite_add_contains(sqlite3 *database) {
  return sqlite3_create_function_v2(
      database, "catalog_contains", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, 0,
      catalog_sqlite_contains, 0, 0, 0);
}
#endif
