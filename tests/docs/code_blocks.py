"""code_blocks.py PROGRAM EXAMPLES [PYTHON_MODULE]: runs every code block of the pages that teach.

PROGRAM is rigor, EXAMPLES the folder with the compiled examples, PYTHON_MODULE the folder of the module `rigor`.

A block is checked by its language:

  console   lines that begin with "$ " are commands, run one after the other in one folder; the lines after a command are
            what it prints, in this order. "…" stands for anything, alone in a line for any lines.
  replay    a command that writes a replay
  sh        commands without their output
  cpp       a file of examples/, compiled and run by the build; a block "output" after it is what it prints
  cmake     a file of examples/, used by the test of the installed library
  json      a scene, or a part of a scene file in the folder of the page
  python    a program
  output    what the block before it prints

Any other language is an error, and so is a block without one. The scene files beside the pages are checked, run and drawn.
"""
import json
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ ]*$", re.M | re.S)
SECONDS = 120  # for one command

# Commands that other tests run: what they do takes long, or changes the machine.
ELSEWHERE = {
    "cmake": "Install.FindPackage",
    "scripts/site": "Docs.Site",
    "./test": "the tests themselves",
    "./run": "",  # as rigor, after a build
    "cd": "",
}


def pages():
    names = [DOCS / "index.md", DOCS / "concepts.md", DOCS / "which-method.md", *DOCS.glob("start-*.md")]
    return sorted(names) + sorted(DOCS.glob("lessons/*.md")) + sorted(DOCS.glob("tutorials/*.md"))


def words_of(line):
    """Runs of blanks do not count."""
    return " ".join(line.split())


def matches(pattern, line):
    parts = [re.escape(words_of(p)) for p in words_of(pattern).split("…")]
    return re.fullmatch(".*".join(parts).replace(r"\ .*", ".*").replace(r".*\ ", ".*"), words_of(line)) is not None


def missing_line(expected, printed):
    """The first expected line that is not printed where it should be; None when all are."""
    at = 0
    for pattern in expected:
        if not pattern.strip() or pattern.strip() == "…":
            continue
        while at < len(printed) and not matches(pattern, printed[at]):
            at += 1
        if at == len(printed):
            return pattern
        at += 1
    return None


class Runner:
    def __init__(self, program, examples, module):
        self.program, self.examples, self.module = program, examples, module
        self.problems, self.blocks = [], 0
        self.page, self.folder, self.last_output = None, None, None

    def problem(self, text):
        self.problems.append(f"{self.page.relative_to(ROOT)}: {text}")

    def run_page(self, page):
        self.page = page
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            for file in page.parent.glob("*.json"):
                shutil.copy(file, self.folder)
            for fence in FENCE.finditer(page.read_text()):
                self.blocks += 1
                language, text = fence.group(1).strip(), fence.group(2)
                check = getattr(self, f"check_{language.replace('+', '')}", None) if language else None
                if check is None:
                    self.problem(f"nobody runs a block of the language '{language}'")
                else:
                    check(text)

    def draw_scenes(self, folder):
        """Every scene file beside a page is sound, runs, and can be drawn."""
        for scene in sorted(folder.glob("*.json")):
            self.page = scene
            with tempfile.TemporaryDirectory() as work:
                self.folder = pathlib.Path(work)
                self.command(f"rigor check {shlex.quote(str(scene))}")
                self.command(f"rigor run {shlex.quote(str(scene))} --steps 20 --quiet --picture picture.svg")
                picture = self.folder / "picture.svg"
                if not picture.exists() or "<polygon" not in picture.read_text() and "<path" not in picture.read_text():
                    self.problem("its picture is empty")

    # Commands.

    def command(self, line):
        """What a command prints, or None after a problem."""
        words = shlex.split(line, comments=True)
        if words and words[0] == "./run":
            words[0] = "rigor"
            if len(words) == 1:
                words.append("view")
        if words[0] in ELSEWHERE:
            return ""
        if words[0] != "rigor":
            self.problem(f"nobody runs `{line}`")
            return None
        if len(words) > 1 and words[1] == "view":
            return self.view(words[2:])
        result = subprocess.run([self.program, *words[1:]], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        if result.returncode != 0:
            self.problem(f"`{line}` ended with {result.returncode}: {result.stderr.strip()}")
            return None
        return result.stdout

    def view(self, words):
        """The viewer starts with the scene and ends when it is told to."""
        process = subprocess.Popen([self.program, "view", *words, "--no-open"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate()
        timer.cancel()
        if "shows" not in first:
            self.problem(f"`rigor view {' '.join(words)}` did not start: {errors.strip()}")
        return first + rest

    def check_console(self, text):
        commands = []  # [command, expected lines]
        for line in text.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                commands.append([line[2:], []])
            elif commands:
                commands[-1][1].append(line)
            else:
                self.problem(f"a console block begins with '$ ', got '{line}'")
        for command, expected in commands:
            printed = self.command(command)
            if printed is None:
                continue
            missing = missing_line(expected, printed.splitlines())
            if missing is not None:
                self.problem(f"`{command}` does not print '{missing}'. It prints:\n{printed}")

    def check_replay(self, text):
        self.command(text.replace("\\\n", " ").strip())

    def check_sh(self, text):
        for line in text.replace("\\\n", " ").splitlines():
            if line.strip() and not line.startswith("#"):
                self.command(line)

    # Files.

    def check_cpp(self, text):
        self.last_output = None
        for source in ROOT.glob("examples/*/main.cpp"):
            if source.read_text() == text:
                name = source.parent.name
                result = subprocess.run([self.examples / f"example_{name}"], capture_output=True, text=True, timeout=SECONDS)
                if result.returncode != 0:
                    self.problem(f"examples/{name} ended with {result.returncode}")
                self.last_output = result.stdout
                return
        self.problem("a C++ block is no main.cpp of examples/:\n" + text[:200])

    def check_output(self, text):
        if self.last_output is None:
            self.problem("a block 'output' belongs behind the program that prints it")
            return
        missing = missing_line(text.splitlines(), self.last_output.splitlines())
        if missing is not None:
            self.problem(f"the program above does not print '{missing}'. It prints:\n{self.last_output}")

    def check_cmake(self, text):
        if not any(file.read_text() == text for file in ROOT.glob("examples/*/CMakeLists.txt")):
            self.problem("a CMake block is no CMakeLists.txt of examples/")

    def check_json(self, text):
        try:
            is_scene = "rigor" in json.loads(text)
        except ValueError:
            is_scene = False
        if is_scene:
            (self.folder / "block.json").write_text(text)
            self.command("rigor check block.json")
        elif not any(words_of(text) in words_of(file.read_text()) for file in self.page.parent.glob("*.json")):
            self.problem("a JSON block is neither a scene nor a part of a scene file beside the page:\n" + text[:200])

    def check_python(self, text):
        if self.module is None:
            return
        script = f"import sys\nsys.path.insert(0, {str(self.module)!r})\n" + text
        result = subprocess.run(["/usr/bin/python3", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        if result.returncode != 0:
            self.problem(f"a Python block failed: {result.stderr.strip()}")
        self.last_output = result.stdout


def main():
    program, examples = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    module = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    is_built = module is not None and any(module.glob("rigor/*.so"))
    runner = Runner(program, examples, module if is_built else None)
    only = sys.argv[4:]
    for page in pages():
        if not only or any(word in str(page) for word in only):
            runner.run_page(page)
    if not only:
        for folder in (DOCS / "lessons", DOCS / "tutorials"):
            runner.draw_scenes(folder)
    for problem in runner.problems:
        print(problem, file=sys.stderr)
    print(f"docs: {runner.blocks} code blocks, {len(runner.problems)} problems")
    sys.exit(1 if runner.problems else 0)


if __name__ == "__main__":
    main()
