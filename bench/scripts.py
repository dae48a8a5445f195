#!/usr/bin/env python3
"""Time scripts as cron and pipelines run them: whole processes of catalog and of the sqlite3 shell at the same work.

    scripts.py CATALOG DATA N [--reps 5]

DATA contains films-N.csv from gen.py, of which five fields are used: title, year, director, boxOffice, released. Each
repetition starts with a fresh copy of the store, which is not timed, and the result is checked. One JSON object is
printed per line.

Tasks: script-import     read N lines of CSV into a new file of the tool's own format, durably
       script-export     write the records as JSON
       script-upsert     merge 1,500 lines of CSV by title, of which 1,000 change a record and 500 are new; the table of
                         SQLite has a unique index of titles
       script-count      count the records with year >= 1990
       script-edits      change a field of 10,000 records by their identifiers in one script; SQLite in one transaction
       script-edits-key  the same by title: `upsert … by title` against an update by the unique index
       script-edit-one   change one field of one record in a file of a hundred records
"""
import argparse
import csv
import json
import os
import shutil
import subprocess
import tempfile

from processes import Work, expect, remove, run

FIELDS = ["title", "year", "director", "boxOffice", "released"]
SMALL, EDITS, UPDATED, NEW = 100, 10_000, 1_000, 500


class Fresh(Work):
    """Work on a copy of a file, and of the text for standard input if there is one."""

    def __init__(self, task, command, original, copy, check=None):
        super().__init__(task, command, (), check)
        self.original, self.copy = original, copy

    def prepare(self):
        remove(self.copy)
        shutil.copyfile(self.original, self.copy)


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows(rows)


def write_text(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def number(text):
    return int(text.replace(",", "").split()[0])


def catalog_works(catalog, scratch, titles):
    path = lambda name: os.path.join(scratch, name)
    log, copy, made = path("films.catlog"), path("copy.catlog"), path("made.catlog")
    small, small_copy = path("small.jsonl"), path("small-copy.jsonl")
    ask = lambda store, command: run([catalog, store, "-e", command])[1]
    count = lambda store, condition="": number(ask(store, "count" + condition))
    run([catalog, "--store", "log", log, "-e", f"import {path('films.csv')}", "-e", "save"])
    total, above = len(titles), count(log, " where year >= 1990")
    run([catalog, path("small.csv.json"), "-e", f"export {small}"])
    identifiers = json.loads(run([catalog, log, "--format", "json", "-e", f"list fields id limit {EDITS}"])[1])
    write_text(path("edits"), [*(f"set {row['id']} year=1890" for row in identifiers), "save"])
    write_text(path("edits-key"), [*(f'upsert by title title="{title}" year=1890' for title in titles[:EDITS]), "save"])
    yield Work("script-import", [catalog, "--store", "log", made, "-e", f"import {path('films.csv')}", "-e", "save"],
               (made,), lambda _: expect("records", count(made), total))
    yield Work("script-export", [catalog, log, "-e", f"export {path('out.json')}"], (path("out.json"),),
               lambda _: expect("records", count(path("out.json")), total))
    yield Fresh("script-upsert", [catalog, copy, "-e", f"import {path('upsert.csv')} by title", "-e", "save"], log, copy,
                lambda _: expect("records", (count(copy), count(copy, " where year = 1880")), (total + NEW, UPDATED + NEW)))
    yield Work("script-count", [catalog, log, "-e", "count where year >= 1990"], (),
               lambda output: expect("count", number(output), above))
    for task in ("edits", "edits-key"):
        yield Fresh("script-" + task, [catalog, copy, "--script", path(task)], log, copy,
                    lambda _: expect("edited", count(copy, " where year = 1890"), EDITS))
    yield Fresh("script-edit-one", [catalog, small_copy, "-e", 'set where title = "First Light 1" year=1890', "-e", "save"],
                small, small_copy, lambda _: expect("edited", count(small_copy, " where year = 1890"), 1))


def sqlite_works(shell, scratch, titles):
    path = lambda name: os.path.join(scratch, name)
    own, copy, made, small, small_copy = (path(name + ".sqlite") for name in ("films", "copy", "made", "small", "small-copy"))
    durable = "pragma synchronous = full;"
    create = ("create table {} (title text not null, year integer, director text, boxOffice numeric, released text);")
    ask = lambda store, sql: run([shell, store, sql])[1].strip()
    above = "select count(*) from films where year "
    films = ["create unique index titles on films (title);"]
    run([shell, own, create.format("films"), f".import --csv --skip 1 {path('films.csv')} films", *films])
    run([shell, small, create.format("films"), f".import --csv --skip 1 {path('small.csv')} films"])
    escape = lambda text: text.replace("'", "''")
    write_text(path("edits.sql"), [durable, "begin;", *(f"update films set year = 1890 where rowid = {row};"
                                                         for row in range(1, EDITS + 1)), "commit;"])
    write_text(path("edits-key.sql"), [durable, "begin;", *(f"update films set year = 1890 where title = '{escape(title)}';"
                                                             for title in titles[:EDITS]), "commit;"])
    yield Work("script-import", [shell, made, durable, create.format("films"), f".import --csv --skip 1 {path('films.csv')} films"],
               (made,), lambda _: expect("records", ask(made, "select count(*) from films"), str(len(titles))))
    yield Work("script-export", [shell, own, ".mode json", f".output {path('out.json')}", "select * from films"])
    columns = ", ".join(f"{name} = excluded.{name}" for name in FIELDS[1:])
    yield Fresh("script-upsert", [shell, copy, durable, create.format("temp.rows"),
                                  f".import --csv --schema temp --skip 1 {path('upsert.csv')} rows",
                                  f"insert into films select * from rows where true on conflict (title) do update set {columns}"],
                own, copy, lambda _: expect("records", ask(copy, above + "= 1880"), str(UPDATED + NEW)))
    yield Work("script-count", [shell, own, above + ">= 1990"])
    for task in ("edits", "edits-key"):
        yield Fresh("script-" + task, [shell, copy, f".read {path(task + '.sql')}"], own, copy,
                    lambda _: expect("edited", ask(copy, above + "= 1890"), str(EDITS)))
    yield Fresh("script-edit-one", [shell, small_copy, durable + "update films set year = 1890 where title = 'First Light 1'"],
                small, small_copy, lambda _: expect("edited", ask(small_copy, above + "= 1890"), "1"))


def prepare(data, count, scratch):
    """Writes the files that both tools read; returns the titles."""
    with open(os.path.join(data, f"films-{count}.csv"), encoding="utf-8", newline="") as file:
        rows = [[row[name] for name in FIELDS] for row in csv.DictReader(file)]
    path = lambda name: os.path.join(scratch, name)
    write_rows(path("films.csv"), rows)
    write_rows(path("small.csv"), rows[:SMALL])
    with open(path("small.csv.json"), "w", encoding="utf-8") as file:
        json.dump([dict(zip(FIELDS, row), year=int(row[1])) for row in rows[:SMALL]], file)
    step = len(rows) // UPDATED
    changed = [[row[0], 1880, *row[2:]] for row in rows[::step][:UPDATED]]
    write_rows(path("upsert.csv"), changed + [[f"New {place}", 1880, "Ada Zander", "1.00", "2020-01-01"]
                                              for place in range(NEW)])
    return [row[0] for row in rows]


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("catalog")
    parser.add_argument("data")
    parser.add_argument("count", type=int)
    parser.add_argument("--reps", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.data) as scratch:
        os.environ.update(HOME=scratch, XDG_CONFIG_HOME=scratch, XDG_DATA_HOME=scratch, XDG_STATE_HOME=scratch)
        titles = prepare(options.data, options.count, scratch)
        tools = [("catalog", catalog_works(os.path.abspath(options.catalog), scratch, titles))]
        shell = shutil.which("sqlite3")
        if shell:
            tools.append(("sqlite3 shell", sqlite_works(shell, scratch, titles)))
        else:
            print(json.dumps({"tool": "sqlite3 shell", "skipped": "not installed (apt-get install sqlite3)"}), flush=True)
        for name, works in tools:
            for work in works:
                seconds, memory = work.measure(options.reps)
                print(json.dumps({"tool": name, "task": work.task, "n": options.count, "seconds": round(seconds, 6),
                                  "mb": memory}), flush=True)


if __name__ == "__main__":
    main()
