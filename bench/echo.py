#!/usr/bin/env python3
"""Type prompts and commands at full speed on a large file, and print how soon each key is echoed and work is stopped.

    echo.py CATALOG FILE.json [--columns 120] [--rows 40] [--markdown]

The program runs on a pseudo-terminal. A key counts as echoed when the program has written the character; the next key
follows at once. Work is stopped by ^C after a moment, and counts as stopped when the message line says so. Prints one
JSON object for each step; times are in milliseconds.
"""
import argparse
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import sys
import tempfile
import termios
import time

FILTER = "title contains needle"
# What is typed, and whether it runs longer than a moment.
LINES = [":sort title, year", ":set where year > 1900 director=x", ":stats title", ":delete where year > 1900",
         ":duplicate where year > 1900", ":list sort title", ":export {out}", ":import {csv}"]


class Program:
    def __init__(self, command, columns, rows):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(command[0], command)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.output = b""

    def read(self, seconds):
        """Reads what arrives within the time; returns it, or nothing."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.terminal, 1 << 20)
        except OSError:
            sys.exit("echo.py: the program has ended")

    def wait(self, wanted, seconds=60):
        """Waits until the program has written the bytes; returns the seconds, or None after the limit."""
        begun = time.perf_counter()
        output = b""
        while wanted not in output:
            left = begun + seconds - time.perf_counter()
            if left <= 0:
                return None
            output = output[-200:] + self.read(left)
        return time.perf_counter() - begun

    def rest(self, quiet=0.5, seconds=60):
        """Reads until nothing has been written for a while."""
        limit = time.perf_counter() + seconds
        while time.perf_counter() < limit and self.read(quiet):
            pass

    def press(self, key):
        os.write(self.terminal, key)

    def type(self, text):
        """Types the text; returns the seconds until each key was echoed."""
        times = []
        for character in text:
            self.press(character.encode())
            # The end of a line moves the cursor instead of writing a space.
            took = self.wait(b"" if character == " " else character.encode(), 10)
            times.append(10 if took is None else took)
        return times


def report(step, times, stop=None):
    line = {"step": step, "keys": len(times), "median": round(1000 * statistics.median(times), 2),
            "worst": round(1000 * max(times), 2)}
    if stop is not None:
        line["stopped"] = round(1000 * stop, 1)
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("catalog")
    parser.add_argument("file")
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--rows", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, XDG_STATE_HOME=folder, LC_ALL="C.UTF-8")
        names = {"out": os.path.join(folder, "out.csv"), "csv": options.file.rsplit(".", 1)[0] + ".csv"}
        program = Program([options.catalog, options.file], options.columns, options.rows)
        program.rest(2)
        for step, key in (("filter", b"f"), ("search", b"/")):
            program.press(key)
            program.rest(0.2)
            times = program.type(FILTER if step == "filter" else "needle 999")
            report(step, times)
            program.press(b"\x1b")
            program.rest()
            program.press(b"\x1b")
            program.rest()
        for line in LINES:
            text = line.format(**names)
            program.press(text[:1].encode())
            program.rest(0.2)
            times = program.type(text[1:])
            program.press(b"\r")
            # Long enough to be at work, and too short to have finished.
            time.sleep(0.12)
            program.read(0)
            program.press(b"\x03")
            report(line.split(" {")[0], times, program.wait(b"canceled", 20))
            program.rest()
            for key in (b"\x1b", b"u"):
                program.press(key)
                program.rest()
        os.kill(program.process, 9)


if __name__ == "__main__":
    main()
