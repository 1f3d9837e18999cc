"""The arrays of all bodies, without copies.

    state = sim.state
    state.velocity[:] += (0, 0, 1)        # written into the simulation
    speeds = np.linalg.norm(state.velocity, axis=1)

A View is no numpy array, because a numpy array could not tell that the memory behind it is gone. It looks up the memory whenever
it is used, and raises rigor.Error once bodies were added, removed, put to sleep or woken: then rows belong to other bodies.
"""

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

_NAMES = ("position", "orientation", "velocity", "angular_velocity", "force", "torque", "user_force", "user_torque", "inverse_mass")


def _unwrapped(value):
    if isinstance(value, View):
        return value._raw()
    if isinstance(value, (tuple, list)):
        return type(value)(_unwrapped(item) for item in value)
    return value


class View(NDArrayOperatorsMixin):
    """One array of all bodies. Reading a part gives a copy, writing to a part changes the simulation."""

    def __init__(self, arrays, name):
        self._arrays = arrays
        self._name = name

    def _raw(self):
        return self._arrays.raw(self._name)

    @property
    def shape(self):
        return self._raw().shape

    @property
    def ndim(self):
        return self._raw().ndim

    @property
    def dtype(self):
        return np.dtype(float)

    @property
    def size(self):
        return self._raw().size

    def __len__(self):
        return len(self._arrays)

    def __getitem__(self, key):
        return np.array(self._raw()[_unwrapped(key)])

    def __setitem__(self, key, value):
        values = np.asarray(_unwrapped(value), dtype=float)
        if not np.all(np.isfinite(values)):
            raise _error()(f"{self._name}: finite numbers are wanted")
        if self._name == "inverse_mass":
            raise _error()("inverse_mass can only be read")
        self._raw()[_unwrapped(key)] = values

    def __iter__(self):
        return iter(self.copy())

    def copy(self):
        return np.array(self._raw())

    def __array__(self, dtype=None):
        return np.array(self._raw(), dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **keywords):
        if out is not None:
            for target in out:
                if isinstance(target, View):
                    result = getattr(ufunc, method)(*_unwrapped(inputs), **keywords)
                    target[...] = result
                    return target
            keywords["out"] = out
        return getattr(ufunc, method)(*_unwrapped(inputs), **keywords)

    def __array_function__(self, function, types, arguments, keywords):
        return function(*_unwrapped(arguments), **{name: _unwrapped(value) for name, value in keywords.items()})

    def __repr__(self):
        return f"View of {self._name}:\n{self._raw()!r}"


class State:
    """All bodies' arrays at the places where they lie now; `bodies` tells whose row is whose.

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
