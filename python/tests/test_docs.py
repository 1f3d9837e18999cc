"""Every Python block of docs/python.md runs."""

import contextlib
import io
import os
import pathlib
import re
import unittest

os.environ.setdefault("MPLBACKEND", "Agg")

page = pathlib.Path(os.environ.get("RIGOR_SOURCE", pathlib.Path(__file__).resolve().parents[2])) / "docs" / "python.md"


class DocsTest(unittest.TestCase):
    def test_blocks_run(self):
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
        self.assertGreater(len(blocks), 5)
        for number, block in enumerate(blocks):
            with self.subTest(block=number), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, f"{page.name}, block {number}", "exec"), {})


if __name__ == "__main__":
    unittest.main()
