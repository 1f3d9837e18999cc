"""Several methods on one scene, measured by one code."""

import numpy as np


class Comparison:
    """The runs of compare(): `runs[name]` is what rigor.measure() gave for a method."""

    def __init__(self, scene, runs):
        self.scene = scene
        self.runs = runs

    def table(self):
        """One row per method: name, largest energy drift, largest penetration in m, milliseconds per step."""
        return [
            (name, run["largest_energy_drift"], run["largest_penetration"], run["milliseconds"]["median"])
            for name, run in self.runs.items()
        ]

    def __repr__(self):
        lines = [f"{'method':<24}{'energy drift':>14}{'penetration':>14}{'per step':>12}"]
        for name, drift, depth, milliseconds in self.table():
            lines.append(f"{name:<24}{drift:>14.2e}{depth * 1e3:>11.3f} mm{milliseconds:>9.3f} ms")
        return "\n".join(lines)

    def plot(self, figure=None):
        """Total energy over time, by matplotlib; gives its figure."""
        import matplotlib.pyplot as plt

        figure = figure or plt.figure()
        axes = figure.add_subplot()
        for name, run in self.runs.items():
            axes.plot(run["time"], np.asarray(run["kinetic"]) + np.asarray(run["potential"]), label=name)
        axes.set_xlabel("time, s")
        axes.set_ylabel("energy, J")
        axes.set_title(self.scene)
        axes.legend()
        return figure


def compare(scene, methods, steps=None, step=None, truth=False):
    """Runs a scene under several methods: names of presets, or {name: Method}.

    `scene` is a rigor.Scene or its name; `steps` is as many as the scene lasts unless it is given.
    """
    from . import Error, Scene, measure

    if isinstance(scene, str):
        scene = Scene(scene)
    if not isinstance(scene, Scene):
        raise Error("compare: expected a Scene or its name")
    if not isinstance(methods, dict):
        given = list(methods)
        methods = {getattr(method, "preset", None) or str(method): method for method in given}
        if len(methods) != len(given):
            raise Error("two methods have the same name; give {name: Method}")
    runs = {}
    for name, method in methods.items():
        simulation = scene.simulate(method=method, step=step)
        count = steps if steps is not None else round(scene.duration / simulation.time_step)
        runs[name] = measure(simulation, count, truth=truth)
        runs[name]["reports"] = simulation.take_reports()
    return Comparison(scene.name, runs)
