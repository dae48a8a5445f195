#!/usr/bin/env python3
"""Time other tools at the same tasks as catalog, and print one JSON object per line.

    peers.py DATA N [--reps 3] [--only TOOL,…]

DATA contains films-N.json and films-N.sqlite, both from gen.py. Each repetition of each tool runs in a process of its
own. The median of the repetitions and the peak memory are printed. The time to start Python and to load the tool's
library is not counted. A tool that is not installed is skipped and reported.

    {"tool": "duckdb 2.0.0", "task": "open-json", "n": 100000, "seconds": 0.12, "mb": 96}

Tasks: open-json      read the JSON file completely; take the first 40 rows
       open-csv       the same from the CSV file
       open-own       the same with the tool's own file format, if it has one
       filter-number  the rows with year >= 1990: their number, and the first 40
       filter-text    the rows whose title contains "needle" in any case: their number, and the first 40
       sort           the order of all rows by year, and by boxOffice in descending order
       top40          the first 40 rows of that order alone
       insert         insert all rows into an empty store, in one durable transaction
       edit           change one field of one record, durably
       floor-append   append 256 bytes to a file and fdatasync it
       floor-replace  write the JSON file's bytes to a new file, fsync it, and rename it over the old one
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Skipped(Exception):
    """The tool is not available; the message says why."""


def seconds(work, repeat=1):
    """The median time of the work, with its last result."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found} instead of {wanted}")


def needles(count):
    return count // 100 + (1 if count % 100 >= 37 else 0)


def csv_path(json_path):
    """The CSV file with the records of a JSON file."""
    return json_path.removesuffix(".json") + ".csv"


def duckdb_tool(json_path, own_path, count, scratch):
    try:
        import duckdb
    except ImportError:
        raise Skipped("not installed (pip install duckdb)")
    database = duckdb.connect(":memory:")
    run = lambda sql: database.execute(sql).fetchall()

    def open_json():
        run(f"create or replace table films as select * from read_json('{json_path}')")
        return run("select * from films limit 40")

    def open_csv():
        run(f"create or replace table csv as select * from read_csv('{csv_path(json_path)}')")
        return run("select * from csv limit 40")

    def matching(where):
        return run(f"select count(*) from films where {where}")[0][0], run(f"select * from films where {where} limit 40")

    order = "order by year, boxOffice desc"
    yield "version", duckdb.__version__
    yield "open-json", seconds(open_json)[0]
    yield "open-csv", seconds(open_csv)[0]
    expect("duckdb open-csv", run("select count(*) from csv")[0][0], count)
    run("drop table csv")
    yield "filter-number", seconds(lambda: matching("year >= 1990"), 5)[0]
    taken, found = seconds(lambda: matching("title ilike '%needle%'"), 5)
    expect("duckdb filter-text", found[0], needles(count))
    yield "filter-text", taken
    yield "sort", seconds(lambda: run(f"create or replace temp table sorted as select rowid as row from films {order}"), 3)[0]
    yield "top40", seconds(lambda: run(f"select * from films {order} limit 40"), 5)[0]


def polars_tool(json_path, own_path, count, scratch):
    try:
        import polars
    except ImportError:
        raise Skipped("not installed (pip install polars)")
    films = None

    def open_json():
        nonlocal films
        films = polars.read_json(json_path)
        return films.head(40).rows()

    def matching(predicate):
        rows = films.filter(predicate)
        return rows.height, rows.head(40).rows()

    def top():
        ordered = films.lazy().sort("year", "boxOffice", descending=[False, True])
        return ordered.head(40).collect().rows()

    yield "version", polars.__version__
    yield "open-json", seconds(open_json)[0]
    yield "filter-number", seconds(lambda: matching(polars.col("year") >= 1990), 5)[0]
    taken, found = seconds(lambda: matching(polars.col("title").str.contains("(?i)needle")), 5)
    expect("polars filter-text", found[0], needles(count))
    yield "filter-text", taken
    arguments = polars.arg_sort_by("year", "boxOffice", descending=[False, True])
    yield "sort", seconds(lambda: films.select(arguments), 3)[0]
    yield "top40", seconds(top, 5)[0]


def visidata_tool(json_path, own_path, count, scratch):
    try:
        import visidata
    except ImportError:
        raise Skipped("not installed (pip install visidata)")
    import re
    vd = visidata.vd
    sheet = vd.openSource(json_path)

    def open_json():
        sheet.ensureLoaded()
        vd.sync()
        return sheet.rows[:40]

    def matching(name, matches):
        column = sheet.column(name)
        rows = [row for row in sheet.rows if matches(column.getTypedValue(row))]
        return len(rows), rows[:40]

    def sort():
        sheet._ordering = [(sheet.column("year"), False), (sheet.column("boxOffice"), True)]
        sheet.sort()
        vd.sync()

    yield "version", visidata.__version__
    yield "open-json", seconds(open_json)[0]
    expect("visidata open-json", len(sheet.rows), count)
    table = vd.openSource(csv_path(json_path))

    def open_csv():
        table.ensureLoaded()
        vd.sync()
        return table.rows[:40]

    yield "open-csv", seconds(open_csv)[0]
    expect("visidata open-csv", len(table.rows), count)
    sheet.column("year").type = int
    sheet.column("boxOffice").type = float
    yield "filter-number", seconds(lambda: matching("year", lambda year: year >= 1990))[0]
    needle = re.compile("needle", re.IGNORECASE)
    taken, found = seconds(lambda: matching("title", lambda title: needle.search(str(title))))
    expect("visidata filter-text", found[0], needles(count))
    yield "filter-text", taken
    yield "sort", seconds(sort)[0]


def sqlite_tool(json_path, own_path, count, scratch):
    import sqlite3
    rows = None

    def open_own():
        database = sqlite3.connect(own_path)
        return database, database.execute("select * from films order by id limit 40").fetchall()

    def insert():
        target = sqlite3.connect(os.path.join(scratch, "insert.sqlite"))
        target.execute("pragma synchronous = full")
        target.execute("create table films (id integer primary key, title text not null, year integer, director text, "
                       "boxOffice numeric, released text, favourite integer, notes text)")
        target.executemany("insert into films values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        target.commit()
        target.close()

    taken, (database, _) = seconds(open_own)
    run = lambda sql: database.execute(sql).fetchall()

    def matching(where):
        return run(f"select count(*) from films where {where}")[0][0], run(f"select * from films where {where} limit 40")

    def sort():
        run("drop table if exists sorted")
        run(f"create temp table sorted as select id from films {order}")

    order = "order by year, boxOffice desc"
    yield "version", sqlite3.sqlite_version
    yield "open-own", taken
    yield "filter-number", seconds(lambda: matching("year >= 1990"), 5)[0]
    taken, found = seconds(lambda: matching("title like '%needle%'"), 5)
    expect("sqlite filter-text", found[0], needles(count))
    yield "filter-text", taken
    yield "sort", seconds(sort, 3)[0]
    yield "top40", seconds(lambda: run(f"select * from films {order} limit 40"), 5)[0]
    rows = run("select * from films")
    yield "insert", seconds(insert)[0]

    copy = os.path.join(scratch, "edit.sqlite")
    shutil.copyfile(own_path, copy)
    target = sqlite3.connect(copy, isolation_level=None)
    target.execute("pragma journal_mode = wal")
    target.execute("pragma synchronous = full")
    numbers = iter(range(1, 100))
    yield "edit", seconds(
        lambda: target.execute("update films set year = ? where id = 2", (1900 + next(numbers),)), 21)[0]


def floor_tool(json_path, own_path, count, scratch):
    with open(json_path, "rb") as file:
        content = file.read()
    target = os.path.join(scratch, "floor.json")
    log = os.open(os.path.join(scratch, "floor.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def append():
        os.write(log, b"x" * 256)
        os.fdatasync(log)

    def replace():
        file = os.open(target + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest):]
        os.fsync(file)
        os.close(file)
        os.rename(target + ".new", target)

    replace()
    yield "version", ""
    yield "floor-append", seconds(append, 21)[0]
    yield "floor-replace", seconds(replace, 3)[0]
    os.close(log)


TOOLS = {"duckdb": duckdb_tool, "polars": polars_tool, "visidata": visidata_tool, "sqlite": sqlite_tool,
         "floor": floor_tool}


def measure_one(tool, json_path, own_path, count):
    """Runs in the child: performs all tasks of the tool once and prints one JSON object."""
    # Write next to the data, so that the same disk is measured.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(json_path)) as scratch:
        try:
            result = dict(TOOLS[tool](json_path, own_path, count, scratch))
        except Skipped as skipped:
            result = {"skipped": str(skipped)}
    result["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 1_000_000
    print(json.dumps(result))


def measure(tool, options):
    """Runs all repetitions of one tool, each in a child; returns the lines to print."""
    runs = []
    begun = time.perf_counter()
    for _ in range(options.reps):
        # Long work varies less, and the whole run should be short.
        if len(runs) > 1 and time.perf_counter() - begun > 30:
            break
        child = subprocess.run([sys.executable, __file__, options.data, str(options.count), "--child", tool],
                               capture_output=True, text=True)
        if child.returncode != 0:
            reason = (child.stderr.strip().splitlines() or ["no reason given"])[-1]
            return [{"tool": tool, "skipped": f"failed: {reason}"}]
        runs.append(json.loads(child.stdout.splitlines()[-1]))
        if "skipped" in runs[-1]:
            return [{"tool": tool, "skipped": runs[-1]["skipped"]}]
    name = f"{tool} {runs[0].pop('version')}".strip()
    memory = max(run.pop("mb") for run in runs)
    return [{"tool": name, "task": task, "n": options.count,
             "seconds": round(statistics.median(run[task] for run in runs), 6), "mb": memory} for task in runs[0]
            if all(task in run for run in runs)]


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--only", help="tools, with commas between them")
    parser.add_argument("--child", choices=list(TOOLS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        base = os.path.abspath(os.path.join(options.data, f"films-{options.count}"))
        measure_one(options.child, base + ".json", base + ".sqlite", options.count)
        return
    for tool in options.only.split(",") if options.only else TOOLS:
        for line in measure(tool, options):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
