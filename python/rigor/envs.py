"""Reinforcement-learning environments, many worlds at a time, in the form of Gymnasium's VectorEnv.

    env = rigor.envs.CartPole(4096)
    observations, info = env.reset(seed=1)
    observations, rewards, terminated, truncated, info = env.step(actions)

Observations have the shape (worlds, numbers), rewards and flags (worlds,). A world that has ended starts anew in the next step, as
Gymnasium's "next step" mode says. Gymnasium need not be installed. Where it is, spaces are its own.
"""

import numpy as np

from . import _rigor

try:
    from gymnasium.spaces import Box
except ImportError:

    class Box:
        """The part of gymnasium.spaces.Box that is used here."""

        def __init__(self, low, high, shape=None, dtype=np.float64):
            shape = np.shape(low) if shape is None else shape
            self.low = np.broadcast_to(np.asarray(low, dtype=dtype), shape)
            self.high = np.broadcast_to(np.asarray(high, dtype=dtype), shape)
            self.shape = shape
            self.dtype = np.dtype(dtype)
            self._random = np.random.default_rng()

        def seed(self, seed):
            self._random = np.random.default_rng(seed)

        def sample(self):
            return self._random.uniform(self.low, self.high).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


class VectorEnv:
    """Many worlds of one model. A task derives from it: model, axes, observation, reward and end.

    model     text of an MJCF model
    driven    names of the joints that actions push, with the axis and the force or torque of action 1
    observed  names of the joints whose positions and velocities are observed, with the axis
    """

    model = ""
    driven = ()
    observed = ()
    step_size = 0.01  # s
    frame_skip = 2  # steps that one action lasts
    episode_steps = 500
    noise = 0.05  # of the velocities at the start, m/s and rad/s

    def __init__(self, num_envs, method=None, threads=0):
        self.num_envs = num_envs
        self.simulation = _rigor.Scene.parse_model(self.model).simulate(method=method, step=self.step_size)
        world = self.simulation.world
        self.batch = _rigor.Batch(self.simulation, num_envs, threads)
        self.batch.drive([(world.joint(name), axis) for name, axis, _ in self.driven])
        self.batch.observe([(world.joint(name), axis) for name, axis in self.observed])
        self._strength = np.array([strength for _, _, strength in self.driven])
        self._bodies = [body for body in world.bodies if not body.fixed]
        self._random = np.random.default_rng()
        self._age = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)
        self.single_action_space = Box(-1.0, 1.0, (len(self.driven),), dtype=np.float64)
        self.action_space = Box(-1.0, 1.0, (num_envs, len(self.driven)), dtype=np.float64)
        size = self.observe().shape[1]
        self.single_observation_space = Box(-np.inf, np.inf, (size,), dtype=np.float64)
        self.observation_space = Box(-np.inf, np.inf, (num_envs, size), dtype=np.float64)

    def observe(self):
        """Observations, of shape (worlds, numbers)."""
        return np.hstack(self.batch.read())

    def reward(self, observations, actions):
        """Rewards, of shape (worlds,)."""
        raise NotImplementedError

    def has_ended(self, observations):
        """Which worlds have failed, of shape (worlds,)."""
        return np.zeros(self.num_envs, dtype=bool)

    def start(self, world):
        """Randomises the initial velocities of all bodies."""
        for body in self._bodies:
            v = self._random.normal(0, self.noise, 6)
            self.batch.set_velocity(world, body, v[:3], v[3:])

    def reset(self, seed=None, options=None):
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._restart(range(self.num_envs))
        return self.observe(), {}

    def _restart(self, worlds):
        worlds = list(worlds)
        if not worlds:
            return
        self.batch.reset(worlds)
        for world in worlds:
            self.start(world)
        self._age[worlds] = 0
        self._ended[worlds] = False

    def step(self, actions):
        actions = np.clip(np.asarray(actions, dtype=float).reshape(self.num_envs, len(self.driven)), -1, 1)
        anew = np.flatnonzero(self._ended)
        self.batch.set_forces(actions * self._strength)
        self.batch.step(self.frame_skip)
        self._age += 1
        self._restart(anew)
        observations = self.observe()
        rewards = np.where(np.isin(np.arange(self.num_envs), anew), 0.0, self.reward(observations, actions))
        terminated = self.has_ended(observations)
        truncated = (self._age >= self.episode_steps) & ~terminated
        self._ended = terminated | truncated
        return observations, rewards, terminated, truncated, {}

    def close(self):
        pass


class CartPole(VectorEnv):
    """A pole on a cart that is pushed left and right; an episode ends when the pole leans by 0.2 rad or the cart is 2.4 m away."""

    model = """
    <mujoco model="cart-pole">
      <worldbody>
        <body name="cart" pos="0 0 1">
          <joint name="slide" type="slide" axis="1 0 0"/>
          <geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
          <body name="pole">
            <joint name="swing" type="hinge" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 1" size="0.03" mass="0.1" contype="0" conaffinity="0"/>
          </body>
        </body>
      </worldbody>
    </mujoco>"""
    driven = (("slide", 0, 10.0),)
    observed = (("slide", 0), ("swing", 3))

    def reward(self, observations, actions):
        return np.ones(self.num_envs)

    def has_ended(self, observations):
        return (np.abs(observations[:, 0]) > 2.4) | (np.abs(observations[:, 1]) > 0.2)

    def start(self, world):
        v, w = self._random.normal(0, self.noise, 2)
        cart, pole = self._bodies
        self.batch.set_velocity(world, cart, (v, 0, 0))
        self.batch.set_velocity(world, pole, (v + 0.5 * w, 0, 0), (0, w, 0))


class Hopper(VectorEnv):
    """A leg with three joints in a plane that hops forward; an episode ends when its torso is low or leans far."""

    model = """
    <mujoco model="hopper">
      <default><geom density="1000" friction="0.9"/></default>
      <worldbody>
        <geom name="floor" type="plane" size="40 40 1"/>
        <body name="torso" pos="0 0 1.25">
          <joint name="ahead" type="slide" axis="1 0 0"/>
          <joint name="up" type="slide" axis="0 0 1"/>
          <joint name="lean" type="hinge" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0.2 0 0 -0.2" size="0.05"/>
          <body name="thigh" pos="0 0 -0.2">
            <joint name="hip" type="hinge" axis="0 -1 0" range="-150 0" limited="true" damping="1"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.45" size="0.05"/>
            <body name="leg" pos="0 0 -0.45">
              <joint name="knee" type="hinge" axis="0 -1 0" range="-150 0" limited="true" damping="1"/>
              <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04"/>
              <body name="foot" pos="0 0 -0.5">
                <joint name="ankle" type="hinge" axis="0 -1 0" range="-45 45" limited="true" damping="1"/>
                <geom type="capsule" fromto="-0.13 0 0 0.26 0 0" size="0.06"/>
              </body>
            </body>
          </body>
        </body>
      </worldbody>
    </mujoco>"""
    driven = (("hip", 3, 200.0), ("knee", 3, 200.0), ("ankle", 3, 200.0))
    observed = (("hip", 3), ("knee", 3), ("ankle", 3))
    step_size = 0.004
    frame_skip = 2
    noise = 0.01

    def observe(self):
        motion = self.batch.read_motion(self.simulation.world.body("torso"))
        lean = 2 * np.arctan2(motion[:, 5], motion[:, 3])  # about y
        joints, rates = self.batch.read()
        return np.column_stack([motion[:, 2], lean, joints, motion[:, 7], motion[:, 9], motion[:, 11], rates])

    def reward(self, observations, actions):
        return observations[:, 5] + 1.0 - 1e-3 * np.sum(actions**2, axis=1)

    def has_ended(self, observations):
        return (observations[:, 0] < 0.7) | (np.abs(observations[:, 1]) > 0.4)


class ArmReach(VectorEnv):
    """An arm of two links in a plane that reaches for a point; each world has a target of its own."""

    model = """
    <robot name="arm">
      <link name="world"/>
      <link name="upper">
        <inertial><origin xyz="0.25 0 0"/><mass value="1"/><inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
      </link>
      <link name="lower">
        <inertial><origin xyz="0.2 0 0"/><mass value="0.6"/><inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
      </link>
      <joint name="shoulder" type="continuous"><parent link="world"/><child link="upper"/><axis xyz="0 0 1"/></joint>
      <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-2.5" upper="2.5" effort="10" velocity="10"/></joint>
    </robot>"""
    driven = (("shoulder", 3, 5.0), ("elbow", 3, 3.0))
    observed = (("shoulder", 3), ("elbow", 3))
    step_size = 0.01
    frame_skip = 2
    episode_steps = 150

    def __init__(self, num_envs, method=None, threads=0):
        self.target = np.zeros((num_envs, 2))
        super().__init__(num_envs, method, threads)

    def start(self, world):
        angle, radius = self._random.uniform(-np.pi, np.pi), self._random.uniform(0.3, 0.85)
        self.target[world] = radius * np.cos(angle), radius * np.sin(angle)

    def hand(self, observations):
        """Where the hands are, of shape (worlds, 2)."""
        a, b = observations[:, 0], observations[:, 0] + observations[:, 1]
        return np.column_stack([0.5 * np.cos(a) + 0.4 * np.cos(b), 0.5 * np.sin(a) + 0.4 * np.sin(b)])

    def observe(self):
        positions, velocities = self.batch.read()
        return np.hstack([positions, velocities, self.target])

    def reward(self, observations, actions):
        return -np.linalg.norm(self.hand(observations) - self.target, axis=1) - 1e-3 * np.sum(actions**2, axis=1)


_ANT_LEG = """
          <body name="hip{i}" pos="{x} {y} 0">
            <joint name="swing{i}" type="hinge" axis="0 0 1" range="-30 30" limited="true" damping="0.5"/>
            <geom type="capsule" fromto="0 0 0 {x} {y} 0" size="0.08"/>
            <body name="shin{i}" pos="{x} {y} 0">
              <joint name="knee{i}" type="hinge" axis="{ax} {ay} 0" range="30 70" limited="true" damping="0.5"/>
              <geom type="capsule" fromto="0 0 0 {x2} {y2} 0" size="0.08"/>
            </body>
          </body>"""


class Ant(VectorEnv):
    """A body on four legs with two joints each that walks forward; an episode ends when its body is low or upside down."""

    model = """
    <mujoco model="ant">
      <default><geom density="300" friction="1"/></default>
      <worldbody>
        <geom name="floor" type="plane" size="40 40 1"/>
        <body name="torso" pos="0 0 0.75">
          <freejoint name="root"/>
          <geom type="sphere" size="0.25"/>""" + "".join(
        _ANT_LEG.format(i=i, x=0.2 * sx, y=0.2 * sy, x2=0.4 * sx, y2=0.4 * sy, ax=-sy, ay=sx)
        for i, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1)))) + """
        </body>
      </worldbody>
    </mujoco>"""
    driven = tuple((f"{kind}{i}", 3, 30.0) for i in range(4) for kind in ("swing", "knee"))
    observed = tuple((f"{kind}{i}", 3) for i in range(4) for kind in ("swing", "knee"))
    step_size = 0.01
    frame_skip = 5

    def observe(self):
        motion = self.batch.read_motion(self.simulation.world.body("torso"))
        positions, velocities = self.batch.read()
        return np.hstack([motion[:, 2:], positions, velocities])

    def reward(self, observations, actions):
        return observations[:, 5] + 0.5 - 0.05 * np.sum(actions**2, axis=1)

    def has_ended(self, observations):
        _, x, y = observations[:, 1], observations[:, 2], observations[:, 3]
        is_upside_down = 1 - 2 * (x**2 + y**2) < 0
        return (observations[:, 0] < 0.2) | is_upside_down
