#!/usr/bin/env python3
"""Run a scenario in a full-screen program inside tmux and print the time of each step as JSON.

    terminal.py SCENARIO.json FILE N [--reps 3] [--columns 120] [--rows 40] [--show]

A scenario is a JSON object:

    {"name": "visidata-json",
     "command": ["${VISIDATA:-vd}", "{file}"],
     "environment": {"NAME": "value"},
     "steps": [
       {"name": "first-screen", "until": "First Light"},
       {"keys": ["c", "=boxOffice", "Enter"], "pause": 0.3},
       {"name": "sort", "keys": ["]"], "until": "Last Word"},
       {"name": "key", "keys": ["Down"], "times": 50},
       {"name": "save", "keys": ["C-s"], "stable": "{save}"}]}

A step presses its keys, then waits. "until" waits for a regular expression to match the text on the screen. "stable" waits
until the file exists and has not grown for a quarter of a second, which is not counted. "pause" only waits. A step with
a name is reported in seconds from its last key, or from the start of the program if it has no keys. With "times" the
keys are pressed that many times, each time until the screen has changed; the median, the 99th percentile and the worst
time are reported in milliseconds. A key is a tmux key name, or "=" and text.

Placeholders: {file}; {n} and {needles} (digits, with or without thousands separators; only in "until"); {copy}, a copy
of the file that may be written; {save}, a path that does not exist yet; ${NAME:-value} from the environment.

tmux runs in control mode and reports immediately when the program has written output, so there is no polling. The same
key loop on `cat` shows the overhead of the method, which each run reports as "floor-ms".
"""
import argparse
import json
import math
import os
import queue
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time


class Terminal:
    """A private tmux server that runs one program and is driven over its control mode."""

    def __init__(self, folder, columns, rows):
        self.folder = folder
        self.socket = os.path.join(folder, "tmux")
        self.events = queue.SimpleQueue()
        self.answers = queue.SimpleQueue()
        self.pane = None
        self.pid = None
        self.client = subprocess.Popen(
            ["tmux", "-S", self.socket, "-f", "/dev/null", "-C", "new-session", "-s", "bench", "sleep 1000000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", bufsize=1)
        threading.Thread(target=self._read, daemon=True).start()
        self.answers.get(timeout=10)
        self.tell("set-option -g remain-on-exit on")
        self.tell("set-option -g default-terminal tmux-256color")
        self.tell(f"refresh-client -C {columns},{rows}")

    def _read(self):
        """Separates the answers of tmux from its notices of output, and adds the time to each."""
        block = None
        for line in self.client.stdout:
            line = line.rstrip("\n")
            if block is not None:
                if line.startswith(("%end ", "%error ")) and line.split()[1:3] == guard:
                    self.answers.put((line.startswith("%end "), block))
                    block = None
                else:
                    block.append(line)
            elif line.startswith("%begin "):
                guard, block = line.split()[1:3], []
            elif line.startswith("%output "):
                self.events.put((line.split(" ", 2)[1], time.perf_counter()))

    def tell(self, command):
        self.client.stdin.write(command + "\n")
        self.client.stdin.flush()
        fine, lines = self.answers.get(timeout=60)
        if not fine:
            raise RuntimeError(f"tmux: {command}: {' '.join(lines)}")
        return lines

    def start(self, command, environment):
        """Starts the program; returns the time just before the start."""
        script = os.path.join(self.folder, "start.sh")
        settings = [f"{name}={value}" for name, value in environment.items()]
        with open(script, "w", encoding="utf-8") as file:
            file.write("exec " + shlex.join(["env", *settings, *command]) + "\n")
        begun = time.perf_counter()
        answer = self.tell(f"new-window -P -F '#{{pane_id}} #{{pane_pid}}' 'exec sh {script}'")
        self.pane, pid = answer[0].split()
        self.pid = int(pid)
        return begun

    def press(self, key):
        if key.startswith("="):
            quoted = key[1:].replace("'", "'\\''")
            self.tell(f"send-keys -t {self.pane} -l -- '{quoted}'")
        else:
            self.tell(f"send-keys -t {self.pane} -- '{key}'")

    def screen(self, attributes=False):
        return "\n".join(self.tell(f"capture-pane -p {'-e' if attributes else ''} -t {self.pane}"))

    def ended(self):
        return self.tell(f"display-message -p -t {self.pane} '#{{pane_dead}}'") == ["1"]

    def output(self, timeout):
        """Waits until the program has written output; returns the time, or None after the timeout."""
        limit = time.perf_counter() + timeout
        while True:
            try:
                pane, moment = self.events.get(timeout=max(0.0, limit - time.perf_counter()))
            except queue.Empty:
                return None
            if pane == self.pane:
                return moment

    def forget_output(self):
        while True:
            try:
                self.events.get_nowait()
            except queue.Empty:
                return

    def peak_megabytes(self):
        """The peak memory of the program and its children, as counted by the kernel, in megabytes of 10^6 bytes."""
        children = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    # The name of the program, in parentheses, may contain anything.
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
        kilobytes, waiting = 0, [self.pid]
        while waiting:
            pid = waiting.pop()
            waiting += children.get(pid, [])
            try:
                with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                    kilobytes += sum(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
            except OSError:
                continue
        return kilobytes * 1024 // 1_000_000

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)
        self.client.stdin.close()
        self.client.wait(timeout=10)


class Failed(Exception):
    """A step timed out."""


class Player:
    """Runs the steps of a scenario in a terminal."""

    def __init__(self, terminal, fill, timeout, show):
        self.terminal, self.fill, self.timeout, self.show = terminal, fill, timeout, show

    def play(self, steps, begun):
        result = {}
        for step in steps:
            if "times" in step:
                result.update(self.latency(step))
                continue
            start = begun
            for key in step.get("keys", []):
                start = time.perf_counter()
                self.terminal.press(self.fill(key))
            ended = self.wait(step, start)
            if "name" in step:
                result[step["name"]] = round(ended - start, 4)
            if self.show:
                print(f"--- {step.get('name', 'step')}\n{self.terminal.screen()}", file=sys.stderr)
        return result

    def wait(self, step, start):
        time.sleep(step.get("pause", 0))
        ended = time.perf_counter()
        if "until" in step:
            ended = self.wait_for_text(step, start)
        if "stable" in step:
            ended = self.wait_for_file(self.fill(step["stable"]), step, start)
        return ended

    def wait_for_text(self, step, start):
        wanted = re.compile(self.fill(step["until"], pattern=True), re.MULTILINE)
        while True:
            self.terminal.forget_output()
            if wanted.search(self.terminal.screen()):
                return time.perf_counter()
            if time.perf_counter() - start > self.timeout:
                raise Failed(step.get("name") or step["until"])
            # Check again after a second: the screen may have been complete before we began to listen.
            if self.terminal.output(1) is None and self.terminal.ended():
                raise Failed(f"{step.get('name') or step['until']}: the program had ended")

    def wait_for_file(self, path, step, start):
        size, since = -1, start
        while time.perf_counter() - start <= self.timeout:
            now = time.perf_counter()
            found = os.stat(path).st_size if os.path.exists(path) else -1
            if found != size:
                size, since = found, now
            elif size > 0 and now - since >= 0.25:
                return since
            time.sleep(0.005)
        raise Failed(step.get("name") or path)

    def latency(self, step):
        times = []
        for _ in range(step["times"]):
            time.sleep(0.03)
            self.terminal.forget_output()
            before = self.terminal.screen(attributes=True)
            start = time.perf_counter()
            for key in step["keys"]:
                self.terminal.press(self.fill(key))
            while True:
                moment = self.terminal.output(min(self.timeout, 10))
                if moment is None:
                    raise Failed(step["name"])
                if self.terminal.screen(attributes=True) != before:
                    break
            times.append((moment - start) * 1000)
        times.sort()
        return {f"{step['name']}-ms": round(statistics.median(times), 2),
                f"{step['name']}-p99-ms": round(times[math.ceil(len(times) * 0.99) - 1], 2),
                f"{step['name']}-worst-ms": round(times[-1], 2)}


def filler(options, folder):
    """Returns a function that replaces the placeholders; in patterns, numbers match with thousands separators."""
    copy = os.path.join(folder, "copy-" + os.path.basename(options.file))
    plain = {"file": os.path.abspath(options.file), "copy": copy,
             "save": os.path.join(folder, "saved" + os.path.splitext(options.file)[1])}
    needles = options.count // 100 + (1 if options.count % 100 >= 37 else 0)
    marked = {"n": options.count, "needles": needles}

    def fill(text, pattern=False):
        text = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: os.environ.get(match[1]) or match[2], text)
        for name, value in plain.items():
            text = text.replace("{" + name + "}", re.escape(value) if pattern else value)
        for name, value in marked.items():
            digits = rf"(?<!\d){value:,}(?!\d)".replace(",", "[^0-9]?") if pattern else str(value)
            text = text.replace("{" + name + "}", digits)
        return text

    return fill, copy


def environment(folder, scenario):
    return {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder,
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "tmux-256color", **scenario.get("environment", {})}


def repetition(scenario, options):
    with tempfile.TemporaryDirectory(prefix="catalog-bench-") as folder:
        fill, copy = filler(options, folder)
        command = [fill(word) for word in scenario["command"]]
        if shutil.which(command[0]) is None:
            return {"skipped": f"{command[0]} is not installed"}
        if any("{copy}" in word for word in scenario["command"]):
            shutil.copyfile(options.file, copy)
        terminal = Terminal(folder, options.columns, options.rows)
        try:
            player = Player(terminal, fill, options.timeout, options.show)
            begun = terminal.start(command, environment(folder, scenario))
            result = player.play(scenario["steps"], begun)
            result["mb"] = terminal.peak_megabytes()
            terminal.start(["cat"], {})
            time.sleep(0.2)
            floor = player.latency({"name": "floor", "keys": ["=x"], "times": 20})
            result["floor-ms"] = floor["floor-ms"]
            return result
        except Failed as step:
            return {"failed": str(step), "screen": terminal.screen()}
        finally:
            terminal.close()


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("scenario", metavar="SCENARIO.json")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--timeout", type=float, default=300, help="seconds that one step may take")
    parser.add_argument("--show", action="store_true", help="show the screen after each step")
    options = parser.parse_args()
    with open(options.scenario, encoding="utf-8") as file:
        scenario = json.load(file)
    result = {"scenario": scenario["name"], "n": options.count}
    if shutil.which("tmux") is None:
        print(json.dumps({**result, "skipped": "tmux is not installed"}))
        return
    runs = []
    for _ in range(options.reps):
        runs.append(repetition(scenario, options))
        if "skipped" in runs[-1] or "failed" in runs[-1]:
            print(json.dumps({**result, **runs[-1]}, ensure_ascii=False))
            return
    medians = {name: round(statistics.median(run[name] for run in runs), 4) for name in runs[0]}
    print(json.dumps({**result, **medians}))


if __name__ == "__main__":
    main()
