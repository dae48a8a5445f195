#!/usr/bin/env python3
"""Time whole runs of catalog and of other tools at the same work, and print one JSON object per line.

    processes.py CATALOG DATA N [--reps 3]

DATA contains films-N.json, films-N.csv and films-N.sqlite, all from gen.py. Each repetition is a process of its own, from
its start to its end; the file that it writes is new. The result of the last repetition is
checked. DuckDB has no shell here: its time is that of its statements alone, without the start of Python, and that of
opening its database file is included.

Tasks: run-import-csv    read N lines of CSV into a new file of the tool's own format, durably
       run-export-csv    write the records of a file of the tool's own format as CSV
       run-export-json   the same as JSON
       run-open-json     open the JSON file and count its records (catalog alone)
       run-saveas-log    write the JSON file's records into a new log (catalog alone)
       run-saveas-json   write the log's records into a new JSON file (catalog alone)
       run-count-where   count the records with year >= 1990 in a file of the tool's own format
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Skipped(Exception):
    """The tool is not available; the message says why."""


def run(command, text=None):
    """Runs a command; returns its seconds, its peak memory in megabytes and its output."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.PIPE if text else subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    output, errors = child.communicate(text.encode() if text else None)
    taken = time.perf_counter() - begun
    if child.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {child.returncode}: {errors.decode().strip()}")
    return taken, output.decode()


def timed(command):
    """As `run`, through a process that reports the peak memory of the command."""
    watcher = ("import resource, subprocess, sys, time; begun = time.perf_counter(); "
               "status = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode; "
               "taken = time.perf_counter() - begun; "
               "print(taken, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(status)")
    done = subprocess.run([sys.executable, "-c", watcher, *command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
    seconds, kilobytes = done.stderr.strip().splitlines()[-1].split()
    return float(seconds), int(kilobytes) * 1024 // 1_000_000, done.stdout


def remove(*paths):
    for path in paths:
        for each in (path, path + "-wal", path + "-shm", path + "-journal"):
            if os.path.exists(each):
                os.remove(each)


def lines_of(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found} instead of {wanted}")


class Work:
    """A command that is repeated, with what is removed before each run and checked after the last."""

    def __init__(self, task, command, made=(), check=None):
        self.task, self.command, self.made, self.check = task, command, made, check

    def prepare(self):
        remove(*self.made)

    def measure(self, repetitions):
        times, memory = [], 0
        for _ in range(repetitions):
            self.prepare()
            taken, megabytes, output = timed(self.command)
            times.append(taken)
            memory = max(memory, megabytes)
        if self.check:
            self.check(output)
        return statistics.median(times), memory


def catalog_works(catalog, base, count, scratch):
    json_path, csv_path = base + ".json", base + ".csv"
    log, out = (os.path.join(scratch, name) for name in ("films.catlog", "out"))
    number = lambda text: int(text.replace(",", "").split()[0])
    run([catalog, json_path, "-e", f"saveas log:{log}"])
    above = number(run([catalog, log, "-e", "count where year >= 1990"])[1])
    yield Work("run-open-json", [catalog, json_path, "-e", "count"], (), lambda o: expect("count", number(o), count))
    yield Work("run-saveas-log", [catalog, json_path, "-e", f"saveas log:{out}.catlog"], (out + ".catlog",),
               lambda o: expect("records", number(run([catalog, out + ".catlog", "-e", "count"])[1]), count))
    yield Work("run-saveas-json", [catalog, log, "-e", f"saveas json:{out}.json"], (out + ".json",),
               lambda o: expect("records", number(run([catalog, out + ".json", "-e", "count"])[1]), count))
    yield Work("run-import-csv", [catalog, "--store", "log", out + ".new.catlog", "-e", f"import {csv_path}", "-e", "save"],
               (out + ".new.catlog",),
               lambda o: expect("records", number(run([catalog, out + ".new.catlog", "-e", "count"])[1]), count))
    yield Work("run-export-csv", [catalog, log, "-e", f"export {out}.csv"], (out + ".csv",),
               lambda o: expect("lines", lines_of(out + ".csv"), count + 1))
    yield Work("run-export-json", [catalog, log, "-e", f"export {out}.json"], (out + ".json",),
               lambda o: expect("records", number(run([catalog, out + ".json", "-e", "count"])[1]), count))
    yield Work("run-count-where", [catalog, log, "-e", "count where year >= 1990"], (),
               lambda o: expect("count", number(o), above))


def sqlite_works(base, count, scratch):
    shell = shutil.which("sqlite3")
    if shell is None:
        raise Skipped("the sqlite3 shell is not installed (apt-get install sqlite3)")
    own, csv_path = base + ".sqlite", base + ".csv"
    out = os.path.join(scratch, "sqlite-out")
    query = lambda path, sql: run([shell, path, sql])[1].strip()
    create = ("pragma synchronous = full; create table films (title text not null, year integer, director text, "
              "boxOffice numeric, released text, favourite text, notes text);")
    yield Work("run-import-csv", [shell, out + ".sqlite", create, f".import --csv --skip 1 {csv_path} films"],
               (out + ".sqlite",),
               lambda o: expect("records", query(out + ".sqlite", "select count(*) from films"), str(count)))
    yield Work("run-export-csv", [shell, own, ".mode csv", ".headers on", f".output {out}.csv", "select * from films"],
               (out + ".csv",), lambda o: expect("lines", lines_of(out + ".csv"), count + 1))
    yield Work("run-export-json", [shell, own, ".mode json", f".output {out}.json", "select * from films"],
               (out + ".json",))
    yield Work("run-count-where", [shell, own, "select count(*) from films where year >= 1990"])


DUCKDB = """
import resource, sys, time, duckdb
statements, path = sys.argv[2:], sys.argv[1]
begun = time.perf_counter()
database = duckdb.connect(path)
for statement in statements: rows = database.execute(statement).fetchall()
database.close()
taken = time.perf_counter() - begun
print(taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, duckdb.__version__)
"""


def duckdb_figures(base, count, scratch, repetitions):
    if subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode != 0:
        raise Skipped("not installed (pip install duckdb)")
    own, out = os.path.join(scratch, "films.duckdb"), os.path.join(scratch, "duckdb-out")
    load = f"create table films as select * from read_csv('{base}.csv')"
    works = [("run-import-csv", out + ".duckdb", [load], out + ".duckdb"),
             ("run-export-csv", own, [f"copy films to '{out}.csv' (header)"], out + ".csv"),
             ("run-export-json", own, [f"copy films to '{out}.json' (array true)"], out + ".json"),
             ("run-count-where", own, ["select count(*) from films where year >= 1990"], None)]
    subprocess.run([sys.executable, "-c", DUCKDB, own, load], check=True, capture_output=True)
    for task, database, statements, made in works:
        times, memory = [], 0
        for _ in range(repetitions):
            if made:
                remove(made, made + ".wal")
            taken, kilobytes, version = run([sys.executable, "-c", DUCKDB, database, *statements])[1].split()
            times.append(float(taken))
            memory = max(memory, int(kilobytes) * 1024 // 1_000_000)
        yield {"tool": f"duckdb {version}", "task": task, "n": count, "seconds": statistics.median(times), "mb": memory}


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("catalog")
    parser.add_argument("data")
    parser.add_argument("count", type=int)
    parser.add_argument("--reps", type=int, default=3)
    options = parser.parse_args()
    base = os.path.abspath(os.path.join(options.data, f"films-{options.count}"))

    def works(name, each):
        for work in each:
            seconds, memory = work.measure(options.reps)
            print(json.dumps({"tool": name, "task": work.task, "n": options.count, "seconds": round(seconds, 6),
                              "mb": memory}), flush=True)

    # The scratch folder lies beside the data, so that the same disk is measured.
    with tempfile.TemporaryDirectory(dir=options.data) as scratch:
        os.environ.update(HOME=scratch, XDG_CONFIG_HOME=scratch, XDG_DATA_HOME=scratch, XDG_STATE_HOME=scratch)
        works("catalog", catalog_works(os.path.abspath(options.catalog), base, options.count, scratch))
        try:
            works("sqlite3 shell", sqlite_works(base, options.count, scratch))
        except Skipped as reason:
            print(json.dumps({"tool": "sqlite3 shell", "skipped": str(reason)}), flush=True)
        try:
            for figure in duckdb_figures(base, options.count, scratch, options.reps):
                print(json.dumps(figure), flush=True)
        except Skipped as reason:
            print(json.dumps({"tool": "duckdb processes", "skipped": str(reason)}), flush=True)


if __name__ == "__main__":
    main()
