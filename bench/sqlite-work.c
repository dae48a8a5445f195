/* The counterparts of the sqlite-… tasks of `catalog-bench`, with SQLite's C interface: the same statements on the same
   films, and one durable edit with a write-ahead log. Prints the median of the repetitions as one JSON object for each.

     sqlite-work FILMS.sqlite COPY N [REPETITIONS] */
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

static sqlite3 *database;
static const char *films, *copy;
static long count;

static void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "sqlite-work: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void execute(const char *text) { check(sqlite3_exec(database, text, 0, 0, 0)); }

/* Runs a query and reads all values of its rows. */
static void query(const char *text) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(database, text, -1, &statement, 0));
  while (sqlite3_step(statement) == SQLITE_ROW)
    for (int column = 0; column < sqlite3_column_count(statement); column++) sqlite3_column_text(statement, column);
  check(sqlite3_finalize(statement));
}

static void open_films(void) { check(sqlite3_open_v2(films, &database, SQLITE_OPEN_READWRITE, 0)); }

static double open_and_query(const char *text) {
  double start = now();
  open_films();
  query(text);
  sqlite3_close(database);
  return now() - start;
}

static double by_key(void) { return open_and_query("select * from films order by id limit 50"); }

static double sorted(void) {
  return open_and_query("select * from films order by year, boxOffice desc, id limit 50");
}

static double timed(const char *text) {
  double start = now();
  query(text);
  return now() - start;
}

static double count_where(void) { return timed("select count(*) from films where year >= 1990"); }

static double contains(void) { return timed("select count(*) from films where title like '%needle%'"); }

static double edit(void) {
  static long year = 1900;
  char text[128];
  snprintf(text, sizeof text, "update films set year = %ld where id = %ld", year++, count / 2);
  double start = now();
  execute("begin immediate");
  execute(text);
  execute("commit");
  return now() - start;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void report(const char *task, double (*work)(void), int repetitions) {
  double times[64];
  if (repetitions > 64) repetitions = 64;
  for (int turn = 0; turn < repetitions; turn++) times[turn] = work();
  qsort(times, repetitions, sizeof *times, compare);
  printf("{\"tool\": \"sqlite (C)\", \"task\": \"%s\", \"n\": %ld, \"seconds\": %.7f}\n", task, count,
         times[repetitions / 2]);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: sqlite-work FILMS.sqlite COPY N [REPETITIONS]\n");
    return 2;
  }
  films = argv[1];
  copy = argv[2];
  count = atol(argv[3]);
  int repetitions = argc > 4 ? atoi(argv[4]) : 5;
  report("sqlite-open-key", by_key, repetitions);
  report("sqlite-open-sort", sorted, repetitions);
  open_films();
  report("sqlite-count-where", count_where, repetitions);
  report("sqlite-contains", contains, repetitions);
  sqlite3_close(database);
  char text[4096];
  unlink(copy);
  open_films();
  snprintf(text, sizeof text, "vacuum into '%s'", copy);
  execute(text);
  sqlite3_close(database);
  check(sqlite3_open(copy, &database));
  execute("pragma journal_mode = wal");
  execute("pragma synchronous = full");
  report("sqlite-edit", edit, repetitions > 15 ? repetitions : 15);
  sqlite3_close(database);
  return 0;
}
