#!/usr/bin/env python3
"""Turn figures at several sizes into exponents of growth, and print one JSON object per line.

    growth.py RESULTS.jsonl…

Each file holds the figures of one size, as `catalog-bench` and `terminal.py` print them. The exponent of a task is the
slope of a straight line through the logarithms of its sizes and times (least squares): 1 is linear, 0 does not depend
on the size.
"""
import json
import math
import sys

# The tasks of catalog-bench, and the steps of the scenario that are reported in milliseconds.
TASKS = ["open-json", "open-log", "filter-number", "filter-text", "sort", "insert", "edit-log", "edit-json"]
SCENARIO, STEP = "catalog-log", "key-ms"


def points(paths):
    """The times of each task by size."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    item = json.loads(line)
                except ValueError:
                    continue
                if item.get("tool") == "catalog" and item.get("task") in TASKS:
                    found.setdefault(item["task"], {})[item["n"]] = item["seconds"]
                if item.get("scenario") == SCENARIO and STEP in item:
                    found.setdefault("key", {})[item["n"]] = item[STEP] / 1000
    return found


def slope(times):
    pairs = [(math.log(size), math.log(seconds)) for size, seconds in times.items()]
    middle = [sum(values) / len(pairs) for values in zip(*pairs)]
    return (sum((x - middle[0]) * (y - middle[1]) for x, y in pairs) / sum((x - middle[0]) ** 2 for x, _ in pairs))


def main():
    for task, times in points(sys.argv[1:]).items():
        if len(times) > 1:
            print(json.dumps({"growth": task, "sizes": sorted(times), "seconds": [times[size] for size in sorted(times)],
                              "exponent": round(slope(times), 3)}))


if __name__ == "__main__":
    main()
