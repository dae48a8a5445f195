#!/usr/bin/env python3
"""Open, edit and save files with a huge record, many distinct texts or many attributes, and print a table.

    extremes.py CATALOG [--scale 1.0] [--folder FOLDER]

Each kind is tried at half the size and at the full size. Linear work takes twice as long for the full size. The
memory is the peak of the process, also as a multiple of the file's size.

    record      one record of 100 MB: a text and a small number
    texts       10,000,000 records with a distinct text each
    attributes  a record with 1,000,000 attributes; a file with more than 1,048,576 is rejected
"""
import argparse
import os
import subprocess
import sys
import tempfile

WATCH = ("import resource, subprocess, sys, time; begun = time.perf_counter(); "
         "done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL); "
         "use = resource.getrusage(resource.RUSAGE_CHILDREN); "
         "print(time.perf_counter() - begun, use.ru_utime + use.ru_stime, use.ru_maxrss); sys.exit(done.returncode)")


def write_record(path, scale):
    with open(path, "w") as file:
        file.write('{"number": 1, "text": "' + "lorem ipsum " * int(100_000_000 * scale / 12) + '"}\n')
        file.write('{"number": 2, "text": "short"}\n')


def write_texts(path, scale):
    with open(path, "w") as file:
        for start in range(0, int(10_000_000 * scale), 10_000):
            file.write("".join(f'{{"number": {row}, "text": "text {row * 7919 % 99999989}"}}\n'
                               for row in range(start, start + 10_000)))


def write_attributes(path, scale):
    with open(path, "w") as file:
        file.write("{" + ", ".join(f'"a{slot}": {slot}' for slot in range(int(1_000_000 * scale))) + "}\n")


KINDS = {"record": (write_record, "number = 1", "number=5"), "texts": (write_texts, "number = 77", "number=-5"),
         "attributes": (write_attributes, "a7 = 7", "a7=8")}


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("catalog")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--folder")
    options = parser.parse_args()
    print("| kind | file | work | time | processor time | peak memory | memory / file |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, XDG_STATE_HOME=folder)
        for kind, (write, condition, change) in KINDS.items():
            for scale in (options.scale / 2, options.scale):
                path, log = os.path.join(folder, f"{kind}.jsonl"), os.path.join(folder, f"{kind}.catlog")
                write(path, scale)
                works = {"open and count": [path, "-e", "count"],
                         "filter": [path, "-e", f"count where {condition}"],
                         "edit and save": [path, "-e", f"set where {condition} {change}", "-e", "save"],
                         "copy into a log": [path, "-e", f"saveas log:{log}"],
                         "open the log": [log, "-e", "count"]}
                for name, words in works.items():
                    size = os.path.getsize(words[0]) / 1e6 if os.path.exists(words[0]) else 0
                    done = subprocess.run([sys.executable, "-c", WATCH, options.catalog, *words], capture_output=True,
                                          text=True)
                    if done.returncode != 0:
                        print(f"| {kind} | {size:,.0f} MB | {name} | failed: {done.stderr.strip()} | | | |")
                        continue
                    taken, processor, kilobytes = (float(word) for word in done.stdout.split())
                    memory = kilobytes * 1024 / 1e6
                    print(f"| {kind} | {size:,.0f} MB | {name} | {taken:.2f} s | {processor:.2f} s | {memory:,.0f} MB "
                          f"| {memory / size:.2f} |", flush=True)
                os.remove(path)
                if os.path.exists(log):
                    os.remove(log)


if __name__ == "__main__":
    main()
