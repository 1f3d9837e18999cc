"""examples.py PROGRAM EXAMPLES PLUGINS [--write] [NAME]...: runs every example of examples/ and draws it.

EXAMPLES is the folder of the compiled programs, PLUGINS that of the compiled plugins. A picture has to be the one of docs/images/examples, which docs/examples.md
shows; --write writes it anew.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images" / "examples"
PAGE = ROOT / "docs" / "examples.md"
SECONDS = 120  # for one example

# Instants that are drawn, s.
INSTANTS = {
    "bounce": "0,0.4,0.6,1",
    "game_loop": "0,0.5,1,1.65",
    "car": "0,3,6,9",
    "door": "0,1,2,3.5",
    "seesaw": "0,0.7,1.2,1.6",
    "rollback": "0,0.35,0.7,1.2",
    "arrows": "0,0.3",
    "arm": "0,0.5",
    "plugin": "0,2",
}


def run(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, **options)
    if result.returncode != 0:
        sys.exit(f"examples: {' '.join(map(str, command))} ended with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def draw_program(name, programs, picture):
    run([programs / f"example_{name}"], env=os.environ | {"RIGOR_PICTURE": f"{picture}:{INSTANTS[name]}"})


def draw_plugins(program, plugins, picture):
    """The scene of the plugins' joint and shape, under their integrator and solver."""
    words = [word for name in ("integrator", "solver", "joint", "shape") for word in ("--plugin", plugins / f"{name}.so")]
    last = INSTANTS["plugin"].rsplit(",", 1)[1]
    run([program, "run", ROOT / "examples" / "plugin" / "slide.json", "--quiet", "--seconds", last, "--at", INSTANTS["plugin"], "--picture", picture, *words])


def run_study(program, folder):
    """A third of the cells, and their page."""
    run([program, "sweep", ROOT / "examples" / "study.json", "--out", folder / "study.db", "--shard", "1/3"])
    run([program, "sweep", "report", folder / "study.db", folder / "study.html"])
    if "<svg" not in (folder / "study.html").read_text():
        sys.exit("examples: the page of study.json has no picture")


def check(name, picture, write):
    text, kept = picture.read_text(), PICTURES / f"{name}.svg"
    if "<path" not in text:
        sys.exit(f"examples: the picture of {name} is empty")
    if write:
        kept.write_text(text)
    elif not kept.exists() or kept.read_text() != text:
        sys.exit(f"examples: {kept.relative_to(ROOT)} is not what examples/{name} draws; tests/docs/examples.py --write writes it anew")
    if f"images/examples/{name}.svg" not in PAGE.read_text():
        sys.exit(f"examples: {PAGE.relative_to(ROOT)} does not show {name}")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, programs, plugins = (pathlib.Path(a).resolve() for a in arguments[:3])
    only, write = arguments[3:], "--write" in sys.argv
    folders = sorted(p.name for p in (ROOT / "examples").iterdir() if p.is_dir())
    if missing := [n for n in folders if n not in INSTANTS]:
        sys.exit(f"examples: tests/docs/examples.py does not say when to draw {', '.join(missing)}")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in folders:
            if only and name not in only:
                continue
            picture = folder / f"{name}.svg"
            if name == "plugin":
                draw_plugins(program, plugins, picture)
            else:
                draw_program(name, programs, picture)
            check(name, picture, write)
        if not only:
            run_study(program, folder)
    print(f"examples: {len(folders)} compiled, run and drawn, one study")


if __name__ == "__main__":
    main()
