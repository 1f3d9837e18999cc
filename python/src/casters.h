// How vectors, quaternions and rigid motions cross between C++ and Python.
//
//   Vec3        any sequence of three numbers in; an array of shape (3,) out
//   Quat        any sequence of four numbers w, x, y, z in; an array of shape (4,) out
//   Mat3        anything of shape (3, 3) in; an array of shape (3, 3) out
//   Transform   a pair (position, orientation), both ways
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "rigor/math.h"

namespace pybind11::detail {

/// Reads `count` numbers from a sequence or an array; false if it is none.
inline bool load_numbers(handle source, double* out, ssize_t count) {
  if (!source || isinstance<str>(source) || !PySequence_Check(source.ptr())) return false;
  const auto items = reinterpret_borrow<sequence>(source);
  if (static_cast<ssize_t>(items.size()) != count) return false;
  for (ssize_t i = 0; i < count; ++i) {
    const object item = items[static_cast<std::size_t>(i)];
    out[i] = PyFloat_AsDouble(item.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

template <> struct type_caster<rigor::Vec3> {
  PYBIND11_TYPE_CASTER(rigor::Vec3, const_name("Vector"));
  bool load(handle source, bool) {
    double v[3];
    if (!load_numbers(source, v, 3)) return false;
    value = {v[0], v[1], v[2]};
    return true;
  }
  static handle cast(const rigor::Vec3& v, return_value_policy, handle) {
    array_t<double> out(3);
    double* p = out.mutable_data();
    p[0] = v.x, p[1] = v.y, p[2] = v.z;
    return out.release();
  }
};

template <> struct type_caster<rigor::Quat> {
  PYBIND11_TYPE_CASTER(rigor::Quat, const_name("Quaternion"));
  bool load(handle source, bool) {
    double v[4];
    if (!load_numbers(source, v, 4)) return false;
    value = {v[0], v[1], v[2], v[3]};
    return true;
  }
  static handle cast(const rigor::Quat& q, return_value_policy, handle) {
    array_t<double> out(4);
    double* p = out.mutable_data();
    p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
    return out.release();
  }
};

template <> struct type_caster<rigor::Mat3> {
  PYBIND11_TYPE_CASTER(rigor::Mat3, const_name("Matrix"));
  bool load(handle source, bool) {
    if (!source || isinstance<str>(source) || !PySequence_Check(source.ptr())) return false;
    const auto rows = reinterpret_borrow<sequence>(source);
    if (rows.size() != 3) return false;
    for (int i = 0; i < 3; ++i) {
      double v[3];
      const object row = rows[static_cast<std::size_t>(i)];
      if (!load_numbers(row, v, 3)) return false;
      value.row[i] = {v[0], v[1], v[2]};
    }
    return true;
  }
  static handle cast(const rigor::Mat3& m, return_value_policy, handle) {
    array_t<double> out({3, 3});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out.mutable_at(i, j) = m(i, j);
    return out.release();
  }
};

template <> struct type_caster<rigor::Transform> {
  PYBIND11_TYPE_CASTER(rigor::Transform, const_name("tuple[Vector, Quaternion]"));
  bool load(handle source, bool convert) {
    if (!source || isinstance<str>(source) || !PySequence_Check(source.ptr())) return false;
    const auto pair = reinterpret_borrow<sequence>(source);
    if (pair.size() != 2) return false;
    make_caster<rigor::Vec3> position;
    make_caster<rigor::Quat> orientation;
    const object first = pair[0], second = pair[1];
    if (!position.load(first, convert) || !orientation.load(second, convert)) return false;
    value = {cast_op<rigor::Vec3&>(position), cast_op<rigor::Quat&>(orientation)};
    return true;
  }
  static handle cast(const rigor::Transform& t, return_value_policy, handle) {
    return make_tuple(pybind11::cast(t.translation), pybind11::cast(t.rotation)).release();
  }
};

}  // namespace pybind11::detail
