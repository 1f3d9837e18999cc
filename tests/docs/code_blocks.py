"""code_blocks.py PROGRAM EXAMPLES [PYTHON_MODULE] [--teaching | --reference] [WORD]...: runs every code block of the pages.

PROGRAM is rigor, EXAMPLES the folder with the compiled examples, PYTHON_MODULE the folder of the module `rigor`. --teaching takes the pages that
teach (starts, concepts, lessons, tutorials), --reference all others; words choose the pages whose path contains one of them.

A block is checked by its language:

  console   lines that begin with "$ " are commands, run one after the other in one folder; the lines after a command are
            what it prints, in this order. "…" stands for anything, alone in a line for any lines.
  replay    a command that writes a replay
  sh        commands without their output. Long ones are shortened (SHORTER), which changes how much they compute, not what they are asked for
  usage     synopses: the program's help has every verb and option that they name
  cpp       a file of examples/ or a passage of one, or the first C++ of a page that the build compiles and runs; a block "output" after it is
            what it prints
  c++       a plugin of examples/
  cmake     a file of examples/, or one that the test of the installed library builds
  json      a scene, a part of one, or the specification of a sweep
  python    a program
  output    what the block before it prints
  text      a drawing, a formula or a table; a command in it is an error

Any other language is an error, and so is a block without one. A lesson names a scene to open in the viewer. The scene files beside the pages
are checked, run and drawn.
"""
import json
import pathlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading

from scene_of_part import parsed, scene_of_part

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
    "build/release/rigor_tests": "Golden.Hashes",
    "rigor_tests": "Plugin.Conformance",
    "/usr/bin/python3": "the Python blocks",
}
# Options that make a command short. A value replaces the one on the page; an option that stands there without being given one is added.
SHORTER = {
    "bench": {"--steps": "2", "--rounds": "1"},
    "torture": {"--worlds": "1", "--classes": "mild"},
    "sweep": {"--dry-run": None},
    "compare --profile": {"--seconds": "0.05", "--worlds": "1", "--limit": "5"},
}
# Parts of the bench that take other options, or none.
BENCHES = {"collision": {"--rounds": "1"}, "growth": {"--steps": "1"}, "sizes": {"--steps": "60"}, "memory": {"--steps": "2"}, "bender-schmitt": {"--steps": "1"}, "sleep": {"--steps": "2"}}
# Files that a page expects the reader to have, and what stands in for them.
STAND_INS = {
    "robot.urdf": "tests/data/quadruped.urdf",
    "humanoid.xml": "tests/data/humanoid.xml",
    "arm.xml": "tests/docs/arm.xml",
    "scene.json": "scenes/chain.json",
    "my-machine.json": "docs/tutorials/car.json",
    "study.json": "examples/study.json",
    **{name: name for page in ("robustness", "reference", "rates") for name in (f"docs/sweeps/{page}.json", f"docs/{page.replace('reference', 'reference-results')}.md")},
    "link.stl": "tests/docs/link.stl",
    "parts/wheel.stl": "tests/docs/link.stl",
    "parts/wheel.obj": "tests/docs/wheel.obj",
}
# A command is not to be found in a block of this language.
COMMAND = re.compile(r"^(\$ |rigor |\./run|\./test|cmake |python3? |scripts/)", re.M)
OPTION = re.compile(r"--[a-z][a-z-]*")
VIEW = re.compile(r"`rigor view ([^`]+)`")
PAGE_EXAMPLE = re.compile(r"^rigor_add_page_example\((\S+)", re.M)


def teaching_pages():
    names = [DOCS / "index.md", DOCS / "concepts.md", DOCS / "which-method.md", *DOCS.glob("start-*.md")]
    return sorted(names) + sorted(DOCS.glob("lessons/*.md")) + sorted(DOCS.glob("tutorials/*.md"))


def all_pages():
    return sorted(DOCS.rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "src" / "README.md"]


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
        self.problems, self.blocks, self.help = [], 0, {}
        self.page, self.folder, self.last_output = None, None, None

    def problem(self, text):
        self.problems.append(f"{self.page.relative_to(ROOT)}: {text}")

    def run_page(self, page):
        self.page = page
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            for file in page.parent.glob("*.json"):
                shutil.copy(file, self.folder)
            self.put_stand_ins()
            if page.parent.name == "lessons" and page.name != "README.md":
                self.check_view(page.read_text())
            self.is_first_cpp = True
            for fence in FENCE.finditer(page.read_text()):
                self.blocks += 1
                language, text = fence.group(1).strip(), fence.group(2)
                check = getattr(self, f"check_{language.replace('+', '')}", None) if language else None
                if check is None:
                    self.problem(f"nobody runs a block of the language '{language}'")
                else:
                    check(text)

    def put_stand_ins(self):
        for name, source in STAND_INS.items():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                shutil.copy(ROOT / source, target)
        (self.folder / "build").mkdir()
        for plugin in (self.examples.parent / "plugins").glob("*.so"):
            (self.folder / "build" / plugin.name).symlink_to(plugin)
        for name in ("examples", "tests"):
            (self.folder / name).symlink_to(ROOT / name)

    def check_view(self, text):
        """A lesson names a scene, and the viewer opens it."""
        scenes = VIEW.findall(text)
        if not scenes:
            self.problem("a lesson has to name a scene to open: `rigor view SCENE`")
        for scene in scenes:
            self.view(shlex.split(scene))

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
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):  # variables of the environment
            words.pop(0)
        output = None
        if ">" in words:
            output = words[words.index(">") + 1]
            words = words[: words.index(">")]
        if words[0] in ELSEWHERE:
            return ""
        if words[0] == "sqlite3":
            return self.query(words[1], words[2])
        if words[0] != "rigor":
            self.problem(f"nobody runs `{line}`")
            return None
        if "--plugin" in words and not (self.folder / words[words.index("--plugin") + 1]).exists():
            return ""  # the plugins are not built here; Install.FindPackage runs them
        if "view" in words[1:2]:
            return self.view(words[2:])
        if words[1] == "sweep" and words[2] in ("report", "table", "markdown"):
            self.fill_database(words[3])
        words = self.shortened(words[1:])
        result = self.start(words)
        if "was built without" in result.stderr:  # another engine, whose package is not here
            if "--against" not in words:  # the specification of a sweep names it
                return None
            at = words.index("--against")
            result = self.start(words[:at] + words[at + 2 :])
        if result.returncode != 0:
            self.problem(f"`{line}` ended with {result.returncode}: {result.stderr.strip()}")
            return None
        if output:
            (self.folder / output).write_text(result.stdout)
        return result.stdout

    def start(self, words):
        try:
            return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", f"it took more than {SECONDS} s")

    def shortened(self, words):
        words = [w for w in words]
        verb = "compare --profile" if "--profile" in words else words[0]
        options = SHORTER.get(verb, {})
        if verb == "bench":
            options = next((BENCHES[w] for w in words if w in BENCHES), options)
        elif verb == "sweep" and words[1] in ("report", "table", "markdown", "merge"):
            options = {}
        elif verb == "compare --profile" and words[1].startswith("--"):
            words.insert(1, "pendulum,c-column-10")
        elif verb == "torture" and "--show" in words:
            options = {}
        for option, value in options.items():
            if option in words and value is not None:
                words[words.index(option) + 1] = value
            elif option not in words:
                words += [option] if value is None else [option, value]
        return words

    def fill_database(self, file="study.db"):
        """A sweep of one cell, so that there is something to report."""
        if (self.folder / file).exists():
            return
        (self.folder / "one.json").write_text('{"name": "%s", "scenes": ["pendulum"], "duration": 0.1}' % pathlib.Path(file).stem)
        subprocess.run([self.program, "sweep", "one.json", "--out", file], cwd=self.folder, capture_output=True, check=True, timeout=SECONDS)

    def query(self, file, statement):
        self.fill_database()
        with sqlite3.connect(self.folder / file) as database:
            return "\n".join(map(str, database.execute(statement).fetchall()))

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

    def check_usage(self, text):
        """Every verb and option exists."""
        verb = None
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["rigor"]:
                verb = words[1]
            if verb is None or verb == "VERB":
                continue
            if verb not in self.help:
                self.help[verb] = subprocess.run([self.program, verb, "--help"], capture_output=True, text=True, timeout=SECONDS).stdout
            for option in OPTION.findall(line):
                if not re.search(re.escape(option) + r"(?![a-z-])", self.help[verb]):
                    self.problem(f"`rigor {verb} --help` does not list {option}")

    def check_text(self, text):
        if found := COMMAND.search(text):
            self.problem(f"a block of the language 'text' has the command '{text[found.start():].splitlines()[0]}'; nobody runs it")

    # Files.

    def check_cpp(self, text):
        self.last_output = None
        first, self.is_first_cpp = self.is_first_cpp, False
        for source in sorted(ROOT.glob("examples/*/main.cpp")):
            if source.read_text() == text:
                name = source.parent.name
                result = subprocess.run([self.examples / f"example_{name}"], capture_output=True, text=True, timeout=SECONDS)
                if result.returncode != 0:
                    self.problem(f"examples/{name} ended with {result.returncode}")
                self.last_output = result.stdout
                return
            if words_of(text) in words_of(source.read_text()):
                return
        compiled = PAGE_EXAMPLE.findall((ROOT / "cmake" / "RigorTests.cmake").read_text())
        if first and str(self.page.relative_to(ROOT)) in compiled:
            return
        self.problem("a C++ block is neither a passage of examples/*/main.cpp nor compiled by the build:\n" + text[:200])

    def check_c(self, text):
        if not any(source.read_text() == text for source in ROOT.glob("examples/plugin/*.cpp")):
            self.problem("a block of the language 'c++' is no file of examples/plugin:\n" + text[:200])

    def check_output(self, text):
        if self.last_output is None:
            self.problem("a block 'output' belongs behind the program that prints it")
            return
        missing = missing_line(text.splitlines(), self.last_output.splitlines())
        if missing is not None:
            self.problem(f"the program above does not print '{missing}'. It prints:\n{self.last_output}")

    def check_cmake(self, text):
        built = [*ROOT.glob("examples/*/CMakeLists.txt"), ROOT / "tests" / "install" / "CMakeLists.txt"]
        if any(text in file.read_text() for file in built):
            return
        if f"/{self.page.relative_to(ROOT)}" not in (ROOT / "cmake" / "InstallTest.cmake").read_text():
            self.problem("a CMake block is neither a file of examples/ nor built by the test of the installed library")

    def check_json(self, text):
        if any(words_of(text) in words_of(file.read_text()) for file in self.page.parent.glob("*.json")):
            return
        try:
            values = parsed(text)
        except ValueError as error:
            self.problem(f"a JSON block cannot be read ({error}):\n{text[:200]}")
            return
        for value in values:
            file = self.folder / "block.json"
            if "rigor" in value:
                file.write_text(text)
                (self.folder / f"{value.get('name', 'scene')}.json").write_text(text)  # as the page asks the reader to save it
                self.command("rigor check block.json")
            elif "scenes" in value:
                file.write_text(text)
                self.command("rigor sweep block.json --dry-run")
            elif scene := scene_of_part(value):
                file.write_text(json.dumps(scene))
                self.command("rigor check block.json")
            else:
                self.problem("a JSON block is neither a scene nor a known part of one:\n" + text[:200])

    def check_python(self, text):
        if self.module is None:
            return
        script = f"import sys\nsys.path.insert(0, {str(self.module)!r})\n" + text
        result = subprocess.run(["/usr/bin/python3", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        if result.returncode != 0:
            self.problem(f"a Python block failed: {result.stderr.strip()}")
        self.last_output = result.stdout


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, examples = (pathlib.Path(a).resolve() for a in arguments[:2])
    module = pathlib.Path(arguments[2]).resolve() if len(arguments) > 2 else None
    is_built = module is not None and any(module.glob("rigor/*.so"))
    runner = Runner(program, examples, module if is_built else None)
    only, teaching = arguments[3:], teaching_pages()
    pages = teaching if "--teaching" in sys.argv else [p for p in all_pages() if p not in teaching] if "--reference" in sys.argv else all_pages()
    for page in pages:
        if not only or any(word in str(page) for word in only):
            runner.run_page(page)
    if not only and "--reference" not in sys.argv:
        for folder in (DOCS / "lessons", DOCS / "tutorials"):
            runner.draw_scenes(folder)
    for problem in runner.problems:
        print(problem, file=sys.stderr)
    print(f"docs: {runner.blocks} code blocks, {len(runner.problems)} problems")
    sys.exit(1 if runner.problems else 0)


if __name__ == "__main__":
    main()
