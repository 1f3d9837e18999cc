"""Rigid-body dynamics whose methods are values.

    import rigor

    world = rigor.World()
    ball = world.add_body(rigor.sphere(0.1), (0, 2, 0), material=rigor.Material(restitution=0.8), name="ball")
    sim = rigor.Simulation(world, method="soft-step", step=1 / 240)
    sim.step(240)
    print(sim.world.body("ball").position)

Units are SI. Vectors are arrays of shape (3,), orientations are w, x, y, z. Mistakes raise rigor.Error.
"""

from ._rigor import (  # noqa: F401
    Batch,
    Body,
    Error,
    Force,
    Joint,
    JointSpace,
    Material,
    Method,
    MethodInfo,
    Motion,
    Queries,
    Scene,
    Shape,
    Simulation,
    Snapshot,
    World,
    __version__,
    box,
    capsule,
    composite,
    cone,
    convex_hull,
    cylinder,
    height_field,
    load_plugin,
    measure,
    mesh,
    methods,
    plane,
    rectangle,
    register_integrator,
    scenes,
    sphere,
    transformed,
    world_to_json,
)
from . import envs  # noqa: F401
from .arrays import State, View  # noqa: F401
from .compare import Comparison, compare  # noqa: F401
from .viewing import view as _view


def _state(simulation):
    """The arrays of all bodies as they lie in memory: rigor.State."""
    return State(simulation)


Simulation.state = property(_state)
Simulation.view = _view
