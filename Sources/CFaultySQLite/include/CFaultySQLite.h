#ifndef CATALOG_FAULTY_SQLITE_H
#define CATALOG_FAULTY_SQLITE_H
#include <stdbool.h>
#include <stdint.h>

/* A layer between SQLite and the operating system that lets calls fail and reports what is written.
   The plan and the observer are those of the thread that sets them. */

enum faulty_call {
  FAULTY_OPEN = 1,
  FAULTY_READ = 2,
  FAULTY_WRITE = 4,
  FAULTY_TRUNCATE = 8,
  FAULTY_SYNC = 16,
  FAULTY_LOCK = 32,
  FAULTY_DELETE = 64,
  FAULTY_SHARE = 128,
};

enum faulty_effect {
  FAULTY_CREATED,
  FAULTY_WRITTEN,
  FAULTY_TRUNCATED,
  FAULTY_SYNCED,
  FAULTY_SYNCED_FOLDER,
  FAULTY_DELETED,
};

typedef void (*faulty_observer)(
    void *context, int effect, const char *path, int64_t offset, const void *bytes, int64_t count);

/* Makes the layer the default of every later connection of the process. Returns false if it cannot. */
bool faulty_install(void);

/* Counts the calls of these kinds from 1 on and fails number `first`, and all later ones if it is persistent. The calls
   fail with an input/output error, or as on a full disk; a write that fails has written half of its bytes.
   With `is_silent` the call reports success and does nothing, to prove that this is found. */
void faulty_plan(int calls, int64_t first, bool is_persistent, bool is_full, bool is_silent);

/* Ends the plan. Returns the number of calls that it counted. */
int64_t faulty_end(void);

/* Reports the effects on files; NULL ends that. */
void faulty_observe(faulty_observer observer, void *context);

/* Runs statements on a database, as another program. Returns a result code of SQLite. */
int faulty_execute(const char *path, const char *statements);
#endif
