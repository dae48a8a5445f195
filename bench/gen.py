#!/usr/bin/env python3
"""Write N random film records; the same N and seed give the same bytes.

    gen.py N [--format json|jsonl|csv|sqlite] [--seed S] [--out FILE]

    title      text     ends with its row number, from 1; contains NEEDLE where row % 100 == 37
    year       integer  1900 to 2025
    director   text     about 2,200 names, some with letters outside ASCII
    boxOffice  decimal  two digits after the point, never converted to a float
    released   date     in that year
    favourite  boolean  one in eight
    notes      text     null in one of three, else 5 to 25 words

The first record is "First Light 1" with the least boxOffice, the last is "Last Word N" with the greatest, so that the
first row of a sorted screen is known. Rows are written as they are generated, in constant memory.
"""
import argparse
import csv
import datetime
import json
import os
import random
import sqlite3
import sys

COLUMNS = ["title", "year", "director", "boxOffice", "released", "favourite", "notes"]

MOODS = ["Amber", "Bitter", "Borrowed", "Careless", "Clever", "Crooked", "Double", "Eastern", "Faithful", "Frozen",
         "Half", "Iron", "Late", "Marble", "Minor", "Quiet", "Restless", "Second", "Tidal", "Yellow"]
THINGS = ["Alibi", "Almanac", "Bakery", "Bridge", "Cartographer", "Comet", "Ferry", "Gardener", "Heron", "Inventory",
          "Jury", "Kite", "Lighthouse", "Meridian", "Notebook", "Observatory", "Postman", "Quarry", "Refrain", "Tram"]
FOREIGN = ["Der lange Flur", "Čas snů", "El jardín", "Größe", "夜の電車", "바람의 집", "Последний трамвай", "La forêt"]
GIVEN = ["Adele", "Bruno", "Céline", "Daria", "Emil", "Frieda", "Gustav", "Hana", "Ivo", "Jana", "Karel", "Lucía",
         "Milan", "Nadia", "Ole", "Petra", "Rafael", "Simone", "Teresa", "Ugo", "Vera", "Willem", "Yara", "Zoltán"]
FAMILY = ["Alder", "Brandt", "Castro", "Dvořák", "Egger", "Ferrari", "Grünwald", "Hansen", "Ito", "Jensen", "Keller",
          "Lopes", "Mazur", "Nagy", "Olsen", "Popescu", "Quinn", "Rossi", "Sørensen", "Tran", "Ueda", "Vogel", "Wong"]
SECOND = ["", " B.", " K.", " M."]
WORDS = ("a story about two people who meet by chance and then part again in the old town where nothing seems to "
         "change until one winter morning somebody finds letters that were never sent").split()


def records(count, seed):
    """The rows, each a tuple in the order of COLUMNS; boxOffice is text with two decimals."""
    uniform = random.Random(seed).random
    pick = lambda choices: choices[int(uniform() * len(choices))]
    for row in range(1, count + 1):
        if row == 1:
            yield "First Light 1", 1900, "Ada Zander", "0.01", "1900-01-01", True, None
            continue
        if row == count:
            yield f"Last Word {row}", 2025, "Zeno Abel", "4000000000.00", "2025-12-31", False, None
            continue
        name = pick(FOREIGN) if uniform() < 0.05 else f"The {pick(MOODS)} {pick(THINGS)}"
        needle = " NEEDLE" if row % 100 == 37 else ""
        year = 1900 + int(uniform() * 126)
        day = datetime.date(year, 1, 1) + datetime.timedelta(days=int(uniform() * 365))
        cents = 2 + int(uniform() ** 5 * 399_999_999_997)
        notes = None
        if uniform() < 0.67:
            start = int(uniform() * 10)
            notes = " ".join(WORDS[start:start + 5 + int(uniform() * 21)])
        yield (f"{name}{needle} {row}", year, f"{pick(GIVEN)}{pick(SECOND)} {pick(FAMILY)}",
               f"{cents // 100}.{cents % 100:02d}", day.isoformat(), uniform() < 0.125, notes)


def json_object(record):
    title, year, director, box_office, released, favourite, notes = record
    text = lambda value: json.dumps(value, ensure_ascii=False)
    return (f'{{"title": {text(title)}, "year": {year}, "director": {text(director)}, "boxOffice": {box_office}, '
            f'"released": "{released}", "favourite": {"true" if favourite else "false"}, "notes": {text(notes)}}}')


def write_json(rows, out):
    out.write("[\n")
    for index, record in enumerate(rows):
        out.write(("  " if index == 0 else ",\n  ") + json_object(record))
    out.write("\n]\n")


def write_jsonl(rows, out):
    for record in rows:
        out.write(json_object(record) + "\n")


def write_csv(rows, out):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in rows:
        writer.writerow(record[:5] + ("true" if record[5] else "false", record[6]))


def write_sqlite(rows, path):
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute("create table films (id integer primary key, title text not null, year integer, director text, "
                     "boxOffice numeric, released text, favourite integer, notes text)")
    database.executemany("insert into films (title, year, director, boxOffice, released, favourite, notes) "
                         "values (?, ?, ?, ?, ?, ?, ?)", rows)
    database.commit()
    database.close()


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("--format", choices=["json", "jsonl", "csv", "sqlite"], default="json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="file to write, instead of standard output; needed for sqlite")
    options = parser.parse_args()
    if options.count < 2:
        parser.error("N must be at least 2")
    rows = records(options.count, options.seed)
    if options.format == "sqlite":
        if not options.out:
            parser.error("--format sqlite needs --out FILE")
        write_sqlite(rows, options.out)
        return
    write = {"json": write_json, "jsonl": write_jsonl, "csv": write_csv}[options.format]
    path = options.out or sys.stdout.fileno()
    with open(path, "w", encoding="utf-8", newline="", closefd=bool(options.out)) as out:
        write(rows, out)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
