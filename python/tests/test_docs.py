"""Every Python block of docs/python.md runs, and the type stubs are up to date."""

import contextlib
import io
import os
import pathlib
import re
import sys
import unittest

os.environ.setdefault("MPLBACKEND", "Agg")

source = pathlib.Path(os.environ.get("RIGOR_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
page = source / "docs" / "python.md"


class DocsTest(unittest.TestCase):
    def test_blocks_run(self):
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        for number, block in enumerate(blocks):
            with self.subTest(block=number), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, f"{page.name}, block {number}", "exec"), {})

    def test_stubs_are_those_of_the_module(self):
        sys.path.insert(0, str(source / "python" / "scripts"))
        import make_stubs

        self.assertEqual((source / "python" / "rigor" / "_rigor.pyi").read_text(), make_stubs.stubs(),
                         "python/scripts/make_stubs.py writes them anew")


if __name__ == "__main__":
    unittest.main()
