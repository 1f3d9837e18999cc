"""Builds the documentation site from docs/ with MkDocs.

    python3 scripts/site.py --program build/release/rigor --out build/site

The pages of docs/ are written for people who read them in the repository. This script stages a copy of them for the site:

- docs/README.md gives the navigation: its headings are sections, its links are pages.
- Links to files outside of docs/ lead to pages that show these files.
- `doxygen` writes the reference of the C++ headers to reference/, which the navigation lists.
- A code block with the language `replay` is a command of `rigor` or `./run` that writes a replay. It is run, and the replay is shown below it.

Then MkDocs runs, and every link, anchor and picture of its result is checked. Any of them that is dead is an error.
"""
import argparse
import html.parser
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ ]*$", re.M | re.S)
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".json": "json", ".py": "python", ".txt": "cmake", ".cmake": "cmake"}
REFERENCE = re.compile(r"^- `doxygen` in the source folder writes the reference.*$", re.M)
TITLE = '<div id="projectname">Rigor'
NESTED = '<a href="#nested-classes">Classes</a> &#124;\n'
MOST_LINES = 1500  # of a file that is shown as a page

CONFIG = """\
site_name: Rigor
docs_dir: pages
site_dir: html
use_directory_urls: false
strict: true
theme:
  name: material
  font: false
  icon:
    logo: material/scale-balance
  features: [navigation.tabs, navigation.sections, navigation.top, navigation.indexes, search.highlight, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: blue grey
      accent: deep orange
      toggle: {icon: material/weather-night, name: Dark}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: blue grey
      accent: deep orange
      toggle: {icon: material/weather-sunny, name: Light}
extra_css: [site.css]
extra_javascript: [site.js]
extra: {generator: false}
plugins: [search]
markdown_extensions:
  - tables
  - attr_list
  - admonition
  - toc: {permalink: true, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
  - pymdownx.highlight
  - pymdownx.superfences
nav:
"""


def fail(sentence):
    sys.exit(f"site: {sentence}")


class Site:
    def __init__(self, program, out):
        self.program, self.out = program, out
        self.pages = out / "pages"
        self.sources = {}  # file outside of docs/ -> its page, relative to pages/
        self.replays = 0

    # Staging.

    def build(self):
        for folder in (self.pages, self.out / "html"):
            if folder.exists():
                shutil.rmtree(folder)
        shutil.copytree(DOCS, self.pages)
        (self.pages / "README.md").rename(self.pages / "all-pages.md")
        for page in sorted(self.pages.rglob("*.md")):
            relative = page.relative_to(self.pages)
            original = DOCS / ("README.md" if str(relative) == "all-pages.md" else relative)
            page.write_text(self.staged(original, relative))
        done = set()
        while len(done) < len(self.sources):  # pages of files may link to further files
            for source in [s for s in self.sources if s not in done]:
                done.add(source)
                self.write_source_page(source)
        self.write_reference()
        (self.out / "mkdocs.yml").write_text(CONFIG + self.navigation())
        result = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", "mkdocs.yml"], cwd=self.out)
        if result.returncode != 0:
            fail("mkdocs refused the pages, see above")
        problems = check(self.out / "html")
        if problems:
            fail(f"{len(problems)} dead links:\n" + "\n".join(problems))

    def write_reference(self):
        """With the Doxyfile of the repository, into a folder of the site; a warning is an error."""
        if not shutil.which("doxygen"):
            fail("doxygen is missing, which writes the reference of the C++ headers (Debian: doxygen)")
        settings = (ROOT / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {self.out}\nHTML_OUTPUT = pages/reference\nSTRIP_FROM_PATH = {ROOT}\n"
        result = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
        if result.returncode != 0 or result.stderr.strip():
            fail(f"doxygen complained:\n{result.stderr.strip()}")
        for page in (self.pages / "reference").glob("*.html"):
            text = page.read_text().replace(TITLE, f'{TITLE[:-5]}<a href="../index.html">Rigor</a>')  # the way back
            # Doxygen links to a section of nested classes even if all of them are private.
            if 'name="nested-classes"' not in text:
                text = text.replace(NESTED, "")
            page.write_text(text)

    def staged(self, original, relative):
        text = original.read_text()
        if original == DOCS / "README.md":
            text = REFERENCE.sub("- [Reference of the C++ headers](reference/index.html): every class and function of the public interface.", text)
        parts, at = [], 0
        for fence in FENCE.finditer(text):
            parts.append(self.relinked(text[at : fence.start()], original, relative))
            parts.append(self.replay(fence.group(2), relative) if fence.group(1).strip() == "replay" else self.fence(fence))
            at = fence.end()
        parts.append(self.relinked(text[at:], original, relative))
        return "".join(parts)

    def fence(self, fence):
        language = fence.group(1).strip()
        shown = {"output": "text", "usage": "text", "": "text", "c++": "cpp"}.get(language, language)
        return f"```{shown}\n{fence.group(2)}```"

    def relinked(self, text, original, relative):
        """Links out of docs/ lead to pages of their own."""
        def change(found):
            target = found.group(2)
            address, _, anchor = target.partition("#")
            if not address or ":" in address:
                return found.group(0)
            path = (original.parent / address).resolve()
            if path.is_relative_to(DOCS):
                inside = path.relative_to(DOCS)
                if str(inside) == "README.md":
                    inside = pathlib.PurePath("all-pages.md")
                elif path.is_dir():
                    inside = pathlib.PurePath("all-pages.md")
                    anchor = anchor or "methods"
            elif path.exists() and path.is_relative_to(ROOT):
                inside = self.page_of(path)
            else:
                fail(f"{original.relative_to(ROOT)} links to {target}, which does not exist")
            new = os.path.relpath(inside, relative.parent) + (f"#{anchor}" if anchor else "")
            return found.group(1) + new + found.group(3)

        return LINK.sub(change, text)

    def page_of(self, path):
        name = path.relative_to(ROOT)
        if path.is_dir():
            name = name / "folder"
        # Pages keep their anchors; other files are shown as code.
        page = pathlib.PurePath("source") / (name if name.suffix == ".md" else name.with_name(name.name + ".md"))
        self.sources[path] = page
        return page

    def write_source_page(self, source):
        page, name = self.sources[source], source.relative_to(ROOT)
        target = self.pages / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(self.staged(source, page))
        elif source.is_dir():
            names = sorted(p.name for p in source.iterdir())
            target.write_text(f"# {name}\n\nA folder of the repository:\n\n" + "".join(f"- `{n}`\n" for n in names))
        elif source.suffix in (".png", ".svg", ".webp"):
            shutil.copy(source, target.with_suffix(""))
            target.write_text(f"# {name}\n\n![{name}]({source.name})\n")
        else:
            lines = source.read_text().splitlines()
            text = "\n".join(lines[:MOST_LINES]) + ("\n…" if len(lines) > MOST_LINES else "")
            target.write_text(f"# {name}\n\nA file of the repository.\n\n````{LANGUAGES.get(source.suffix, 'text')}\n{text}\n````\n")

    def replay(self, command, relative):
        """Runs the command in the folder of its page, as a reader would, and shows what it wrote."""
        words = shlex.split(command.replace("\\\n", " "))
        if words[0] not in ("rigor", "./run") or "--replay" not in words:
            fail(f"{relative}: a replay block must be a command of rigor or ./run with --replay, got: {command.strip()}")
        at = words.index("--replay") + 1
        name = words[at]
        folder = (self.pages / relative).parent / "replays"
        folder.mkdir(exist_ok=True)
        words[at] = str(folder / name)
        result = subprocess.run([str(self.program), *words[1:]], cwd=(DOCS / relative).parent, capture_output=True, text=True)
        if result.returncode != 0:
            fail(f"{relative}: `{command.strip()}` failed: {result.stderr.strip()}")
        self.replays += 1
        return (
            f"```sh\n{command}```\n\n"
            f'<iframe class="replay" src="replays/{name}" title="Replay: {name}" loading="lazy"></iframe>\n\n'
            f'<p class="replay-note"><a href="replays/{name}" target="_blank">Open the replay in a tab of its own</a>. '
            "Space plays it, dragging turns the view, P shows plots.</p>\n"
        )

    # Navigation.

    def navigation(self):
        """From docs/README.md: headings of level two are tabs, of level three sections, list items with links are pages."""
        lines, tab, group = ["  - Home: index.md"], None, None
        for line in (DOCS / "README.md").read_text().splitlines():
            if line.startswith("## "):
                tab, group = line[3:].strip(), None
                lines.append(f"  - {quoted(tab)}:")
            elif line.startswith("### "):
                group = line[4:].strip()
                lines.append(f"    - {quoted(group)}:")
            elif REFERENCE.match(line):
                lines.append("    - C++ reference: reference/index.html")
            elif tab and (found := re.match(r"- \[([^\]]+)\]\(([^)#]+\.md)\)", line) or re.match(r"\[([^\]]+)\]\(([^)#]+\.md)\)", line)):
                title, target = found.group(1).replace("`", ""), found.group(2)
                path = (DOCS / target).resolve()
                inside = path.relative_to(DOCS) if path.is_relative_to(DOCS) else self.sources.get(path)
                if str(inside) != "index.md":
                    lines.append(f"{'      ' if group else '    '}- {quoted(title)}: {inside}")
        lines += ["  - All pages: all-pages.md"]
        return "\n".join(lines) + "\n"


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


# Checks of the result.


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.ids.add(values["id"])
        if tag == "a" and values.get("name"):
            self.ids.add(values["name"])
        for key in ("href", "src"):
            if values.get(key):
                self.links.append(values[key])


def check(folder):
    """Sentences about links, anchors and pictures that lead nowhere."""
    parsed, problems = {}, []
    for path in sorted(folder.rglob("*.html")):
        if path.parent.name == "replays":  # one page with everything in it
            continue
        page = Page()
        page.feed(path.read_text())
        parsed[path] = page
    for path, page in parsed.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript") or path.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            where = f"{path.relative_to(folder)}: {link}"
            if not target.exists():
                problems.append(f"{where}: there is no such file")
            elif parts.fragment and target in parsed and urllib.parse.unquote(parts.fragment) not in parsed[target].ids | {"__skip", ""}:
                problems.append(f"{where}: there is no such anchor")
    return problems


def main():
    parser = argparse.ArgumentParser(description="Builds the documentation site.")
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program rigor, which makes the replays")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder; pages/ and html/ in it are replaced")
    arguments = parser.parse_args()
    site = Site(arguments.program.resolve(), arguments.out.resolve())
    site.build()
    pages = sum(1 for _ in (site.out / "html").rglob("*.html"))
    print(f"site: {pages} pages, {site.replays} replays, no dead link")


if __name__ == "__main__":
    main()
