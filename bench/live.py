#!/usr/bin/env python3
"""Measure when the screen shows what another program has committed to a SQLite database, in milliseconds.

    live.py [CATALOG] [--times 15]

The saves are 0.4 s apart, so that each is noticed by itself. Needs tmux. Not part of `run`.
"""
import argparse
import os
import sqlite3
import tempfile
import time

import terminal


def measure(program, journal, times):
    with tempfile.TemporaryDirectory(prefix="catalog-bench-") as folder:
        path = os.path.join(folder, "live.db")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute(f"pragma journal_mode = {journal}")
        other.execute("create table t (id integer primary key, name text)")
        other.execute("insert into t values (1, 'a')")
        screen = terminal.Terminal(folder, 100, 30)
        try:
            screen.start([os.path.abspath(program), path], terminal.environment(folder, {}))
            found = []
            for number in range(times):
                time.sleep(2 if number == 0 else 0.4)
                screen.forget_output()
                text = f"value{number}"
                other.execute("update t set name = ?", (text,))
                start = time.perf_counter()
                while text not in screen.screen() and time.perf_counter() - start < 5:
                    screen.output(0.5)
                found.append(round((time.perf_counter() - start) * 1000))
            return sorted(found)
        finally:
            screen.close()


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("program", metavar="CATALOG", nargs="?", default=".build/release/catalog")
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    for journal in ("delete", "wal"):
        found = measure(options.program, journal, options.times)
        print(f"{journal}: median {found[len(found) // 2]} ms, worst {found[-1]} ms")


if __name__ == "__main__":
    main()
