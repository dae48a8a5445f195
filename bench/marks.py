#!/usr/bin/env python3
"""Time actions on all marked records of a JSON Lines file on the screen, and the same as one command of a script.

    marks.py CATALOG FILE.json COUNT [--reps 3]

The screen runs without a terminal (`--keys`): mark all records, then perform the action. Prints one JSON object per line
for each task; its name ends in `-marked` for the keys and in `-where` for the command. Both times include opening the
file.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TASKS = {
    "set": ("* e x Enter", "set where TEXT is not null TEXT=x"),
    "delete": ("* d y", "delete where TEXT is not null"),
    "duplicate": ("* Y", "duplicate where TEXT is not null"),
    "undo": ("* d y u", "delete where TEXT is not null\nundo"),
}


def run(command, text=None):
    begun = time.perf_counter()
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    # Status 3: unsaved changes were discarded, as intended here.
    if done.returncode not in (0, 3):
        sys.exit(f"marks.py: {command}: status {done.returncode}: {done.stderr.strip()}")
    return seconds


def repeat(count, command, text=None):
    """The seconds of each repetition; long work is repeated once, so that the whole run is short."""
    seconds = []
    while len(seconds) < count and (len(seconds) < 2 or sum(seconds) < 15):
        seconds.append(run(command, text))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalog")
    parser.add_argument("file")
    parser.add_argument("count", type=int)
    parser.add_argument("--reps", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, XDG_STATE_HOME=folder)
        path = os.path.join(folder, "records.jsonl")
        with open(options.file, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as target:
            records = json.load(source)[: options.count]
            for record in records:
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
        text = next(key for key, value in records[0].items() if isinstance(value, str))
        keys = os.path.join(folder, "keys")
        for task, (pressed, line) in TASKS.items():
            # Move to the first text column.
            column = list(records[0]).index(text)
            with open(keys, "w", encoding="utf-8") as file:
                file.write("0 " + "l " * column + pressed + "\n")
            marked = repeat(options.reps, [options.catalog, path, "--keys", keys])
            script = line.replace("TEXT", text)
            where = repeat(options.reps, [options.catalog, path], script + "\n")
            for kind, seconds in (("marked", marked), ("where", where)):
                print(json.dumps({"tool": "catalog", "task": f"{task}-{kind}", "seconds": statistics.median(seconds)}))


main()
