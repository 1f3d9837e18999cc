"""The arrays of all bodies, where they lie in memory.

    state = sim.state
    state.velocity[:] += (0, 0, 1)        # written into the simulation
    speeds = np.linalg.norm(state.velocity, axis=1)

A View is no numpy array, because a numpy array could not tell that the memory behind it is gone. It looks up the memory whenever
it is used, and raises rigor.Error once bodies were added, removed, put to sleep or woken: then rows belong to other bodies.
Indexing reads and writes that memory; functions of numpy get a copy of the whole array.
"""

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

_NAMES = ("position", "orientation", "velocity", "angular_velocity", "force", "torque", "user_force", "user_torque", "inverse_mass")


_WRITERS = (np.copyto, np.put, np.putmask, np.place, np.fill_diagonal, np.put_along_axis)
_READ_ONLY = ("force", "torque", "inverse_mass")


class _Memory:
    """The memory behind a view, for the length of a with block: other threads cannot step the simulation meanwhile."""

    def __init__(self, view, writable):
        self._view = view
        self._writable = writable

    def __enter__(self):
        self._view._arrays.acquire()
        try:
            raw = self._view._arrays.raw(self._view._name)
            if not self._writable:
                raw.flags.writeable = False
            return raw
        except BaseException:
            self._view._arrays.release()
            raise

    def __exit__(self, *_):
        self._view._arrays.release()


def _copied(value):
    """The value with copies in place of views."""
    if isinstance(value, View):
        return value.copy()
    if isinstance(value, (tuple, list)):
        return type(value)(_copied(item) for item in value)
    return value


class View(NDArrayOperatorsMixin):
    """One array of all bodies. Reading a part gives a copy, writing to a part changes the simulation."""

    def __init__(self, arrays, name):
        self._arrays = arrays
        self._name = name

    def _memory(self, writable=False):
        return _Memory(self, writable)

    @property
    def shape(self):
        with self._memory() as raw:
            return raw.shape

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def dtype(self):
        return np.dtype(float)

    @property
    def size(self):
        return int(np.prod(self.shape))

    def __len__(self):
        return len(self._arrays)

    def __getitem__(self, key):
        with self._memory() as raw:
            return np.array(raw[_copied(key)])

    def __setitem__(self, key, value):
        if self._name in _READ_ONLY:
            raise _error()(f"{self._name} can only be read")
        values = np.asarray(_copied(value), dtype=float)
        if not np.all(np.isfinite(values)):
            raise _error()(f"{self._name}: expected finite numbers")
        key = _copied(key)
        with self._memory(writable=True) as raw:
            raw[key] = values
        if self._name in ("user_force", "user_torque"):
            self._arrays.note_user_forces()
        else:
            self._arrays.settle()

    def __iter__(self):
        return iter(self.copy())

    def copy(self):
        with self._memory() as raw:
            return np.array(raw)

    def __array__(self, dtype=None):
        return np.asarray(self.copy(), dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **keywords):
        if method == "at":
            raise TypeError("ufunc.at cannot write to a view; use view[...] = …")
        targets = tuple(target for target in out or () if isinstance(target, View))
        if not targets and out is not None:
            keywords["out"] = out
        result = getattr(ufunc, method)(*_copied(inputs), **keywords)
        if not targets:
            return result
        targets[0][...] = result
        return targets[0]

    def __array_function__(self, function, types, arguments, keywords):
        if function in _WRITERS:
            raise TypeError(f"numpy.{function.__name__} cannot write to a view; use view[...] = …")
        if isinstance(keywords.get("out"), View):
            target = keywords["out"]
            target[...] = function(*_copied(arguments), **{k: _copied(v) for k, v in keywords.items() if k != "out"})
            return target
        return function(*_copied(arguments), **{name: _copied(value) for name, value in keywords.items()})

    def __repr__(self):
        return f"View of {self._name}:\n{self.copy()!r}"


class State:
    """The arrays of all bodies; `bodies[i]` is the body of row i.

    position and orientation are those of the centers of mass and of the principal axes of inertia. The first `awake` rows are
    bodies that move by themselves.
    """

    def __init__(self, simulation):
        self._arrays = simulation.arrays()
        for name in _NAMES:
            setattr(self, name, View(self._arrays, name))

    @property
    def bodies(self):
        return self._arrays.bodies

    @property
    def awake(self):
        return self._arrays.awake

    @property
    def is_valid(self):
        """False once the rows belong to other bodies."""
        return self._arrays.is_valid

    def __len__(self):
        return len(self._arrays)

    def __setattr__(self, name, value):
        if name in _NAMES and name in self.__dict__:
            if isinstance(value, View) and value is self.__dict__[name]:  # state.velocity += …
                return
            self.__dict__[name][...] = value
        else:
            object.__setattr__(self, name, value)


def _error():
    from . import Error

    return Error
