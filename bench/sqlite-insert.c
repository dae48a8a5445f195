/* The counterparts of `model-insert` and `model-upsert`: the same rows through SQLite's C interface, one prepared
   statement, one transaction. Insertion uses a file, with synchronous full; the upsert a database in memory, as
   the models do. Prints the median of the repetitions as one JSON object for each.

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

static double insert(const char *path, long count) {
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

static sqlite3 *coded;

/* Inserts rows with unique codes, or updates those that exist. */
static double upsert(const char *path, long count) {
  static int round = 0;
  sqlite3_stmt *statement;
  char code[64], title[64];
  (void)path;
  if (!coded) {
    check(sqlite3_open(":memory:", &coded), coded);
    check(sqlite3_exec(coded,
                       "create table film (id integer primary key, code text unique, title text, year integer)",
                       0, 0, 0), coded);
  }
  round++;
  double start = now();
  check(sqlite3_exec(coded, "begin", 0, 0, 0), coded);
  check(sqlite3_prepare_v2(coded,
                           "insert into film (code, title, year) values (?, ?, ?) on conflict (code) "
                           "do update set title = excluded.title, year = excluded.year",
                           -1, &statement, 0), coded);
  for (long number = 0; number < count; number++) {
    int length = snprintf(code, sizeof code, "F%ld", number);
    sqlite3_bind_text(statement, 1, code, length, SQLITE_TRANSIENT);
    length = snprintf(title, sizeof title, "The film %ld", number);
    sqlite3_bind_text(statement, 2, title, length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, 3, 1950 + (number + round) % 75);
    check(sqlite3_step(statement), coded);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  check(sqlite3_exec(coded, "commit", 0, 0, 0), coded);
  return now() - start;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

/* Prints the median time of the work. */
static void report(const char *task, double (*work)(const char *, long), const char *path, long count,
                   int repetitions) {
  double times[64];
  for (int i = 0; i < repetitions; i++) times[i] = work(path, count);
  qsort(times, (size_t)repetitions, sizeof *times, compare);
  printf("{\"tool\": \"sqlite\", \"task\": \"%s\", \"n\": %ld, \"seconds\": %f}\n", task, count,
         times[repetitions / 2]);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: sqlite-insert FILE N [REPETITIONS]\n");
    return 2;
  }
  long count = atol(argv[2]);
  int repetitions = argc > 3 ? atoi(argv[3]) : 3;
  if (repetitions < 1 || repetitions > 64) repetitions = 3;
  report("model-insert", insert, argv[1], count, repetitions);
  upsert(argv[1], count);
  report("model-upsert", upsert, argv[1], count, repetitions);
  return 0;
}
