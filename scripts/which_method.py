#!/usr/bin/env python3
"""Measures the tables of docs/which-method.md anew and writes them into the page.

    scripts/which_method.py build/release/rigor [--runs 3] [--sections Stacks,Loops]

Each row is `rigor run SCENE --method M --seconds S --threads 1 --json` with the scene's own step. Times are the smallest median of `--runs`
runs, taken in turns by all methods, because other work on the machine only makes them larger; the other figures are the same in every run.
The sentences of the page and its table of piles are not changed.
"""

import argparse
import json
import os
import re
import subprocess

PAGE = "docs/which-method.md"
METHODS = ["soft-step", "tgs", "sap", "nsgs", "servin"]
TRUTH = {"natural map": ("natural_map", "rms"), "penetration": ("penetration", "max"), "momentum": ("momentum", "rms"),
         "joints": ("joint_error", "max")}
# Section: methods, and the scenes with seconds and columns; a scene's name in the head where there are several.
SECTIONS = {
    "Stacks": (METHODS, [("c-column-10", 1, ["ms", "natural map", "penetration", "momentum"], "")]),
    "Mass ratios": (METHODS, [("h-mass-ratio", 1, ["ms", "natural map", "penetration"], "")]),
    "Friction": (METHODS, [("card-house", 0.5, ["ms", "natural map", "penetration"], "cards"),
                           ("i-slope-25", 1, ["ms", "natural map"], "slope")]),
    "Chains and trees": (METHODS, [("chain", 1, ["ms", "joints"], "chain"), ("e-chains", 0.3, ["ms", "joints"], "e-chains"),
                                   ("j-tree", 0.5, ["ms", "joints"], "j-tree")]),
    "Loops": (METHODS, [("bridge", 0.5, ["ms", "natural map", "penetration", "joints"], "")]),
    "Machines": (METHODS, [("bender-car", 0.3, ["ms", "natural map", "joints"], "")]),
}


def measure(rigor, scene, method, seconds):
    command = [rigor, "run", scene, "--method", method, "--seconds", str(seconds), "--threads", "1", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def figure(result, column):
    if column == "ms":
        return result["ms_per_step"]["median"]
    name, part = TRUTH[column]
    return result["truth"].get(name, {}).get(part)


def text(value, column):
    if value is None:
        return "–"
    if column == "ms":
        return f"{value:.2g}" if value < 100 else f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return "0" if value == 0 else f"{mantissa}e{int(exponent)}"


def table(rigor, methods, scenes, runs):
    cells = {}
    for _ in range(runs):
        for scene, seconds, columns, _ in scenes:
            for method in methods:
                result = measure(rigor, scene, method, seconds)
                for column in columns:
                    value, before = figure(result, column), cells.get((method, scene, column))
                    if column == "ms" and before is not None:
                        value = min(value, before)
                    cells[method, scene, column] = value
    head = ["method"]
    for _, _, columns, name in scenes:
        head += [f"{name}: {c}" if name and i == 0 else c for i, c in enumerate(columns)]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for method in methods:
        row = [text(cells[method, scene, c], c) for scene, _, columns, _ in scenes for c in columns]
        lines.append("| " + " | ".join([method] + row) + " |")
    return lines


def replace_table(page, section, lines):
    start = page.index(f"### {section}\n")
    found = re.compile(r"(^\|.*\n)+", re.MULTILINE).search(page, start)
    return page[:found.start()] + "\n".join(lines) + "\n" + page[found.end():]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rigor", help="the program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sections", default=",".join(SECTIONS))
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    for section in options.sections.split(","):
        lines = table(options.rigor, *SECTIONS[section], options.runs)
        print(f"{section}\n" + "\n".join(lines), flush=True)
        with open(PAGE, encoding="utf-8") as file:
            page = replace_table(file.read(), section, lines)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
