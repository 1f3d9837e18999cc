// One function for each part of the module, called by module.cpp in this order.
#pragma once

#include "casters.h"

namespace rigor::python {

void add_materials_and_shapes(pybind11::module_& m);
void add_methods(pybind11::module_& m);
void add_world(pybind11::module_& m);
void add_simulation(pybind11::module_& m);
void add_scenes(pybind11::module_& m);
void add_queries(pybind11::module_& m);
void add_joint_space(pybind11::module_& m);
void add_batch(pybind11::module_& m);

}  // namespace rigor::python
