// Joint-space functions on top of the forest and its kinematics (Featherstone 2008, 5.3 and 6.2).
//
//   velocities     u_i = X u_parent + S q̇
//   Newton–Euler   a_i = X a_parent + c_i + S q̈,   f_i = I a_i + gyroscopic − applied + Σ Xᵀ f_child,   τ = Sᵀ f_i
//   mass matrix    column k is τ for q̈ = e_k without velocities and forces
#include "rigor/joint_space.h"

#include <Eigen/Dense>
#include <cmath>

#include "articulated/articulated_bodies.h"
#include "constraints/constraint_list.h"
#include "rigor/error.h"

namespace rigor {

using namespace articulated;

struct JointSpace::Impl {
  World world;
  ConstraintList list;
  ContactList no_contacts;
  Forest forest;
  std::vector<LinkCoordinates> at;
  std::vector<LinkPose> poses;  // at the coordinates
  ArticulatedBodies bodies;
  std::vector<Coordinate> coordinates;
  std::vector<std::size_t> first;  // by link: its first coordinate

  explicit Impl(const World& source) : world(source) {
    for (const BodyId id : world.bodies())
      if (!world.is_fixed(id) && world.is_active(id)) world.wake(id);
    list.collect(world, no_contacts);
    forest.build(list.joints, world.state());
    read_poses(forest, list.joints, world.state(), at, poses);
    read_rates(forest, list.joints, world.state(), poses, at);
    for (std::size_t i = 0; i < forest.links.size(); ++i) add_coordinates(i);
    update();
  }

  const Link& link(std::size_t i) const { return forest.links[i]; }
  std::size_t width(std::size_t i) const { return static_cast<std::size_t>(link(i).motion.size()); }

  void add_coordinates(std::size_t i) {
    const Link& l = link(i);
    first.push_back(coordinates.size());
    const BodyId body = world.id_at(l.slot);
    const JointId joint = l.is_free() ? JointId{} : list.joints[static_cast<std::size_t>(l.joint)].id;
    for (int k = 0; k < l.motion.linear_count; ++k)
      coordinates.push_back({body, joint, l.motion.linear[static_cast<std::size_t>(k)]});
    for (int k = 0; k < l.motion.angular_count; ++k)
      coordinates.push_back(
          {body, joint, l.motion.angular_count == 3 ? 3 + k : 3 + l.motion.angular[static_cast<std::size_t>(k)]});
  }

  /// Updates bodies and velocity products at the present coordinates.
  void update() {
    place_bodies(forest, list.joints, at, world.state(), poses);
    bodies.factorise(forest, poses, world.state());
    bodies.find_velocity_products(list.joints, poses, world.state(), at);
  }

  SpatialInertia inertia(std::size_t i) const {
    const BodyState& s = world.state();
    const std::uint32_t slot = link(i).slot;
    const double m = 1 / s.inverse_mass[slot];
    const Mat3 R = rotation_matrix(s.orientation[slot]);
    return {Mat3::diagonal({m, m, m}), {}, R * Mat3::diagonal(s.inertia[slot]) * transpose(R)};
  }

  /// Includes velocities and forces only on request: without them the result is M q̈.
  std::vector<double> newton_euler(std::span<const double> acceleration, bool with_motion, bool with_forces) const {
    const BodyState& s = world.state();
    std::vector<Twist> a(forest.links.size());
    std::vector<Wrench> f(forest.links.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Link& l = link(i);
      if (l.parent >= 0) a[i] = carried(a[static_cast<std::size_t>(l.parent)], bodies.from_parent(static_cast<int>(i)));
      if (with_motion) a[i] += bodies.velocity_product(static_cast<int>(i));
      for (std::size_t k = 0; k < width(i); ++k)
        if (!acceleration.empty())
          a[i] += acceleration[first[i] + k] * bodies.axis(static_cast<int>(i), static_cast<int>(k));
      f[i] = inertia(i) * a[i];
      if (with_motion) f[i].t += cross(s.angular_velocity[l.slot], angular_momentum(s, l.slot));
      if (with_forces) f[i] += Wrench{-s.force[l.slot], -s.torque[l.slot]};
    }
    std::vector<double> tau(coordinates.size());
    for (std::size_t i = f.size(); i-- > 0;) {
      for (std::size_t k = 0; k < width(i); ++k)
        tau[first[i] + k] = dot(bodies.axis(static_cast<int>(i), static_cast<int>(k)), f[i]);
      const int parent = link(i).parent;
      if (parent >= 0) f[static_cast<std::size_t>(parent)] += passed_on(f[i], bodies.from_parent(static_cast<int>(i)));
    }
    return tau;
  }

  std::vector<double> with_forces(std::span<const double> acceleration, bool with_motion, double time) {
    world.evaluate_forces(time);
    return newton_euler(acceleration, with_motion, true);
  }
};

namespace {

void check_numbers(std::span<const double> values, std::size_t size, const char* place) {
  if (values.size() != size)
    throw Error(place, "expected " + std::to_string(size) + " numbers, got " + std::to_string(values.size()));
  for (const double v : values)
    if (!std::isfinite(v)) throw Error(place, "expected finite numbers");
}

}  // namespace

JointSpace::JointSpace(const World& world) : impl_(std::make_unique<Impl>(world)) {}
JointSpace::~JointSpace() = default;
JointSpace::JointSpace(JointSpace&&) noexcept = default;
JointSpace& JointSpace::operator=(JointSpace&&) noexcept = default;

const std::vector<JointSpace::Coordinate>& JointSpace::coordinates() const { return impl_->coordinates; }
const World& JointSpace::world() const { return impl_->world; }

int JointSpace::index_of(JointId joint, int axis) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (coordinates()[i].joint == joint && coordinates()[i].axis == axis) return static_cast<int>(i);
  return -1;
}

std::vector<JointId> JointSpace::cut_joints() const {
  std::vector<JointId> cut;
  for (std::size_t j = 0; j < impl_->list.joints.size(); ++j)
    if (!impl_->forest.in_a_tree[j]) cut.push_back(impl_->list.joints[j].id);
  return cut;
}

std::vector<double> JointSpace::positions() const {
  std::vector<double> q;
  for (std::size_t i = 0; i < impl_->forest.links.size(); ++i) {
    const JointMotion& m = impl_->link(i).motion;
    const LinkCoordinates& at = impl_->at[i];
    for (int k = 0; k < m.linear_count; ++k) q.push_back(at.t[m.linear[static_cast<std::size_t>(k)]]);
    if (m.angular_count == 3) {
      const Vec3 r = rotation_vector(at.q);
      for (int k = 0; k < 3; ++k) q.push_back(r[k]);
    } else {
      for (int k = 0; k < m.angular_count; ++k) q.push_back(at.angle[static_cast<std::size_t>(k)]);
    }
  }
  return q;
}

std::vector<double> JointSpace::velocities() const {
  std::vector<double> v;
  for (std::size_t i = 0; i < impl_->forest.links.size(); ++i)
    for (std::size_t k = 0; k < impl_->width(i); ++k) v.push_back(impl_->at[i].rate[k]);
  return v;
}

void JointSpace::set_positions(std::span<const double> q) {
  check_numbers(q, size(), "set_positions");
  for (std::size_t i = 0; i < impl_->forest.links.size(); ++i) {
    const JointMotion& m = impl_->link(i).motion;
    LinkCoordinates& at = impl_->at[i];
    std::size_t n = impl_->first[i];
    for (int k = 0; k < m.linear_count; ++k) at.t[m.linear[static_cast<std::size_t>(k)]] = q[n++];
    if (m.angular_count == 3) {
      at.q = quaternion_from_rotation_vector({q[n], q[n + 1], q[n + 2]});
    } else {
      for (int k = 0; k < m.angular_count; ++k) at.angle[static_cast<std::size_t>(k)] = q[n++];
    }
  }
  impl_->update();
}

void JointSpace::set_velocities(std::span<const double> v) {
  check_numbers(v, size(), "set_velocities");
  for (std::size_t i = 0; i < impl_->forest.links.size(); ++i)
    for (std::size_t k = 0; k < impl_->width(i); ++k) impl_->at[i].rate[k] = v[impl_->first[i] + k];
  impl_->update();
}

std::vector<double> JointSpace::mass_matrix() const {
  const std::size_t n = size();
  std::vector<double> M(n * n), unit(n);
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = 1;
    const std::vector<double> column = impl_->newton_euler(unit, false, false);
    unit[k] = 0;
    for (std::size_t i = k; i < n; ++i) M[i * n + k] = M[k * n + i] = column[i];
  }
  return M;
}

std::vector<double> JointSpace::bias_forces(double time) const { return impl_->with_forces({}, true, time); }

std::vector<double> JointSpace::inverse_dynamics(std::span<const double> acceleration, double time) const {
  check_numbers(acceleration, size(), "inverse_dynamics");
  return impl_->with_forces(acceleration, true, time);
}

std::vector<double> JointSpace::forward_dynamics(std::span<const double> force, double time) const {
  check_numbers(force, size(), "forward_dynamics");
  const auto n = static_cast<Eigen::Index>(size());
  const std::vector<double> M = mass_matrix(), b = bias_forces(time);
  const Eigen::Map<const Eigen::MatrixXd> matrix(M.data(), n, n);
  const Eigen::VectorXd right =
      Eigen::Map<const Eigen::VectorXd>(force.data(), n) - Eigen::Map<const Eigen::VectorXd>(b.data(), n);
  const Eigen::VectorXd result = matrix.ldlt().solve(right);
  return {result.data(), result.data() + n};
}

std::vector<double> JointSpace::gravity_compensation(double time) const {
  JointSpace at_rest(impl_->world);
  at_rest.set_velocities(std::vector<double>(at_rest.size()));
  return at_rest.impl_->with_forces({}, false, time);
}

std::vector<double> JointSpace::jacobian(BodyId body, const Vec3& point) const {
  const std::size_t n = size();
  std::vector<double> J(6 * n);
  const int index = impl_->forest.link_at(static_cast<int>(impl_->world.slot(body)));
  const Vec3 r = index < 0 ? Vec3{} : point - impl_->world.state().position[impl_->world.slot(body)];
  // Goes up the tree and transforms each ancestor's axes to the body.
  Vec3 way;  // from the ancestor's center of mass to the body's
  for (int i = index; i >= 0; i = impl_->link(static_cast<std::size_t>(i)).parent) {
    for (std::size_t k = 0; k < impl_->width(static_cast<std::size_t>(i)); ++k) {
      const Twist u = carried(impl_->bodies.axis(i, static_cast<int>(k)), way + r);
      for (int c = 0; c < 3; ++c) {
        J[static_cast<std::size_t>(c) * n + impl_->first[static_cast<std::size_t>(i)] + k] = u.v[c];
        J[static_cast<std::size_t>(c + 3) * n + impl_->first[static_cast<std::size_t>(i)] + k] = u.w[c];
      }
    }
    way += impl_->bodies.from_parent(i);
  }
  return J;
}

}  // namespace rigor
