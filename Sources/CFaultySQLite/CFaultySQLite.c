#include "CFaultySQLite.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* A file of the layer, followed in memory by that of the layer below. */
typedef struct {
  sqlite3_file base;
  const char *path;
  /* The next synchronization also makes the name durable. */
  bool names_folder;
  sqlite3_file *real;
} file;

typedef struct {
  int calls;
  int64_t count, first;
  bool is_persistent, is_full, is_silent;
  faulty_observer observer;
  void *context;
} state;

static _Thread_local state current;
static sqlite3_vfs layer;
static sqlite3_vfs *below;

/* Whether a call of this kind is to fail. */
static bool fails(int call) {
  if (!(current.calls & call)) return false;
  current.count++;
  return current.count == current.first || (current.is_persistent && current.count > current.first);
}

static int failure(int code) {
  if (current.is_silent) return SQLITE_OK;
  return current.is_full ? SQLITE_FULL : code;
}

static void report(int effect, const char *path, int64_t offset, const void *bytes, int64_t count) {
  if (current.observer && path) current.observer(current.context, effect, path, offset, bytes, count);
}

#define REAL(f) (((file *)(f))->real)

static int close_file(sqlite3_file *f) { return REAL(f)->pMethods->xClose(REAL(f)); }

static int read_file(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
  if (fails(FAULTY_READ)) return SQLITE_IOERR_READ;
  return REAL(f)->pMethods->xRead(REAL(f), bytes, count, offset);
}

static int write_file(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
  if (fails(FAULTY_WRITE)) {
    if (!current.is_silent && count > 1) REAL(f)->pMethods->xWrite(REAL(f), bytes, count / 2, offset);
    return failure(SQLITE_IOERR_WRITE);
  }
  int code = REAL(f)->pMethods->xWrite(REAL(f), bytes, count, offset);
  if (code == SQLITE_OK) report(FAULTY_WRITTEN, ((file *)f)->path, offset, bytes, count);
  return code;
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 size) {
  if (fails(FAULTY_TRUNCATE)) return failure(SQLITE_IOERR_TRUNCATE);
  int code = REAL(f)->pMethods->xTruncate(REAL(f), size);
  if (code == SQLITE_OK) report(FAULTY_TRUNCATED, ((file *)f)->path, size, NULL, 0);
  return code;
}

static int sync_file(sqlite3_file *f, int flags) {
  if (fails(FAULTY_SYNC)) return failure(SQLITE_IOERR_FSYNC);
  int code = REAL(f)->pMethods->xSync(REAL(f), flags);
  if (code != SQLITE_OK) return code;
  report(FAULTY_SYNCED, ((file *)f)->path, 0, NULL, 0);
  /* As the layer below does for files that it has created. */
  if (((file *)f)->names_folder) report(FAULTY_SYNCED_FOLDER, ((file *)f)->path, 0, NULL, 0);
  ((file *)f)->names_folder = false;
  return code;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return REAL(f)->pMethods->xFileSize(REAL(f), size); }

static int lock(sqlite3_file *f, int level) {
  if (fails(FAULTY_LOCK)) return SQLITE_IOERR_LOCK;
  return REAL(f)->pMethods->xLock(REAL(f), level);
}

static int unlock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xUnlock(REAL(f), level); }

static int check_lock(sqlite3_file *f, int *found) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), found); }

static int control(sqlite3_file *f, int operation, void *argument) {
  return REAL(f)->pMethods->xFileControl(REAL(f), operation, argument);
}

static int sector_size(sqlite3_file *f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }

static int characteristics(sqlite3_file *f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }

static int map_shared(sqlite3_file *f, int region, int size, int extends, void volatile **memory) {
  if (fails(FAULTY_SHARE)) return SQLITE_IOERR_SHMMAP;
  return REAL(f)->pMethods->xShmMap(REAL(f), region, size, extends, memory);
}

static int lock_shared(sqlite3_file *f, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) && fails(FAULTY_SHARE)) return SQLITE_IOERR_SHMLOCK;
  return REAL(f)->pMethods->xShmLock(REAL(f), offset, count, flags);
}

static void order_shared(sqlite3_file *f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }

static int unmap_shared(sqlite3_file *f, int deletes) { return REAL(f)->pMethods->xShmUnmap(REAL(f), deletes); }

/* Version 2: without memory maps of the files, whose writes could not be seen. */
static const sqlite3_io_methods methods = {
    2,            close_file,  read_file,       write_file, truncate_file, sync_file,
    file_size,    lock,        unlock,          check_lock, control,       sector_size,
    characteristics, map_shared, lock_shared,   order_shared, unmap_shared, NULL, NULL,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *found) {
  file *opened = (file *)f;
  opened->base.pMethods = NULL;
  opened->path = path;
  opened->real = (sqlite3_file *)(opened + 1);
  if (fails(FAULTY_OPEN)) return SQLITE_CANTOPEN;
  bool is_new = path && access(path, F_OK) != 0;
  int code = below->xOpen(below, path, opened->real, flags, found);
  if (code != SQLITE_OK) return code;
  opened->base.pMethods = &methods;
  int named = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL;
  opened->names_folder = (flags & SQLITE_OPEN_CREATE) && (flags & named);
  if (is_new) report(FAULTY_CREATED, path, 0, NULL, 0);
  return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
  if (fails(FAULTY_DELETE)) return failure(SQLITE_IOERR_DELETE);
  int code = below->xDelete(below, path, syncs);
  if (code != SQLITE_OK) return code;
  report(FAULTY_DELETED, path, 0, NULL, 0);
  if (syncs) report(FAULTY_SYNCED_FOLDER, path, 0, NULL, 0);
  return code;
}

static bool is_installed;

static void install(void) {
  below = sqlite3_vfs_find(NULL);
  if (!below) return;
  layer = *below;
  layer.pNext = NULL;
  layer.zName = "catalog-faulty";
  layer.szOsFile = (int)sizeof(file) + below->szOsFile;
  layer.xOpen = open_file;
  layer.xDelete = delete_file;
  is_installed = sqlite3_vfs_register(&layer, 1) == SQLITE_OK;
}

bool faulty_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  return is_installed;
}

void faulty_plan(int calls, int64_t first, bool is_persistent, bool is_full, bool is_silent) {
  current.calls = calls;
  current.count = 0;
  current.first = first;
  current.is_persistent = is_persistent;
  current.is_full = is_full;
  current.is_silent = is_silent;
}

int64_t faulty_end(void) {
  current.calls = 0;
  return current.count;
}

void faulty_observe(faulty_observer observer, void *context) {
  current.observer = observer;
  current.context = context;
}

int faulty_execute(const char *path, const char *statements) {
  sqlite3 *database = NULL;
  int code = sqlite3_open(path, &database);
  if (code == SQLITE_OK) code = sqlite3_exec(database, statements, NULL, NULL, NULL);
  sqlite3_close(database);
  return code;
}
