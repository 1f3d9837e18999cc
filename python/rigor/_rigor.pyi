"""Made by scripts/make_stubs.py."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional, Union, overload

import numpy as np

Vector = Union[Sequence[float], np.ndarray]
Quaternion = Union[Sequence[float], np.ndarray]
Matrix = Union[Sequence[Sequence[float]], np.ndarray]
__version__: str

class Batch:
    """Copies of one simulation that are stepped on all cores."""
    def __init__(self, prototype: Simulation, count: int, threads: int = 0) -> None:
        """Bodies and joints of the prototype name those of every world. Listeners and validators are not copied."""
    def __len__(self) -> int: ...
    def copy(self, world: int) -> Simulation:
        """One of the worlds as a simulation of its own."""
    def drive(self, axes: list[tuple[Joint, int]]) -> None:
        """Chooses the columns of set_forces(): pairs of a joint and an axis from 0 to 5."""
    def hash(self, world: int) -> int: ...
    def observe(self, axes: list[tuple[Joint, int]]) -> None:
        """Chooses the columns of read()."""
    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the observed axes, each of shape (worlds, observed axes)."""
    def read_motion(self, body: Body) -> np.ndarray:
        """Position, orientation, velocity and angular velocity of a body, of shape (worlds, 13)."""
    def reset(self, worlds: Optional[list[int]] = None) -> None:
        """Puts worlds back into the state of the prototype; all of them unless they are given."""
    def set_forces(self, forces: np.ndarray) -> None:
        """N or N m, of shape (worlds, driven axes), until they are set again."""
    def set_joint(self, world: int, joint: Joint, **kwargs: Any) -> None:
        """Changes parameters of a joint in one world."""
    def set_material(self, world: int, body: Body, material: Material) -> None: ...
    def set_pose(self, world: int, body: Body, position: Vector, orientation: Quaternion = ...) -> None: ...
    def set_velocity(self, world: int, body: Body, velocity: Vector, angular_velocity: Vector = ...) -> None: ...
    def step(self, steps: int = 1) -> None:
        """Steps every world. Ctrl+C ends it between two steps of all worlds."""
class Body:
    """A body of a world. Its properties read the present state of the world."""
    @overload
    def __eq__(self, arg0: Body) -> bool: ...
    @overload
    def __eq__(self, arg0: object) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def angular_momentum(self) -> Any:
        """kg m²/s, about the center of mass"""
    @property
    def angular_velocity(self) -> Any:
        """rad/s, world frame"""
    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None: ...
    def apply_force(self, force: Vector, point: Optional[Vector] = None) -> None:
        """N, for the next step, at a world point or at the center of mass."""
    def apply_impulse(self, impulse: Vector, point: Optional[Vector] = None) -> None:
        """N s, at a world point or at the center of mass."""
    def apply_torque(self, torque: Vector) -> None:
        """N m, for the next step."""
    @property
    def center_of_mass(self) -> Any:
        """m, world"""
    @property
    def exists(self) -> Any:
        """false once it was removed"""
    @property
    def fixed(self) -> Any: ...
    @fixed.setter
    def fixed(self, value: Any) -> None: ...
    @property
    def gravity_factor(self) -> Any:
        """times the weight; 0 floats"""
    @gravity_factor.setter
    def gravity_factor(self, value: Any) -> None: ...
    @property
    def inertia(self) -> Any:
        """kg m², about the center of mass, axes of the body frame"""
    @property
    def is_asleep(self) -> Any: ...
    @property
    def mass(self) -> Any:
        """kg"""
    @mass.setter
    def mass(self, value: Any) -> None: ...
    @property
    def material(self) -> Any: ...
    @material.setter
    def material(self, value: Any) -> None: ...
    @property
    def momentum(self) -> Any:
        """kg m/s"""
    @property
    def name(self) -> Any: ...
    @name.setter
    def name(self, value: Any) -> None: ...
    @property
    def orientation(self) -> Any:
        """w, x, y, z; body to world"""
    @orientation.setter
    def orientation(self, value: Any) -> None: ...
    @property
    def position(self) -> Any:
        """m, of the body frame's origin"""
    @position.setter
    def position(self, value: Any) -> None: ...
    def set_damping(self, linear: float, angular: float = 0.0) -> None:
        """1/s: rates at which velocity and angular momentum decay."""
    def set_force(self, force: Vector, torque: Vector = ...) -> None:
        """A force (N) at the center of mass and a torque (N m) until they are set again."""
    def set_kinematic_target(self, position: Vector, orientation: Quaternion, dt: float) -> None:
        """Gives a fixed body the velocities that bring it to a pose after dt seconds."""
    @property
    def shape(self) -> Any: ...
    @shape.setter
    def shape(self, value: Any) -> None: ...
    def to_body(self, point: Vector) -> Vector: ...
    def to_world(self, point: Vector) -> Vector: ...
    @property
    def user_data(self) -> Any:
        """a number for the application"""
    @user_data.setter
    def user_data(self, value: Any) -> None: ...
    @property
    def velocity(self) -> Any:
        """m/s, of the center of mass"""
    @velocity.setter
    def velocity(self, value: Any) -> None: ...
    def wake(self) -> None: ...
class Error(ValueError):
    ...
class Force:
    """A force effect of a world."""
    @property
    def active(self) -> Any: ...
    @active.setter
    def active(self, value: Any) -> None: ...
    @property
    def name(self) -> Any: ...
    @property
    def type(self) -> Any: ...
class Joint:
    """A joint of a world."""
    @overload
    def __eq__(self, arg0: Joint) -> bool: ...
    @overload
    def __eq__(self, arg0: object) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def bodies(self) -> Any: ...
    @property
    def broken(self) -> Any: ...
    @broken.setter
    def broken(self, value: Any) -> None: ...
    @property
    def exists(self) -> Any: ...
    @property
    def force(self) -> Any:
        """N, on its second body in the last step"""
    @property
    def name(self) -> Any: ...
    @property
    def parameters(self) -> Any:
        """those that differ from the defaults of its type"""
    def position(self, axis: int) -> float:
        """m or rad: 0 to 2 along x, y and z of its frame, 3 to 5 about them."""
    def set(self, **kwargs: Any) -> None:
        """Changes parameters by name: joint.set(motor_target=2.0)."""
    def set_strength(self, force: float = inf, torque: float = inf) -> None:
        """N and N m at which it breaks."""
    @property
    def torque(self) -> Any:
        """N m"""
    @property
    def type(self) -> Any: ...
    def velocity(self, axis: int) -> float: ...
class JointSpace:
    """The joint trees of a copy of a world in their own coordinates: M q'' + b = tau."""
    def __init__(self, world: World) -> None: ...
    def __len__(self) -> int: ...
    def bias_forces(self, time: float = 0.0) -> np.ndarray: ...
    @property
    def coordinates(self) -> Any:
        """(body that it moves, joint or None, axis)"""
    def forward_dynamics(self, force: list[float], time: float = 0.0) -> np.ndarray: ...
    def gravity_compensation(self, time: float = 0.0) -> np.ndarray: ...
    def inverse_dynamics(self, acceleration: list[float], time: float = 0.0) -> np.ndarray: ...
    def jacobian(self, body: Body, point: Vector) -> np.ndarray:
        """Six rows: the velocity of a world point that the body carries, and its angular velocity."""
    def mass_matrix(self) -> np.ndarray: ...
    @property
    def positions(self) -> Any: ...
    @positions.setter
    def positions(self, value: Any) -> None: ...
    @property
    def velocities(self) -> Any: ...
    @velocities.setter
    def velocities(self, value: Any) -> None: ...
class Material:
    """The density of a body and the properties of its surface."""
    def __eq__(self, arg0: Material) -> bool: ...
    def __init__(self, name: str = 'default', *, density: float = 1000.0, friction: float = 0.5, static_friction: float = -1.0, restitution: float = 0.0, rolling_friction: float = 0.0, spinning_friction: float = 0.0, surface_velocity: Vector = ...) -> None: ...
    @property
    def density(self) -> Any:
        """kg/m³"""
    @density.setter
    def density(self, value: Any) -> None: ...
    @property
    def friction(self) -> Any:
        """Coulomb's coefficient of a surface that slides"""
    @friction.setter
    def friction(self, value: Any) -> None: ...
    @property
    def name(self) -> Any: ...
    @name.setter
    def name(self, value: Any) -> None: ...
    @property
    def restitution(self) -> Any:
        """Newton's coefficient, 0 to 1"""
    @restitution.setter
    def restitution(self, value: Any) -> None: ...
    @property
    def rolling_friction(self) -> Any:
        """m"""
    @rolling_friction.setter
    def rolling_friction(self, value: Any) -> None: ...
    @property
    def spinning_friction(self) -> Any:
        """m"""
    @spinning_friction.setter
    def spinning_friction(self, value: Any) -> None: ...
    @property
    def static_friction(self) -> Any:
        """the same of a surface that sticks; negative: the same as friction"""
    @static_friction.setter
    def static_friction(self, value: Any) -> None: ...
    @property
    def surface_velocity(self) -> Any:
        """m/s, in the body's frame: a conveyor belt"""
    @surface_velocity.setter
    def surface_velocity(self, value: Any) -> None: ...
class Method:
    """How a world is simulated: names and numbers that can be copied, compared and changed."""
    def __eq__(self, arg0: Method) -> bool: ...
    def __init__(self, preset: str = '') -> None:
        """The complete method of a preset; the default one if no name is given."""
    def honours(self, feature: str) -> bool:
        """True if it simulates a feature, such as 'static-friction'."""
    @property
    def parts(self) -> Any:
        """{slot: (name, {parameter: value that differs from its default})}"""
    @property
    def preset(self) -> Any:
        """the preset it was made from"""
    def set(self, key: str, value: Union[bool, int, float, str, Vector]) -> None:
        """Changes one part by the keys that scene files and --set use: 'integrator', 'stepping.count', 'gyroscopic', …"""
    def with_(self, key: str, value: Union[bool, int, float, str, Vector]) -> Method:
        """A copy with one part changed."""
class MethodInfo:
    """An entry of the registry, which can be chosen by name."""
    @property
    def capabilities(self) -> Any: ...
    @property
    def description(self) -> Any: ...
    @property
    def kind(self) -> Any: ...
    @property
    def limitations(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def parameters(self) -> Any:
        """dictionaries with name, type, unit, default, description, and min and max or choices"""
    @property
    def reference(self) -> Any: ...
class Motion:
    """The awake bodies as an integrator written in Python sees them: arrays, one row per body."""
    @property
    def angular_velocity(self) -> Any:
        """rad/s, world frame"""
    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None: ...
    def evaluate(self, time: float) -> None:
        """Computes force and torque for the present arrays."""
    @property
    def force(self) -> Any:
        """N, as of the last evaluate()"""
    @property
    def inertia(self) -> Any:
        """kg m², principal moments"""
    @property
    def inverse_mass(self) -> Any:
        """1/kg, one column"""
    @property
    def orientation(self) -> Any:
        """w, x, y, z; principal frame to world"""
    @orientation.setter
    def orientation(self, value: Any) -> None: ...
    @property
    def position(self) -> Any:
        """m, centers of mass"""
    @position.setter
    def position(self, value: Any) -> None: ...
    @property
    def time(self) -> Any:
        """s, when the step began"""
    @property
    def torque(self) -> Any:
        """N m, world frame"""
    @property
    def velocity(self) -> Any:
        """m/s"""
    @velocity.setter
    def velocity(self, value: Any) -> None: ...
class Queries:
    """A snapshot of the poses of a world's bodies; it does not follow the world."""
    def __init__(self, world: World) -> None: ...
    def closest_points(self, a: Body, b: Body) -> dict:
        """Distance in m, negative if they overlap, and the nearest points."""
    def overlap(self, shape: Shape, position: Vector = ..., orientation: Quaternion = ...) -> list[Body]:
        """Bodies that a shape touches."""
    def ray_cast(self, origin: Vector, displacement: Vector) -> object:
        """The first hit: body, fraction, point, normal; None if the ray hits nothing."""
    def ray_cast_all(self, origin: Vector, displacement: Vector) -> list: ...
    def ray_distances(self, origins: np.ndarray, displacements: np.ndarray) -> np.ndarray:
        """Casts many rays: m to the first body, infinite if there is none."""
class Scene:
    """A world, a method and a duration."""
    def __init__(self, name: str, strict: bool = False, fix_base: bool = False) -> None:
        """A built-in scene by name, a scene file (.json), or a model (.urdf, .xml, .mjcf, .obj, .stl, .dae, .gltf, .glb). `strict` refuses models with unsupported elements, `fix_base` holds the root of a URDF robot."""
    @property
    def description(self) -> Any: ...
    @property
    def duration(self) -> Any:
        """s"""
    @property
    def method(self) -> Any: ...
    @property
    def name(self) -> Any: ...
    @property
    def notes(self) -> Any:
        """elements of a model that the scene does not express exactly, with file and line"""
    @staticmethod
    def parse(text: str) -> Scene:
        """From the text of a scene file."""
    @staticmethod
    def parse_model(text: str, strict: bool = False) -> Scene:
        """From the text of a URDF or MJCF model."""
    def simulate(self, method: object = None, step: Optional[float] = None, threads: int = 1) -> Simulation:
        """A simulation of it with its drives, by its own method and step unless others are given."""
    @property
    def step(self) -> Any:
        """s"""
    def to_json(self) -> str: ...
    @property
    def world(self) -> Any: ...
class Shape:
    """A shape; it never changes, and bodies may share it."""
    @property
    def bounds(self) -> Any:
        """lower and upper corner of the box around it, in its own frame"""
    @property
    def has_volume(self) -> Any: ...
    @property
    def type(self) -> Any: ...
class Simulation:
    """One world, one method, and time."""
    def __init__(self, world: Optional[World] = None, method: object = None, step: Optional[float] = None, threads: int = 1) -> None:
        """Copies the world. The method is a Method or the name of a preset; the step is in seconds, 1/60 unless given."""
    def add_validator(self, function: Callable[[World, float], list[str]]) -> None:
        """function(world, time) at the end of every step: may change the world, and returns a list of sentences."""
    def advance(self, dt: float) -> int:
        """Simulates dt seconds in fixed steps; the rest is carried over. Returns the number of steps."""
    def after_step(self, callback: Optional[Callable[[Simulation], None]]) -> None:
        """Calls callback(simulation) after every step; None removes it."""
    def arrays(self) -> StateArrays: ...
    def before_step(self, callback: Optional[Callable[[Simulation], None]]) -> None:
        """Calls callback(simulation) before every step; None removes it. Drives of a scene act before it."""
    @property
    def contacts(self) -> Any:
        """of the last step, one row per point: bodies (indices into World.bodies), point, normal, separation (m), impulse (N s) on the second body"""
    def copy(self) -> Simulation:
        """An independent copy. Callbacks written in Python are not copied."""
    @property
    def energy(self) -> Any:
        """J"""
    @property
    def events(self) -> Any:
        """of the last step: dictionaries with kind, time, and the bodies or the joint"""
    def find_contacts(self) -> None: ...
    @property
    def hash(self) -> Any:
        """of everything that the next steps depend on"""
    def is_asleep(self, body: Body) -> bool: ...
    @property
    def method(self) -> Any:
        """may be changed between two steps"""
    @method.setter
    def method(self, value: Any) -> None: ...
    @property
    def motion(self) -> Any:
        """copies of position, orientation, velocity and angular_velocity of all bodies, in the order of World.bodies"""
    def on_event(self, listener: Optional[Callable[[Simulation, dict], None]]) -> None:
        """Calls listener(simulation, event) for every event after each step; None removes it."""
    def reset(self) -> None:
        """Resets the world and sets the time to 0."""
    def restore(self, snapshot: Snapshot) -> None:
        """Restores a snapshot; the run continues bit for bit."""
    def save(self) -> Snapshot: ...
    @property
    def state(self) -> Any:
        """The arrays of all bodies as they lie in memory: rigor.State."""
    @property
    def statistics(self) -> Any:
        """of the solvers in the last step"""
    def step(self, count: int = 1, h: Optional[float] = None) -> None:
        """Makes steps: of the fixed size, or of h seconds each."""
    @property
    def steps(self) -> Any: ...
    def take_reports(self) -> list[str]:
        """Reports since the last call, a sentence each."""
    @property
    def threads(self) -> Any:
        """number of threads that a step may use; 0: one per core"""
    @threads.setter
    def threads(self, value: Any) -> None: ...
    @property
    def time(self) -> Any:
        """s"""
    @property
    def time_step(self) -> Any:
        """s"""
    @time_step.setter
    def time_step(self, value: Any) -> None: ...
    def view(*args: Any, **kwargs: Any) -> Any:
        """Starts the viewer with the world as it is now and gives its page; in a notebook the page shows itself."""
    def why_awake(self, body: Body) -> str: ...
    @property
    def world(self) -> Any: ...
class Snapshot:
    """The complete state of a simulation at one moment."""
    @property
    def size(self) -> Any:
        """bytes that it does not share with others"""
class StateArrays:
    """The arrays of all bodies; see rigor.State."""
    def __len__(self) -> int: ...
    def acquire(self) -> None: ...
    @property
    def awake(self) -> Any: ...
    @property
    def bodies(self) -> Any: ...
    @property
    def is_valid(self) -> Any: ...
    def note_user_forces(self) -> None: ...
    def raw(self, name: str) -> np.ndarray: ...
    def release(self) -> None: ...
    def settle(self) -> None: ...
class World:
    """Bodies, joints and forces. A new one has a ground plane at y = 0 and gravity."""
    def __init__(self, gravity: Vector = ..., ground: bool = True) -> None: ...
    def __len__(self) -> int: ...
    def add_body(self, shape: Shape, position: Vector = ..., *, orientation: Quaternion = ..., velocity: Vector = ..., angular_velocity: Vector = ..., material: Optional[Material] = None, mass: Optional[float] = None, inertia: Optional[Matrix] = None, center_of_mass: Optional[Vector] = None, name: str = '', fixed: bool = False, can_collide: bool = True, continuous: bool = False, sensor: bool = False, linear_damping: float = 0.0, angular_damping: float = 0.0, gravity_factor: float = 1.0, group: int = 1, mask: int = 4294967295) -> Body:
        """Adds a body; its mass is that of the material unless it is given."""
    def add_force(self, function: Callable[[dict], object], bodies: Optional[list[Body]] = None, name: str = '', uses_velocity: bool = True) -> Force:
        """Adds a force written in Python: function(context) gets a dictionary of arrays, one row per body (position, orientation, velocity, angular_velocity, mass) and time, and returns forces of shape (n, 3), or a pair of forces and torques."""
    def add_joint(self, type: str, a: Body, b: Body, anchor: Optional[Vector] = None, axis: Optional[Vector] = None, axis2: Optional[Vector] = None, name: str = '', collide: bool = False, **kwargs: Any) -> Joint:
        """Adds a joint of a type of the registry ('hinge', 'slider', 'ball', …) between two bodies, at a world point and along world directions; further keywords are its parameters, such as upper=1.5."""
    @property
    def angular_momentum(self) -> Any:
        """kg m²/s, about the origin"""
    @property
    def bodies(self) -> Any:
        """in the order of creation; the world body and the ground come first"""
    def body(self, name: str) -> Body: ...
    def copy(self) -> World: ...
    @property
    def forces(self) -> Any: ...
    @property
    def ground(self) -> Any: ...
    def ignore_collisions(self, a: Body, b: Body, ignore: bool = True) -> None: ...
    def joint(self, name: str) -> Joint: ...
    @property
    def joints(self) -> Any: ...
    @property
    def kinetic_energy(self) -> Any:
        """J"""
    @property
    def momentum(self) -> Any:
        """kg m/s"""
    @overload
    def remove(self, body: Body) -> None: ...
    @overload
    def remove(self, joint: Joint) -> None: ...
    @overload
    def remove(self, force: Force) -> None: ...
    def set_gravity(self, acceleration: Vector) -> None: ...
    @property
    def world_body(self) -> Any:
        """a body that never moves, for joints to the surroundings"""
@overload
def box(sides: Vector) -> Shape:
    """A box of these full side lengths."""
@overload
def box(x: float, y: float, z: float) -> Shape:
    """A box of these full side lengths."""
def capsule(radius: float, length: float) -> Shape:
    """Along y; the length is that of the cylindrical part."""
def composite(parts: list[object]) -> Shape:
    """Parts as shapes, (shape, position) or (shape, position, orientation)."""
def cone(radius: float, height: float) -> Shape:
    """Along y, its apex up."""
def convex_hull(points: list[Vector]) -> Shape:
    """The convex hull of at least four points that do not lie in a plane; an (n, 3) array works."""
def cylinder(radius: float, height: float) -> Shape:
    """Along y."""
def height_field(heights: np.ndarray, spacing_x: float, spacing_z: float) -> Shape:
    """Heights over a grid, heights[row along z][column along x]."""
def load_plugin(file: str) -> None:
    """Registers the methods, joints and shapes of a shared library."""
def measure(simulation: Simulation, steps: int, truth: bool = False) -> dict:
    """Makes steps and measures them: arrays of time, kinetic, potential, momentum and angular_momentum, and figures of the run. `truth` adds how well the impulses obey the laws of contact."""
def mesh(vertices: list[Vector], triangles: list[list[int[3]]]) -> Shape:
    """Triangles by the indices of their vertices, counter-clockwise from outside."""
def methods(kind: str = '') -> list[MethodInfo]:
    """The registry, or its entries of one kind: 'preset', 'integrator', 'solver', 'joint', …"""
def plane() -> Shape:
    """The solid half-space y <= 0, for fixed bodies."""
def rectangle(size_x: float, size_z: float, thickness: float = 0.001) -> Shape:
    """A thin card in the xz plane."""
def register_integrator(name: str, function: Callable[..., Any], description: str = 'written in Python', order: int = 1, velocity_lag: float = 0.0) -> None:
    """Adds an integrator to the registry: function(motion, h) moves the bodies of `motion` by h seconds. It is slow, and stays registered until the program ends."""
def scenes() -> list[str]:
    """The names of the built-in scenes."""
def sphere(radius: float) -> Shape: ...
def transformed(shape: Shape, position: Vector = ..., orientation: Quaternion = ...) -> Shape: ...
def world_to_json(world: World, method: object = None, step: float = 0.016666666666666666) -> str:
    """The text of a scene file."""
