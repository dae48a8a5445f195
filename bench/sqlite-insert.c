/* The counterpart of `model-insert`: the same rows through SQLite's C interface, one prepared statement, one
   transaction, synchronous full. Prints the median of the repetitions as one JSON object.

     sqlite-insert FILE N [REPETITIONS] */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(int code, sqlite3 *database) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
    fprintf(stderr, "sqlite-insert: %s\n", sqlite3_errmsg(database));
    exit(1);
  }
}

static double run(const char *path, long count) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  char title[64], director[64];
  unlink(path);
  double start = now();
  check(sqlite3_open(path, &database), database);
  check(sqlite3_exec(database, "pragma synchronous = full", 0, 0, 0), database);
  check(sqlite3_exec(database,
                     "create table film (id integer primary key, title text, director text, year integer, "
                     "runtime integer, boxOffice real, released real, watched integer)",
                     0, 0, 0), database);
  check(sqlite3_exec(database, "begin", 0, 0, 0), database);
  check(sqlite3_prepare_v2(database,
                           "insert into film (title, director, year, runtime, boxOffice, released, watched) "
                           "values (?, ?, ?, ?, ?, ?, ?)",
                           -1, &statement, 0), database);
  for (long number = 0; number < count; number++) {
    int length = snprintf(title, sizeof title, "The film %ld", number);
    sqlite3_bind_text(statement, 1, title, length, SQLITE_TRANSIENT);
    length = snprintf(director, sizeof director, "Director %ld", number % 1000);
    sqlite3_bind_text(statement, 2, director, length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, 3, 1950 + number % 75);
    sqlite3_bind_int64(statement, 4, 60 + number % 120);
    sqlite3_bind_double(statement, 5, (double)number * 1.25);
    sqlite3_bind_double(statement, 6, (double)number * 1000);
    sqlite3_bind_int(statement, 7, number % 3 == 0);
    check(sqlite3_step(statement), database);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  check(sqlite3_exec(database, "commit", 0, 0, 0), database);
  sqlite3_close(database);
  return now() - start;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: sqlite-insert FILE N [REPETITIONS]\n");
    return 2;
  }
  long count = atol(argv[2]);
  int repetitions = argc > 3 ? atoi(argv[3]) : 3;
  double times[64];
  if (repetitions < 1 || repetitions > 64) repetitions = 3;
  for (int i = 0; i < repetitions; i++) times[i] = run(argv[1], count);
  qsort(times, (size_t)repetitions, sizeof *times, compare);
  printf("{\"tool\": \"sqlite\", \"task\": \"model-insert\", \"n\": %ld, \"seconds\": %f}\n", count,
         times[repetitions / 2]);
  return 0;
}
