"""Builds a wheel: CMake compiles the module in the project's own build tree, and setuptools packs it.

    cd python && python3 -m build --wheel --no-isolation
"""

import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = pathlib.Path(__file__).resolve().parent.parent
version = re.search(r"project\(rigor VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)


class BuildByCMake(build_ext):
    def build_extension(self, extension):
        subprocess.run(["cmake", "--preset", "release", f"-DPython3_EXECUTABLE={sys.executable}"], cwd=root, check=True)
        subprocess.run(["cmake", "--build", "build/release", "--target", "rigor_python"], cwd=root, check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "build" / "release" / "python" / "rigor" / target.name, target)


setup(
    version=version,
    packages=["rigor"],
    package_dir={"rigor": "rigor"},
    package_data={"rigor": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("rigor._rigor", sources=[])],
    cmdclass={"build_ext": BuildByCMake},
)
