"""Worlds to learn in, many at a time, in the form of Gymnasium's VectorEnv.

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
        """What is asked of gymnasium.spaces.Box here."""

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
        self.single_action_space = Box(-1.0, 1.0, (len(self.driven),))
        self.action_space = Box(-1.0, 1.0, (num_envs, len(self.driven)))
        size = self.observe().shape[1]
        self.single_observation_space = Box(-np.inf, np.inf, (size,))
        self.observation_space = Box(-np.inf, np.inf, (num_envs, size))

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
        """Makes the beginnings of the worlds differ: small velocities of all bodies."""
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
    """A pole on a cart that is pushed left and right; it has ended when the pole leans by 0.2 rad or the cart is 2.4 m away."""

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
