"""The viewer's page for a simulation of this program."""

import os
import shutil
import subprocess
import tempfile


def _program():
    """Where the program `rigor` is: RIGOR_PROGRAM, beside the build tree's module, or on the PATH."""
    named = os.environ.get("RIGOR_PROGRAM")
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "..", "..", "rigor")
    for candidate in (named, beside, shutil.which("rigor")):
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    from . import Error

    raise Error("the program rigor was not found; put it on the PATH or name it in RIGOR_PROGRAM")


class Page:
    """A viewer that runs beside this program until it is closed. `address` is that of its page."""

    def __init__(self, process, address, folder):
        self._process = process
        self._folder = folder
        self.address = address

    def close(self):
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
            shutil.rmtree(self._folder, ignore_errors=True)

    def _repr_html_(self):
        return f'<iframe src="{self.address}" width="100%" height="600"></iframe>'

    def __repr__(self):
        return f"<rigor.Page {self.address}>"

    def __del__(self):
        self.close()


def view(simulation, port=0):
    """Starts the viewer with the world as it is now and gives its page; in a notebook the page shows itself."""
    from . import Error, world_to_json

    program = _program()
    folder = tempfile.mkdtemp(prefix="rigor-view-")
    path = os.path.join(folder, "world.json")
    with open(path, "w") as file:
        file.write(world_to_json(simulation.world, simulation.method, simulation.time_step))
    process = subprocess.Popen(
        [program, "view", path, "--no-open"] + (["--port", str(port)] if port else []),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        for word in line.split():
            if word.startswith("http://"):
                return Page(process, word.rstrip("/.,") + "/", folder)
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
    raise Error("the viewer ended before it printed its address")
