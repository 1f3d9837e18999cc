// Worlds with their bodies, joints and forces.
#include "parts.h"
#include "rigor/joint_types.h"
#include "rigor/scene.h"
#include "rigor/snapshot_file.h"
#include "settings_argument.h"
#include "store.h"

namespace rigor::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

ShapePtr constant(const std::shared_ptr<Shape>& shape) { return shape; }

PyBody add_body(const PyWorld& w, const std::shared_ptr<Shape>& shape, const Vec3& position, const Quat& orientation,
                const Vec3& velocity, const Vec3& angular_velocity, const std::optional<Material>& material,
                std::optional<double> mass, std::optional<Mat3> inertia, std::optional<Vec3> center_of_mass,
                const std::string& name, bool fixed, bool can_collide, bool continuous, bool sensor,
                double linear_damping, double angular_damping, double gravity_factor, std::uint32_t group,
                std::uint32_t mask) {
  refuse_within_force();
  BodyDef def;
  def.shape = constant(shape), def.name = name, def.position = position, def.orientation = orientation;
  def.velocity = velocity, def.angular_velocity = angular_velocity;
  if (material) def.material = *material;
  def.mass = mass, def.inertia = inertia, def.center_of_mass = center_of_mass;
  def.fixed = fixed, def.can_collide = can_collide, def.continuous = continuous, def.group = group, def.mask = mask;
  def.sensor = sensor, def.linear_damping = linear_damping, def.angular_damping = angular_damping;
  def.gravity_factor = gravity_factor;
  return {w.store, w.use()->add_body(def)};
}

PyJoint add_joint(const PyWorld& w, const std::string& type, const PyBody& a, const PyBody& b,
                  const std::optional<Vec3>& anchor, const std::optional<Vec3>& axis, const std::optional<Vec3>& axis2,
                  const std::string& name, bool collide, const py::kwargs& parameters) {
  refuse_within_force();
  const auto world = w.use();
  JointPlacement placement;
  const BodyId id_a = id_in(w.store, a, "body"), id_b = id_in(w.store, b, "body");
  placement.anchor = anchor.value_or(Vec3{}), placement.axis = axis, placement.axis2 = axis2;
  if (!anchor) placement.anchor = world->center_of_mass(id_b);
  JointDef def = make_joint(*world, type, id_a, id_b, placement, settings_from(parameters));
  def.name = name, def.collide = collide;
  return {w.store, world->add_joint(std::move(def))};
}

template <class T> py::array_t<double> rows(const std::vector<T>& values) {
  constexpr std::size_t kWidth = sizeof(T) / sizeof(double);
  py::array_t<double> out({values.size(), kWidth});
  std::copy_n(reinterpret_cast<const double*>(values.data()), values.size() * kWidth, out.mutable_data());
  return out;
}

/// The affected bodies as a force written in Python sees them: copies of the arrays.
py::dict context_of(const ForceContext& c) {
  std::vector<Vec3> x, v, w;
  std::vector<Quat> q;
  std::vector<double> mass;
  for (const std::uint32_t slot : c.bodies) {
    x.push_back(c.state.position[slot]), v.push_back(c.state.velocity[slot]);
    w.push_back(c.state.angular_velocity[slot]), q.push_back(c.state.orientation[slot]);
    const double inverse = c.state.inverse_mass[slot];
    mass.push_back(inverse > 0 ? 1 / inverse : std::numeric_limits<double>::infinity());
  }
  py::array_t<double> masses(static_cast<py::ssize_t>(mass.size()), mass.data());
  return py::dict("time"_a = c.time, "position"_a = rows(x), "orientation"_a = rows(q), "velocity"_a = rows(v),
                  "angular_velocity"_a = rows(w), "mass"_a = masses);
}

void add_rows(const py::object& result, std::span<Vec3> to, std::span<const std::uint32_t> slots, const char* what) {
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>(result);
  if (values.ndim() != 2 || static_cast<std::size_t>(values.shape(0)) != slots.size() || values.shape(1) != 3)
    throw Error(std::string("a force written in Python returned ") + what + " that are not an array of shape (" +
                std::to_string(slots.size()) + ", 3)");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto k = static_cast<py::ssize_t>(i);
    to[slots[i]] += Vec3{values.at(k, 0), values.at(k, 1), values.at(k, 2)};
  }
}

/// f({"time": …, "position": (n, 3), …}) gives forces (n, 3), or a pair of forces and torques.
PyForce add_force(const PyWorld& w, const std::function<py::object(py::dict)>& function,
                  const std::optional<std::vector<PyBody>>& bodies, const std::string& name, bool uses_velocity) {
  refuse_within_force();
  Affected affected;
  if (bodies) {
    affected.kind = Affected::Kind::list;
    for (const PyBody& body : *bodies) affected.bodies.push_back(id_in(w.store, body, "body"));
  }
  CustomForce effect(
      [function](const ForceContext& c) {
        const py::gil_scoped_acquire gil;
        struct Mark {
          Mark() { ++forces_in_progress; }
          ~Mark() { --forces_in_progress; }
        } mark;
        const py::object result = function(context_of(c));
        if (py::isinstance<py::tuple>(result)) {
          const auto pair = result.cast<py::tuple>();
          if (pair.size() != 2)
            throw Error("a force written in Python has to return forces, or a pair of forces and torques");
          add_rows(pair[0], c.force, c.bodies, "forces"), add_rows(pair[1], c.torque, c.bodies, "torques");
        } else {
          add_rows(result, c.force, c.bodies, "forces");
        }
      },
      uses_velocity);
  return {w.store, w.use()->add_force(std::move(effect), std::move(affected), name)};
}

std::string bytes_of(const World& world) { return write_snapshot({Simulation(world).save(), "", "", 10}); }

void add_body_class(py::module_& m) {
  py::class_<PyBody>(m, "Body", "A body of a world. Its properties read the present state of the world.")
      .def_property(
          "name", [](const PyBody& b) { return b.use()->name(b.id); },
          [](const PyBody& b, const std::string& name) { b.use()->set_name(b.id, name); })
      .def_property(
          "user_data", [](const PyBody& b) { return b.use()->user_data(b.id); },
          [](const PyBody& b, std::uint64_t data) { b.use()->set_user_data(b.id, data); },
          "a number for the application")
      .def_property_readonly(
          "exists", [](const PyBody& b) { return b.use()->contains(b.id); }, "false once it was removed")
      .def_property(
          "position", [](const PyBody& b) { return b.use()->position(b.id); },
          [](const PyBody& b, const Vec3& p) {
            refuse_within_force();
            const auto w = b.use();
            w->set_pose(b.id, p, w->orientation(b.id));
          },
          "m, of the body frame's origin")
      .def_property(
          "orientation", [](const PyBody& b) { return b.use()->orientation(b.id); },
          [](const PyBody& b, const Quat& q) {
            refuse_within_force();
            const auto w = b.use();
            w->set_pose(b.id, w->position(b.id), q);
          },
          "w, x, y, z; body to world")
      .def_property(
          "velocity", [](const PyBody& b) { return b.use()->velocity(b.id); },
          [](const PyBody& b, const Vec3& v) {
            refuse_within_force();
            const auto w = b.use();
            w->set_velocity(b.id, v, w->angular_velocity(b.id));
          },
          "m/s, of the center of mass")
      .def_property(
          "angular_velocity", [](const PyBody& b) { return b.use()->angular_velocity(b.id); },
          [](const PyBody& b, const Vec3& v) {
            refuse_within_force();
            const auto w = b.use();
            w->set_velocity(b.id, w->velocity(b.id), v);
          },
          "rad/s, world frame")
      .def_property(
          "mass", [](const PyBody& b) { return b.use()->mass_properties(b.id).mass; },
          [](const PyBody& b, double mass) { refuse_within_force(), b.use()->set_mass(b.id, mass); }, "kg")
      .def_property_readonly(
          "inertia", [](const PyBody& b) { return b.use()->mass_properties(b.id).inertia; },
          "kg m², about the center of mass, axes of the body frame")
      .def_property_readonly(
          "center_of_mass", [](const PyBody& b) { return b.use()->center_of_mass(b.id); }, "m, world")
      .def_property_readonly(
          "momentum", [](const PyBody& b) { return b.use()->momentum(b.id); }, "kg m/s")
      .def_property_readonly(
          "angular_momentum", [](const PyBody& b) { return b.use()->angular_momentum(b.id); },
          "kg m²/s, about the center of mass")
      .def_property(
          "fixed", [](const PyBody& b) { return b.use()->is_fixed(b.id); },
          [](const PyBody& b, bool yes) { refuse_within_force(), b.use()->set_fixed(b.id, yes); })
      .def_property(
          "material", [](const PyBody& b) { return b.use()->body_def(b.id).material; },
          [](const PyBody& b, const Material& made) { refuse_within_force(), b.use()->set_material(b.id, made); })
      .def_property(
          "shape", [](const PyBody& b) { return std::const_pointer_cast<Shape>(b.use()->body_def(b.id).shape); },
          [](const PyBody& b, const std::shared_ptr<Shape>& shape) {
            refuse_within_force(), b.use()->set_shape(b.id, constant(shape));
          })
      .def_property(
          "gravity_factor", [](const PyBody& b) { return b.use()->body_def(b.id).gravity_factor; },
          [](const PyBody& b, double factor) { b.use()->set_gravity_factor(b.id, factor); },
          "times the weight; 0 floats")
      .def_property_readonly("is_asleep", [](const PyBody& b) { return b.use()->is_asleep(b.id); })
      .def(
          "set_damping",
          [](const PyBody& b, double linear, double angular) { b.use()->set_damping(b.id, linear, angular); },
          "linear"_a, "angular"_a = 0.0, "1/s: rates at which velocity and angular momentum decay.")
      .def(
          "apply_force",
          [](const PyBody& b, const Vec3& force, const std::optional<Vec3>& point) {
            const auto w = b.use();
            if (point)
              w->apply_force(b.id, force, *point);
            else
              w->apply_force(b.id, force);
          },
          "force"_a, "point"_a = py::none(), "N, for the next step, at a world point or at the center of mass.")
      .def(
          "apply_torque", [](const PyBody& b, const Vec3& torque) { b.use()->apply_torque(b.id, torque); }, "torque"_a,
          "N m, for the next step.")
      .def(
          "set_kinematic_target",
          [](const PyBody& b, const Vec3& position, const Quat& orientation, double dt) {
            b.use()->set_kinematic_target(b.id, position, orientation, dt);
          },
          "position"_a, "orientation"_a, "dt"_a,
          "Gives a fixed body the velocities that bring it to a pose after dt seconds.")
      .def(
          "apply_impulse",
          [](const PyBody& b, const Vec3& impulse, const std::optional<Vec3>& point) {
            refuse_within_force();
            const auto w = b.use();
            w->apply_impulse(b.id, impulse, point ? *point : w->center_of_mass(b.id));
          },
          "impulse"_a, "point"_a = py::none(), "N s, at a world point or at the center of mass.")
      .def(
          "set_force",
          [](const PyBody& b, const Vec3& force, const Vec3& torque) { b.use()->set_user_force(b.id, force, torque); },
          "force"_a, "torque"_a = Vec3{},
          "A force (N) at the center of mass and a torque (N m) until they are set again.")
      .def("wake", [](const PyBody& b) { refuse_within_force(), b.use()->wake(b.id); })
      .def(
          "to_world", [](const PyBody& b, const Vec3& p) { return b.use()->to_world(b.id, p); }, "point"_a)
      .def(
          "to_body", [](const PyBody& b, const Vec3& p) { return b.use()->to_body(b.id, p); }, "point"_a)
      .def("__eq__", [](const PyBody& a, const PyBody& b) { return a == b; })
      .def("__eq__", [](const PyBody&, const py::object&) { return false; })
      .def("__hash__", [](const PyBody& b) { return (static_cast<std::size_t>(b.id.generation) << 32) + b.id.index; })
      .def("__repr__", [](const PyBody& b) {
        const auto w = b.use();
        return w->contains(b.id) ? "<rigor.Body '" + w->name(b.id) + "'>" : "<rigor.Body, removed>";
      });
}

void add_joint_class(py::module_& m) {
  py::class_<PyJoint>(m, "Joint", "A joint of a world.")
      .def_property_readonly("name", [](const PyJoint& j) { return j.use()->joint(j.id).name; })
      .def_property_readonly("type", [](const PyJoint& j) { return j.use()->joint(j.id).type; })
      .def_property_readonly("exists", [](const PyJoint& j) { return j.use()->contains(j.id); })
      .def_property_readonly("bodies",
                             [](const PyJoint& j) {
                               const auto w = j.use();
                               const JointDef& def = w->joint(j.id);
                               return std::pair(PyBody{j.store, def.a}, PyBody{j.store, def.b});
                             })
      .def_property_readonly(
          "parameters",
          [](const PyJoint& j) {
            py::dict out;
            for (const auto& [name, value] : describe_joint(j.use()->joint(j.id)).parameters)
              out[py::str(name)] = std::visit([](const auto& v) -> py::object { return py::cast(v); }, value);
            return out;
          },
          "those that differ from the defaults of its type")
      .def(
          "set",
          [](const PyJoint& j, const py::kwargs& parameters) {
            const Settings settings = settings_from(parameters);
            const auto w = j.use();
            set_joint_parameters(*w, j.id, settings);
          },
          "Changes parameters by name: joint.set(motor_target=2.0).")
      .def(
          "position", [](const PyJoint& j, int axis) { return j.use()->joint_position(j.id, axis); }, "axis"_a,
          "m or rad: 0 to 2 along x, y and z of its frame, 3 to 5 about them.")
      .def(
          "velocity", [](const PyJoint& j, int axis) { return j.use()->joint_velocity(j.id, axis); }, "axis"_a)
      .def_property_readonly(
          "force", [](const PyJoint& j) { return j.use()->joint_state(j.id).force; },
          "N, on its second body in the last step")
      .def_property_readonly(
          "torque", [](const PyJoint& j) { return j.use()->joint_state(j.id).torque; }, "N m")
      .def_property(
          "broken", [](const PyJoint& j) { return j.use()->joint_state(j.id).broken; },
          [](const PyJoint& j, bool yes) { refuse_within_force(), j.use()->set_joint_broken(j.id, yes); })
      .def(
          "set_strength",
          [](const PyJoint& j, double force, double torque) { j.use()->set_joint_strength(j.id, force, torque); },
          "force"_a = kUnbounded, "torque"_a = kUnbounded, "N and N m at which it breaks.")
      .def("__eq__", [](const PyJoint& a, const PyJoint& b) { return a == b; })
      .def("__eq__", [](const PyJoint&, const py::object&) { return false; })
      .def("__hash__", [](const PyJoint& j) { return (static_cast<std::size_t>(j.id.generation) << 32) + j.id.index; })
      .def("__repr__", [](const PyJoint& j) {
        const auto w = j.use();
        if (!w->contains(j.id)) return std::string("<rigor.Joint, removed>");
        return "<rigor.Joint '" + w->joint(j.id).name + "' " + w->joint(j.id).type + ">";
      });
  py::class_<PyForce>(m, "Force", "A force effect of a world.")
      .def_property_readonly("name", [](const PyForce& f) { return f.use()->force(f.id).name; })
      .def_property_readonly("type", [](const PyForce& f) { return std::string(f.use()->force(f.id).effect->type()); })
      .def_property(
          "active", [](const PyForce& f) { return f.use()->force(f.id).active; },
          [](const PyForce& f, bool yes) { f.use()->set_force_active(f.id, yes); });
}

}  // namespace

void add_world(py::module_& m) {
  add_body_class(m);
  add_joint_class(m);
  py::class_<PyWorld>(m, "World", "Bodies, joints and forces. A new one has a ground plane at y = 0 and gravity.")
      .def(py::init([](const Vec3& gravity, bool ground) {
             World world;
             world.set_gravity(gravity);
             if (!ground) world.remove_body(world.ground());
             return PyWorld{std::make_shared<Store>(std::move(world))};
           }),
           "gravity"_a = Vec3{0, -9.81, 0}, "ground"_a = true)
      .def("add_body", &add_body, "shape"_a, "position"_a = Vec3{}, py::kw_only(), "orientation"_a = Quat{},
           "velocity"_a = Vec3{}, "angular_velocity"_a = Vec3{}, "material"_a = py::none(), "mass"_a = py::none(),
           "inertia"_a = py::none(), "center_of_mass"_a = py::none(), "name"_a = "", "fixed"_a = false,
           "can_collide"_a = true, "continuous"_a = false, "sensor"_a = false, "linear_damping"_a = 0.0,
           "angular_damping"_a = 0.0, "gravity_factor"_a = 1.0, "group"_a = 1U, "mask"_a = 0xffffffffU,
           "Adds a body; its mass is that of the material unless it is given.")
      .def(
          "remove",
          [](const PyWorld& w, const PyBody& b) {
            refuse_within_force(), w.use()->remove_body(id_in(w.store, b, "body"));
          },
          "body"_a)
      .def(
          "remove",
          [](const PyWorld& w, const PyJoint& j) {
            refuse_within_force(), w.use()->remove_joint(id_in(w.store, j, "joint"));
          },
          "joint"_a)
      .def(
          "remove",
          [](const PyWorld& w, const PyForce& f) {
            refuse_within_force(), w.use()->remove_force(id_in(w.store, f, "force"));
          },
          "force"_a)
      .def("add_joint", &add_joint, "type"_a, "a"_a, "b"_a, "anchor"_a = py::none(), "axis"_a = py::none(),
           "axis2"_a = py::none(), "name"_a = "", "collide"_a = false,
           "Adds a joint of a type of the registry ('hinge', 'slider', 'ball', …) between two bodies, at a world point "
           "and along world directions; further keywords are its parameters, such as upper=1.5.")
      .def("add_force", &add_force, "function"_a, "bodies"_a = py::none(), "name"_a = "", "uses_velocity"_a = true,
           "Adds a force written in Python: function(context) gets a dictionary of arrays, one row per body (position, "
           "orientation, velocity, angular_velocity, mass) and time, and returns forces of shape (n, 3), or a pair of "
           "forces and torques.")
      .def_property_readonly(
          "bodies",
          [](const PyWorld& w) {
            std::vector<PyBody> out;
            for (const BodyId id : w.use()->bodies()) out.push_back({w.store, id});
            return out;
          },
          "in the order of creation; the world body and the ground come first")
      .def_property_readonly("joints",
                             [](const PyWorld& w) {
                               std::vector<PyJoint> out;
                               for (const JointId id : w.use()->joints()) out.push_back({w.store, id});
                               return out;
                             })
      .def_property_readonly("forces",
                             [](const PyWorld& w) {
                               std::vector<PyForce> out;
                               for (const ForceId id : w.use()->forces()) out.push_back({w.store, id});
                               return out;
                             })
      .def(
          "body",
          [](const PyWorld& w, const std::string& name) {
            const auto world = w.use();
            const BodyId id = world->find_body(name);
            if (id) return PyBody{w.store, id};
            std::vector<std::string> names;
            for (const BodyId other : world->bodies()) names.push_back(world->name(other));
            throw Error(unknown_name("body", name, names));
          },
          "name"_a)
      .def(
          "joint",
          [](const PyWorld& w, const std::string& name) {
            const auto world = w.use();
            const JointId id = world->find_joint(name);
            if (id) return PyJoint{w.store, id};
            std::vector<std::string> names;
            for (const JointId other : world->joints()) names.push_back(world->joint(other).name);
            throw Error(unknown_name("joint", name, names));
          },
          "name"_a)
      .def_property_readonly("ground",
                             [](const PyWorld& w) {
                               return PyBody{w.store, w.use()->ground()};
                             })
      .def_property_readonly(
          "world_body",
          [](const PyWorld& w) {
            return PyBody{w.store, w.use()->world_body()};
          },
          "a body that never moves, for joints to the surroundings")
      .def(
          "set_gravity", [](const PyWorld& w, const Vec3& g) { w.use()->set_gravity(g); }, "acceleration"_a)
      .def(
          "ignore_collisions",
          [](const PyWorld& w, const PyBody& a, const PyBody& b, bool ignore) {
            w.use()->ignore_collisions(id_in(w.store, a, "body"), id_in(w.store, b, "body"), ignore);
          },
          "a"_a, "b"_a, "ignore"_a = true)
      .def_property_readonly(
          "kinetic_energy", [](const PyWorld& w) { return w.use()->kinetic_energy(); }, "J")
      .def_property_readonly(
          "momentum", [](const PyWorld& w) { return w.use()->momentum(); }, "kg m/s")
      .def_property_readonly(
          "angular_momentum", [](const PyWorld& w) { return w.use()->angular_momentum(); }, "kg m²/s, about the origin")
      .def("copy", [](const PyWorld& w) { return PyWorld{std::make_shared<Store>(World(*w.use()))}; })
      .def("__copy__", [](const PyWorld& w) { return PyWorld{std::make_shared<Store>(World(*w.use()))}; })
      .def(
          "__deepcopy__",
          [](const PyWorld& w, const py::dict&) { return PyWorld{std::make_shared<Store>(World(*w.use()))}; }, "memo"_a)
      .def(py::pickle([](const PyWorld& w) { return py::bytes(bytes_of(*w.use())); },
                      [](const py::bytes& bytes) {
                        Simulation simulation(read_snapshot(std::string(bytes)).snapshot);
                        return PyWorld{std::make_shared<Store>(World(simulation.world()))};
                      }))
      .def("__len__", [](const PyWorld& w) { return w.use()->body_count(); })
      .def("__repr__", [](const PyWorld& w) {
        const auto world = w.use();
        return "<rigor.World of " + std::to_string(world->body_count()) + " bodies and " +
               std::to_string(world->joint_count()) + " joints>";
      });
}

}  // namespace rigor::python
