#!/usr/bin/env python3
"""Turn the results of a run into a table of ratios, print it, and write it to a page with the machine and the command.

    report.py RESULTS.jsonl N --json-bytes BYTES [--out docs/benchmarks.md]
"""
import argparse
import datetime
import json
import os
import platform

# The work, our task, the tasks it is compared with ("=": only that of the named tool; "@": those of one other tool), the highest allowed ratio, and
# the first measurement with a million records, if there is one: our time, and its ratio (2026-11, another machine).
GOALS = [
    ("open the JSON file", "open-json", ["open-json"], 0.5, "767 ms, 1.13"),
    ("open the CSV file, against DuckDB", "open-csv", ["open-csv@duckdb"], 1.0, ""),
    ("open the CSV file, against VisiData", "open-csv", ["open-csv@visidata"], 0.3, ""),
    ("open the log, against opening our JSON", "open-log", ["=catalog open-json"], 0.2, "812 ms, 1.06"),
    ("filter by a comparison", "filter-number", ["filter-number"], 0.36, "0.84 ms, 0.36"),
    ("filter by a text search", "filter-text", ["filter-text"], 1.0, "125 ms, 5.6"),
    ("sort all by two keys", "sort", ["sort"], 0.8, "53.6 ms, 1.0"),
    ("the first 40 by two keys", "top40", ["top40"], 0.8, "4.85 ms, 0.9"),
    ("insert all and save", "insert", ["insert"], 1.0, "5.68 s, 4.0"),
    ("one edit, saved, log", "edit-log", ["floor-append"], 1.3, "253 µs, 1.63"),
    ("one edit, saved, JSON", "edit-json", ["floor-replace"], 0.8, "148 ms, 0.80"),
    ("insert all as models and save", "model-insert", ["model-insert"], 1.0, "1.97 s, 1.7"),
    ("upsert all as models and save, in memory", "model-upsert", ["model-upsert"], 2.0, "20.1 s, –"),
    ("read a number of a model, against a plain property", "model-read", ["=catalog model-read-plain"], 10, "19.5 ns, 17"),
    ("read a text of a model, against a plain property", "model-read-text", ["=catalog model-read-text-plain"], 10, ""),
    ("import CSV and save, whole run", "run-import-csv", ["run-import-csv"], 1.0, "1.08 s for 100,000"),
    ("export as CSV, whole run", "run-export-csv", ["run-export-csv"], 1.0, "4.0 s"),
    ("export as JSON, whole run", "run-export-json", ["run-export-json"], 1.0, "4.5 s"),
    ("copy into a log, against opening the JSON, whole runs", "run-saveas-log", ["=catalog run-open-json"], 2.0, "7.1 s"),
    ("copy into JSON, against opening the JSON, whole runs", "run-saveas-json", ["=catalog run-open-json"], 2.0, ""),
    ("count with a condition, whole run", "run-count-where", ["run-count-where"], 3.0, ""),
    ("script: import 100,000 lines of CSV and save", "script-import", ["script-import"], 1.0, ""),
    ("script: export 100,000 records as JSON", "script-export", ["script-export"], 1.0, ""),
    ("script: upsert of 1,500 rows into 100,000", "script-upsert", ["script-upsert"], 2.0, ""),
    ("script: count with a condition in 100,000", "script-count", ["script-count"], 3.0, ""),
    ("script: 10,000 edits by identifier", "script-edits", ["script-edits"], 3.0, ""),
    ("script: 10,000 edits by a unique field", "script-edits-key", ["script-edits-key"], 3.0, ""),
    ("script: one edit of a small file", "script-edit-one", ["script-edit-one"], 3.0, ""),
    ("set a field of all marked records, against set where", "set-marked", ["=catalog set-where"], 2.0, ""),
    ("delete all marked records, against delete where", "delete-marked", ["=catalog delete-where"], 2.0, ""),
    ("duplicate all marked records, against duplicate where", "duplicate-marked", ["=catalog duplicate-where"], 2.0, ""),
    ("delete marked records and undo, against the same in a script", "undo-marked", ["=catalog undo-where"], 2.0, ""),
    ("SQLite: open to the first 50 rows, by two columns without an index", "sqlite-open-sort", ["sqlite-open-sort"], 1.2, ""),
    ("SQLite: count with a condition", "sqlite-count-where", ["sqlite-count-where"], 1.2, ""),
    ("SQLite: contains in any case, against LIKE", "sqlite-contains", ["sqlite-contains"], 1.2, ""),
    ("SQLite: insert all with history, against prepared statements", "sqlite-insert", ["model-insert@sqlite"], 2.0, ""),
    ("SQLite: one edit, saved, against the same in C", "sqlite-edit", ["sqlite-edit"], 1.5, ""),
    ("SQLite: fetch 100,000 models, against the log", "model-fetch-sqlite", ["=catalog model-fetch-log"], 1.5, ""),
    ("count by #Predicate, against the same filter as text", "model-predicate", ["=catalog model-filter-text"], 2.0, ""),
]

# The highest exponents of growth: what looks at all records, and what looks at one.
ALL_RECORDS, ONE_RECORD = 1.05, 0.05
GROWTH = {"open-json": ALL_RECORDS, "open-log": ALL_RECORDS, "filter-number": ALL_RECORDS, "filter-text": ALL_RECORDS,
          "sort": ALL_RECORDS, "insert": ALL_RECORDS, "edit-json": ALL_RECORDS, "edit-log": ONE_RECORD, "key": ONE_RECORD}


def read(path):
    """Returns the JSON objects of a results file, and its other lines."""
    objects, others = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if isinstance(value, dict):
                objects.append(value)
            elif line.strip():
                others.append(line.rstrip("\n"))
    return objects, others


def duration(seconds):
    if seconds is None:
        return "–"
    if seconds < 1e-6:
        return f"{seconds * 1e9:.1f} ns"
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] + ["---:"] * (len(header) - 1)) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def is_ours(tool):
    return tool.split()[0] == "catalog"


def ratio_rows(figures, json_bytes, count):
    ours = {figure["task"]: figure["seconds"] for figure in figures if is_ours(figure["tool"])}
    others = [figure for figure in figures if not is_ours(figure["tool"])]
    rows = []
    for work, task, against, limit, before in GOALS:
        tasks = [name.partition("@") for name in against]
        candidates = [(figure["seconds"], figure["tool"]) for figure in others
                      if any(figure["task"] == name and figure["tool"].startswith(tool) for name, _, tool in tasks)]
        if against[0].startswith("="):
            own = against[0].split()[1]
            candidates = [(ours[own], "catalog")] if own in ours else []
        best = min(candidates, default=(None, ""))
        rows.append([*ratio_row(work, ours.get(task), best, limit), before])
    if "model-fetch" in ours and "model-fetch-store" in ours:
        beyond = (ours["model-fetch"] - ours["model-fetch-store"]) / count
        rows.append(["fetch a model, beyond the work of the store", duration(beyond), "", "–", "1 µs",
                     "yes" if beyond <= 1e-6 else "**no**", "1.74 µs"])
    memory = max((figure.get("mb", 0) for figure in figures
                  if is_ours(figure["tool"]) and figure["task"] == "open-json"), default=0)
    if memory:
        size = json_bytes / 1_000_000
        rows.append(["memory, against the size of the JSON file", f"{memory} MB", f"{size:.0f} MB",
                     f"{memory / size:.2f}", "0.8", "yes" if memory <= 0.8 * size else "**no**", "460 MB, 2.17"])
    return rows


def limit_rows(figures):
    """Returns the rows for SQLite whose limit is a time."""
    ours = {figure["task"]: figure["seconds"] for figure in figures if is_ours(figure["tool"])}
    for work, task, limit in (("SQLite: open to the first 50 rows, by the key", "sqlite-open-key", 0.015),
                              ("SQLite: any later page of 50 rows, by the key, 99 in 100", "sqlite-page", 0.005),
                              ("SQLite: the same, by two columns without an index", "sqlite-page-sort", 0.005)):
        if task in ours:
            yield [work, duration(ours[task]), "", "–", duration(limit), "yes" if ours[task] <= limit else "**no**", ""]


def terminal_rows(scenarios):
    """Returns the rows that need a terminal: the time to start, and the response time of a key."""
    steps = {scenario["scenario"]: scenario for scenario in scenarios}
    rows = []
    if "catalog-sample" in steps and "ncurses" in steps:
        ours, floor = (steps[name]["first-screen"] for name in ("catalog-sample", "ncurses"))
        rows.append(["start with the sample, against opening ncurses", duration(ours), duration(floor),
                     f"{ours / floor:.2f}", "+5 ms", "yes" if ours - floor <= 0.005 else "**no**", "21.2 ms, +14 ms"])
    for name in ("catalog-json", "catalog-log", "catalog-sqlite"):
        if "key-p99-ms" in steps.get(name, {}):
            taken = steps[name]["key-p99-ms"]
            rows.append([f"key to changed screen, 99 in 100, {name.removeprefix('catalog-')}", duration(taken / 1000), "",
                         "–", "2.5 ms", "yes" if taken <= 2.5 else "**no**", "2.35 ms" if name == "catalog-json" else ""])
    if "mb" in steps.get("catalog-sqlite", {}) and "catalog-sample" in steps:
        ours, start = (steps[name]["mb"] for name in ("catalog-sqlite", "catalog-sample"))
        rows.append(["memory of a browsed SQLite table, against the sample", f"{ours:.0f} MB", f"{start:.0f} MB", "–", "+40 MB",
                     "yes" if ours - start <= 40 else "**no**", ""])
    if "filter" in steps.get("catalog-json", {}):
        ours, others = steps["catalog-json"]["filter"], [(steps[name]["filter"], name.split("-")[0])
                                                         for name in ("visidata-json", "fzf") if name in steps]
        best = min(others, default=(None, ""))
        rows.append([*ratio_row("filter typed on the screen", ours, best, 1.0), "3.5 s, 15"])
    return rows


def growth_rows(growths):
    for item in growths:
        limit = GROWTH[item["growth"]]
        yield [item["growth"], *[duration(seconds) for seconds in item["seconds"]], f"{item['exponent']:.2f}", str(limit),
               "yes" if item["exponent"] <= limit else "**no**"]


def ratio_row(work, seconds, best, limit):
    other = f"{duration(best[0])} {best[1]}".strip()
    if seconds is None or best[0] is None:
        return [work, duration(seconds), other, "–", str(limit), "–"]
    ratio = seconds / best[0]
    return [work, duration(seconds), other, f"{ratio:.2f}", str(limit), "yes" if ratio <= limit else "**no**"]


def figure_rows(figures):
    tools = sorted({figure["tool"] for figure in figures}, key=lambda tool: (not is_ours(tool), tool))
    tasks = list(dict.fromkeys(figure["task"] for figure in figures))
    seconds = {(figure["tool"], figure["task"]): figure["seconds"] for figure in figures}
    rows = [[task] + [duration(seconds.get((tool, task))) for tool in tools] for task in tasks]
    memory = {tool: max(figure.get("mb", 0) for figure in figures if figure["tool"] == tool) for tool in tools}
    return tools, rows + [["memory"] + [f"{memory[tool]} MB" if memory[tool] else "–" for tool in tools]]


def scenario_rows(scenarios):
    steps = list(dict.fromkeys(name for scenario in scenarios for name in scenario if name not in ("scenario", "n")))
    shown = lambda name, value: "–" if value is None else duration(value / 1000) if name.endswith("-ms") \
        else f"{value:.0f} MB" if name == "mb" else duration(value)
    rows = [[name.removesuffix("-ms")] + [shown(name, scenario.get(name)) for scenario in scenarios] for name in steps]
    return [scenario["scenario"] for scenario in scenarios], rows


def machine():
    model, memory = platform.machine(), ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = f"{int(file.readline().split()[1]) / (1 << 20):.0f} GB"
    return f"{os.cpu_count()} × {model}, {memory}, {platform.system()} {platform.release()}"


def report(objects, others, options):
    figures = [item for item in objects if "tool" in item and "seconds" in item]
    scenarios = [item for item in objects if "scenario" in item and "skipped" not in item and "failed" not in item]
    growths = [item for item in objects if "growth" in item]
    without = [item for item in objects if "skipped" in item or "failed" in item]
    yield from ["# Benchmarks", "", f"{options.count:,} records ({options.json_bytes / 1e6:.0f} MB of JSON), "
                f"{datetime.date.today().isoformat()}, on {machine()}.",
                f"Written by `make bench N={options.count} REPS={options.reps}`; `bench/README.md` says what is measured, and how.", "",
                "## Ratios", "", "Ours against the fastest other tool in the same run; less is better. `before` is the first measurement with a "
                "million records: our time and its ratio.", ""]
    yield from table(["work", "catalog", "fastest other", "ratio", "at most", "held", "before"],
                     ratio_rows(figures, options.json_bytes, options.count) + [*limit_rows(figures)] + terminal_rows(scenarios))
    if growths:
        sizes = [f"{size:,}" for size in growths[0]["sizes"]]
        yield from ["", "## Growth", "", "The exponent of the time by the number of records: 1 is linear.", "",
                    *table(["work", *sizes, "exponent", "at most", "held"], growth_rows(growths))]
    if figures:
        tools, rows = figure_rows(figures)
        yield from ["", "## All figures", "", *table(["task", *tools], rows)]
    if scenarios:
        names, rows = scenario_rows(scenarios)
        yield from ["", "## In the terminal", "",
                    "Through tmux, 120 columns by 40 rows. `floor` is the key loop on `cat`: what the method costs.", "",
                    *table(["step", *names], rows)]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "missed.md"), encoding="utf-8") as missed:
        yield from ["", *missed.read().splitlines()]
    if without:
        yield from ["", "## Not measured", ""]
        for item in without:
            reason = item.get("skipped") or f"failed at the step \"{item['failed']}\""
            yield f"- {item.get('tool') or item.get('scenario')}: {reason}"
    if others:
        yield from ["", "## Other output", "", "```", *others, "```"]


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("results", metavar="RESULTS.jsonl")
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("--json-bytes", type=int, required=True)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--out")
    options = parser.parse_args()
    objects, others = read(options.results)
    text = "\n".join(report(objects, others, options)) + "\n"
    print(text, end="")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
