#!/usr/bin/env python3
"""Counts the source files and the changes of folder on the way of one step of a method.

    scripts/step_files.py garstenauer --scene seesaw --list

The program runs under callgrind, which collects within Simulation::step() only. The symbol tables of the object files show where
each called function was compiled; functions of headers count for the files that they are inlined into. A change of folder is a
pair of folders with a call from one to the other.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

STEP = "_ZN5rigor10Simulation4stepEd"


def source_of_object(path):
    return "src/" + path.split("/src/", 1)[1].removesuffix(".o")


def functions_by_symbol(build, root):
    """Symbol -> the sources that define it, without inline functions and templates. Objects of deleted sources may be left over."""
    objects = [o for o in glob.glob(f"{build}/CMakeFiles/rigor.dir/src/**/*.o", recursive=True)
               if os.path.exists(os.path.join(root, source_of_object(o)))]
    if not objects:
        sys.exit(f"step_files: expected object files in {build}, got none; build the program first")
    table = {}
    lines = subprocess.run(["nm", "-A", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        path, rest = line.split(".o:", 1)
        kind, symbol = rest.split()[-2:]
        if kind in "Tt":
            table.setdefault(symbol.split(".")[0], set()).add(source_of_object(path + ".o"))
    return table


def calls_of(profile):
    """The calls (caller, callee) of a callgrind file, by symbol."""
    names, calls, current, callee = {}, set(), None, None

    def name(text):
        number, symbol = re.match(r"\((\d+)\)(?: (.*))?", text).groups()
        if symbol:
            names[number] = symbol.split("'")[0].split(".")[0]
        return names[number]

    with open(profile) as lines:
        for line in lines:
            if line.startswith("fn="):
                current = name(line[3:].strip())
            elif line.startswith("cfn="):
                callee = name(line[4:].strip())
            elif line.startswith("calls="):
                calls.add((current, callee))
    return calls


def run(arguments, program):
    with tempfile.TemporaryDirectory() as folder:
        profile = f"{folder}/profile"
        command = ["valgrind", "--tool=callgrind", "--demangle=no", f"--toggle-collect={STEP}",
                   f"--callgrind-out-file={profile}", program, "run", arguments.scene, "--method", arguments.method,
                   "--steps", str(arguments.steps), "--quiet"]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit("step_files: the run failed: " + result.stderr.strip().splitlines()[-1])
        return calls_of(profile)


def files_on_the_way(calls, table):
    """Files, and calls between files. Calls through inline functions and libraries are followed to the next file."""
    callees = {}
    for caller, callee in calls:
        callees.setdefault(caller, set()).add(callee)

    def file_of(symbol, near):
        files = table.get(symbol, ())
        return near if near in files else min(files, default=None)

    files, edges, seen = {"src/world/simulation.cpp"}, set(), set()
    todo = [(STEP, "src/world/simulation.cpp")]
    while todo:
        symbol, at = todo.pop()
        if (symbol, at) in seen:
            continue
        seen.add((symbol, at))
        for callee in callees.get(symbol, ()):
            file = file_of(callee, at)
            if file and file != at:
                files.add(file)
                edges.add((at, file))
            todo.append((callee, file or at))
    return files, edges


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method")
    parser.add_argument("--scene", default="seesaw")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--root", default=".", help="the folder that contains src/")
    parser.add_argument("--list", action="store_true", help="print the files")
    arguments = parser.parse_args()
    calls = run(arguments, f"{arguments.build}/rigor")
    files, edges = files_on_the_way(calls, functions_by_symbol(arguments.build, arguments.root))
    folders = {(os.path.dirname(a), os.path.dirname(b)) for a, b in edges if os.path.dirname(a) != os.path.dirname(b)}
    print(f"{arguments.method} on {arguments.scene}: {len(files)} files in {len({os.path.dirname(f) for f in files})} folders, "
          f"{len(folders)} changes of folder, {len(edges)} calls between files")
    if arguments.list:
        print("\n".join(sorted(files)))


if __name__ == "__main__":
    main()
