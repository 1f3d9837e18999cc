"""Writes type stubs of the compiled module from the signatures that pybind11 puts into its docstrings.

    PYTHONPATH=build/release/python /usr/bin/python3 python/scripts/make_stubs.py > python/rigor/_rigor.pyi
"""

import inspect
import re

from rigor import _rigor

_HEAD = '''"""Made by scripts/make_stubs.py."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional, Union, overload

import numpy as np

Vector = Union[Sequence[float], np.ndarray]
Quaternion = Union[Sequence[float], np.ndarray]
Matrix = Union[Sequence[Sequence[float]], np.ndarray]
__version__: str
'''

_SIGNATURE = re.compile(r"^(?:\d+\. )?(\w+)(\(.*\)) -> (.+)$")


def _plain(text):
    text = re.sub(r"rigor\._rigor\.", "", text)
    text = text.replace("rigor::python::", "").replace("rigor::", "")
    for cpp, python in (("PyBody", "Body"), ("PyJoint", "Joint"), ("PyForce", "Force"), ("PyWorld", "World"),
                        ("PySimulation", "Simulation"), ("PyScene", "Scene"), ("PyBatch", "Batch")):
        text = text.replace(cpp, python)
    text = text.replace("numpy.ndarray[numpy.float64]", "np.ndarray").replace("numpy.ndarray[numpy.int64]", "np.ndarray")
    text = re.sub(r"<[^<>]*>", "...", text)
    text = re.sub(r"= array\(\[[^\]]*\]\)", "= ...", text)
    text = text.replace("List[", "list[").replace("Tuple[", "tuple[").replace("Dict[", "dict[").replace("handle", "Any")
    text = text.replace("*args", "*args: Any").replace("**kwargs", "**kwargs: Any")
    return re.sub(r"\bfunction\b(?=[,)])", "Callable[..., Any]", text)


def _signatures(document):
    found = []
    for line in (document or "").splitlines():
        match = _SIGNATURE.match(line.strip())
        if match:
            found.append((_plain(match.group(2)), _plain(match.group(3))))
    return found


def _sentence(document):
    lines = [line.strip() for line in (document or "").splitlines()]
    noise = re.compile(r"Overloaded function\.|\w+\(\*args, \*\*kwargs\)|Initialize self\..*")
    lines = [line for line in lines if line and not _SIGNATURE.match(line) and not noise.fullmatch(line)]
    return " ".join(lines).replace('"""', "'''")


def _function(name, function, indent, static=False):
    signatures = _signatures(function.__doc__) or [("(*args: Any, **kwargs: Any)", "Any")]
    out = []
    for arguments, result in signatures:
        if len(signatures) > 1:
            out.append(f"{indent}@overload")
        if static:
            out.append(f"{indent}@staticmethod")
        sentence = _sentence(function.__doc__)
        body = f'\n{indent}    """{sentence}"""' if sentence else " ..."
        arguments = re.sub(r"^\(self: \w+", "(self", arguments)
        out.append(f"{indent}def {name}{arguments} -> {result}:{body}")
    return out


def _class(name, kind):
    base = ""
    if issubclass(kind, Exception):
        base = "(ValueError)"
    out = [f"class {name}{base}:"]
    if kind.__doc__ and not issubclass(kind, Exception):
        out.append(f'    """{_sentence(kind.__doc__)}"""')
    for member, value in sorted(vars(kind).items()):
        if member.startswith("__") and member not in ("__init__", "__len__", "__eq__", "__hash__"):
            continue
        if isinstance(value, property):
            result = _signatures(value.fget.__doc__)
            out += ["    @property", f"    def {member}(self) -> {result[0][1] if result else 'Any'}:"]
            sentence = _sentence(value.__doc__)
            out[-1] += f'\n        """{sentence}"""' if sentence else " ..."
            if value.fset is not None:
                out += [f"    @{member}.setter", f"    def {member}(self, value: Any) -> None: ..."]
        elif isinstance(value, staticmethod):
            out += _function(member, value.__func__, "    ", static=True)
        elif member == "__init__" and not _signatures(value.__doc__):
            continue  # only other objects make it
        elif inspect.isroutine(value):
            out += _function(member, value, "    ")
    if len(out) == 1:
        out.append("    ...")
    return out


def stubs():
    lines = [_HEAD]
    for name, value in sorted(vars(_rigor).items()):
        if name.startswith("_"):
            continue
        lines += _class(name, value) if inspect.isclass(value) else _function(name, value, "")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(stubs(), end="")
