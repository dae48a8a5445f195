#!/usr/bin/env python3
"""Time what is done to all marked records of a JSON Lines file on the screen, and the same as one command of a script.

    marks.py CATALOG FILE.json COUNT [--reps 3]

The screen is driven without a terminal (`--keys`): mark all, do it. Prints a line of JSON for each task; a task ends
in `-marked` for the keys and in `-where` for the command. What opening the file takes is in both.
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
    # 3: unsaved changes were discarded, which is what is wanted here.
    if done.returncode not in (0, 3):
        sys.exit(f"marks.py: {command}: status {done.returncode}: {done.stderr.strip()}")
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
            # The first column of text, whichever it is.
            column = list(records[0]).index(text)
            with open(keys, "w", encoding="utf-8") as file:
                file.write("0 " + "l " * column + pressed + "\n")
            marked = [run([options.catalog, path, "--keys", keys]) for _ in range(options.reps)]
            script = line.replace("TEXT", text)
            where = [run([options.catalog, path], script + "\n") for _ in range(options.reps)]
            for kind, seconds in (("marked", marked), ("where", where)):
                print(json.dumps({"tool": "catalog", "task": f"{task}-{kind}", "seconds": statistics.median(seconds)}))


main()
