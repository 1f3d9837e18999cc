// Whole steps of DART: its semi-implicit Euler step, contacts by ODE's collision detection (the only one in DART that supports all
// shapes here and finds several points), and its LCP solver, Dantzig's method with Gauss-Seidel where that fails. Each tree of joints is
// a skeleton in reduced coordinates; joints that close a loop are constraints between bodies.
#include "lab/peers/dart/dart_module.h"

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/ode/OdeCollisionDetector.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/constraint/WeldJointConstraint.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CapsuleShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <numbers>
#include <unordered_map>

namespace rigor {

namespace {

namespace dynamics = dart::dynamics;
namespace collision = dart::collision;
namespace constraint = dart::constraint;
using dynamics::BodyNode;
using dynamics::Skeleton;

constexpr std::size_t kNone = PeerForest::kNone;
/// Its matrices are dense, three rows per contact point, and time grows with the cube of the points. A step with this many takes ten
/// seconds, and a longer one could not be interrupted.
constexpr std::size_t kMostBodies = 250, kMostPoints = 800;

Eigen::Vector3d to_dart(const Vec3& v) { return {v.x, v.y, v.z}; }
Eigen::Isometry3d to_dart(const BodyPose& pose) {
  const Quat& q = pose.orientation;
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
  t.translation() = to_dart(pose.position);
  return t;
}
Vec3 from_dart(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

dynamics::ShapePtr make_shape(const Shape& s) {
  if (const Box* box = s.as<Box>()) return std::make_shared<dynamics::BoxShape>(2 * to_dart(box->half));
  if (const Sphere* sphere = s.as<Sphere>()) return std::make_shared<dynamics::SphereShape>(sphere->radius);
  if (const Capsule* c = s.as<Capsule>())
    return std::make_shared<dynamics::CapsuleShape>(c->radius, 2 * c->half_length);
  return std::make_shared<dynamics::PlaneShape>(Eigen::Vector3d::UnitY(), 0.0);
}

/// Filters pairs that do not collide in Rigor either.
struct Filter final : collision::CollisionFilter {
  const DartInput* input = nullptr;
  std::unordered_map<const dynamics::ShapeFrame*, std::size_t> body;  // whose shape it is

  bool ignoresCollision(const collision::CollisionObject* a, const collision::CollisionObject* b) const override {
    return !input->may_collide(input->scene, body.at(a->getShapeFrame()), body.at(b->getShapeFrame()));
  }
};

/// Bodies and joints become skeletons.
class Builder {
 public:
  Builder(const DartInput& input, dart::simulation::World& world, Filter& filter, std::vector<BodyNode*>& nodes)
      : scene_(input.scene), forest_(input.forest), world_(world), filter_(filter), nodes_(nodes) {
    nodes_.resize(scene_.bodies.size());
    for (const std::size_t root : forest_.roots) {
      add_skeleton(root);
      // Bodies that hang from a fixed body hang from the world: separate skeletons cost less than a common one.
      if (is_fixed(root))
        for (const std::size_t child : forest_.children[root]) add_skeleton(child);
    }
    for (const std::size_t j : forest_.loops) close_loop(scene_.joints[j]);
  }

 private:
  bool is_fixed(std::size_t i) const { return scene_.bodies[i].mass == 0; }

  void add_skeleton(std::size_t root) {
    const dynamics::SkeletonPtr skeleton = Skeleton::create("skeleton " + std::to_string(root));
    std::vector<std::size_t> queue{root};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      add_body(*skeleton, queue[i], i == 0 ? nullptr : nodes_[forest_.parent[queue[i]]]);
      const std::vector<std::size_t>& children = forest_.children[queue[i]];
      if (!is_fixed(root)) queue.insert(queue.end(), children.begin(), children.end());
    }
    skeleton->setMobile(!is_fixed(root));
    world_.addSkeleton(skeleton);
  }

  void add_body(Skeleton& skeleton, std::size_t i, BodyNode* parent) {
    const PeerBody& body = scene_.bodies[i];
    BodyNode& node = *(nodes_[i] = add_node(skeleton, i, parent));
    if (body.mass > 0)
      node.setInertia(dynamics::Inertia(body.mass, Eigen::Vector3d::Zero(), to_dart(body.inertia).asDiagonal()));
    if (!body.collides) return;
    dynamics::ShapeNode& shape =
        *node.createShapeNodeWith<dynamics::CollisionAspect, dynamics::DynamicsAspect>(make_shape(*body.shape));
    // Its capsules stand along z.
    if (body.shape->as<Capsule>())
      shape.setRelativeRotation(Eigen::AngleAxisd(-std::numbers::pi / 2, Eigen::Vector3d::UnitX()).toRotationMatrix());
    shape.getDynamicsAspect()->setFrictionCoeff(body.friction);
    shape.getDynamicsAspect()->setRestitutionCoeff(std::sqrt(body.restitution));  // it multiplies those of two bodies
    filter_.body[&shape] = i;
  }

  BodyNode* add_node(Skeleton& skeleton, std::size_t i, BodyNode* parent) {
    const PeerBody& body = scene_.bodies[i];
    if (forest_.joint[i] == kNone) {
      if (is_fixed(i)) return hang<dynamics::WeldJoint>(skeleton, i, parent, body.pose.position).second;
      const auto [joint, node] = hang<dynamics::FreeJoint>(skeleton, i, parent, body.pose.position);
      joint->setLinearVelocity(to_dart(body.velocity)), joint->setAngularVelocity(to_dart(body.angular_velocity));
      return node;
    }
    const PeerJoint& joint = scene_.joints[forest_.joint[i]];
    switch (joint.kind) {
      case PeerJoint::Kind::ball: {
        const auto [ball, node] = hang<dynamics::BallJoint>(skeleton, i, parent, joint.anchor);
        ball->setVelocities(to_dart(forest_.velocity[i].angular));
        return node;
      }
      case PeerJoint::Kind::hinge: return hang_on_axis<dynamics::RevoluteJoint>(skeleton, i, parent, joint);
      case PeerJoint::Kind::slider: return hang_on_axis<dynamics::PrismaticJoint>(skeleton, i, parent, joint);
      case PeerJoint::Kind::fixed: return hang<dynamics::WeldJoint>(skeleton, i, parent, joint.anchor).second;
    }
    return nullptr;
  }

  /// Connects it by a joint that is at zero at the start, with its frame parallel to the world's.
  template <class Joint>
  std::pair<Joint*, BodyNode*> hang(Skeleton& skeleton, std::size_t i, BodyNode* parent, const Vec3& anchor) {
    const Eigen::Isometry3d frame(Eigen::Translation3d(to_dart(anchor)));
    const auto in = [&](std::size_t body) { return to_dart(scene_.bodies[body].pose).inverse() * frame; };
    typename Joint::Properties joint;
    joint.mName = "joint " + std::to_string(i);
    joint.mT_ChildBodyToJoint = in(i);
    joint.mT_ParentBodyToJoint = parent ? in(forest_.parent[i]) : frame;
    const BodyNode::AspectProperties body("body " + std::to_string(i));
    return skeleton.createJointAndBodyNodePair<Joint>(parent, joint, BodyNode::Properties(body));
  }

  /// Hinge or slider.
  template <class Joint>
  BodyNode* hang_on_axis(Skeleton& skeleton, std::size_t i, BodyNode* parent, const PeerJoint& joint) {
    const auto [made, node] = hang<Joint>(skeleton, i, parent, joint.anchor);
    made->setAxis(to_dart(joint.axis));
    const BodyVelocities& velocity = forest_.velocity[i];
    made->setVelocity(0, dot(joint.axis, joint.kind == PeerJoint::Kind::hinge ? velocity.angular : velocity.linear));
    if (!joint.is_limited()) return node;
    // Limits are those of b against a; DART's joint moves the child, from zero.
    const double start = position(joint);
    const bool forward = joint.b == i;
    made->setPositionLowerLimit(0, forward ? joint.lower - start : start - joint.upper);
    made->setPositionUpperLimit(0, forward ? joint.upper - start : start - joint.lower);
    made->setLimitEnforcement(true);
    return node;
  }

  /// The coordinate of frame b relative to frame a, rad about or m along their x axis.
  double position(const PeerJoint& joint) const {
    const Transform t = inverse(to_world(scene_, joint.a, joint.frame_a)) * to_world(scene_, joint.b, joint.frame_b);
    if (joint.kind == PeerJoint::Kind::slider) return t.translation.x;
    return std::remainder(2 * std::atan2(t.rotation.x, t.rotation.w), 2 * std::numbers::pi);
  }

  void close_loop(const PeerJoint& joint) {
    const auto node = [&](std::size_t i) { return i == kNone || is_fixed(i) ? nullptr : nodes_[i]; };
    BodyNode *first = node(joint.b), *second = node(joint.a);
    if (!first) std::swap(first, second);
    if (!first) return;  // both are fixed
    const auto pin = [&](const Vec3& at) {
      const Eigen::Vector3d x = to_dart(at);
      add(second ? std::make_shared<constraint::BallJointConstraint>(first, second, x)
                 : std::make_shared<constraint::BallJointConstraint>(first, x));
    };
    if (joint.is_limited()) refuse(joint, "DART has no limits for a joint that closes a loop");
    switch (joint.kind) {
      case PeerJoint::Kind::ball: return pin(joint.anchor);
      case PeerJoint::Kind::hinge: return pin(joint.anchor), pin(joint.anchor + joint.axis);  // two points of its axis
      case PeerJoint::Kind::fixed:
        return add(second ? std::make_shared<constraint::WeldJointConstraint>(first, second)
                          : std::make_shared<constraint::WeldJointConstraint>(first));
      case PeerJoint::Kind::slider: refuse(joint, "DART has no slider that closes a loop");
    }
  }
  void add(const constraint::ConstraintBasePtr& loop) { world_.getConstraintSolver()->addConstraint(loop); }
  [[noreturn]] static void refuse(const PeerJoint& joint, const std::string& why) {
    throw Error("joint '" + joint.name + "'", why);
  }

  const PeerScene& scene_;
  const PeerForest& forest_;
  dart::simulation::World& world_;
  Filter& filter_;
  std::vector<BodyNode*>& nodes_;
};

class DartScene final : public SceneEngine {
 public:
  explicit DartScene(const std::shared_ptr<const DartInput>& input) : input_(input) {
    refuse_many_bodies();
    const std::lock_guard lock(*input_->ode_library);
    const auto filter = std::make_shared<Filter>();
    filter->input = input_.get();
    auto world = dart::simulation::World::create("rigor");
    world->setGravity(to_dart(input_->scene.gravity));
    world->setTimeStep(input_->scene.h);
    constraint::ConstraintSolver& solver = *world->getConstraintSolver();
    solver.setCollisionDetector(collision::OdeCollisionDetector::create());
    solver.getCollisionOption() = collision::CollisionOption(true, kMostPoints, filter);
    Builder(*input_, *world, *filter, nodes_);
    collision::CollisionResult found;
    world->checkCollision(solver.getCollisionOption(), &found);
    refuse_many_points(found.getNumContacts());
    world_ = std::move(world);
  }
  ~DartScene() override {
    const std::lock_guard lock(*input_->ode_library);
    world_.reset();
  }

  void step() override {
    if (lost_ || (lost_ = is_lost())) return;
    world_->step();
    refuse_many_points(contacts());
  }
  std::size_t contacts() const override { return world_->getLastCollisionResult().getNumContacts(); }
  void read_poses(std::vector<BodyPose>& poses) const override {
    poses.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (input_->scene.bodies[i].mass == 0) continue;
      const Eigen::Isometry3d& t = nodes_[i]->getWorldTransform();
      const Eigen::Quaterniond q(t.linear());
      poses.push_back({from_dart(t.translation()), {q.w(), q.x(), q.y(), q.z()}});
      if (lost_) poses.back() = kNoPose;
    }
  }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override {
    velocities.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (input_->scene.bodies[i].mass == 0) continue;
      velocities.push_back({from_dart(nodes_[i]->getLinearVelocity()), from_dart(nodes_[i]->getAngularVelocity())});
      if (lost_) velocities.back() = kNoVelocities;
    }
  }
  /// Its contacts have forces, on the first body; its joints are coordinates and have none.
  bool read_impulses(EngineImpulses& all) const override {
    if (lost_) return false;
    const PeerScene& scene = input_->scene;
    all.gravity = scene.gravity;
    all.has_all_joints = scene.joints.empty();
    for (const collision::Contact& found : world_->getLastCollisionResult().getContacts()) {
      const PeerBody &first = body_of(found.collisionObject1), &second = body_of(found.collisionObject2);
      EngineContact c;
      c.a = second.id, c.b = first.id;
      c.on_a = c.on_b = from_dart(found.point), c.normal = from_dart(found.normal);
      c.gap = -found.penetrationDepth;
      c.impulse = scene.h * from_dart(found.force);
      c.friction = std::min(first.friction, second.friction);
      c.restitution = std::sqrt(first.restitution * second.restitution);
      all.contacts.push_back(c);
    }
    return true;
  }

 private:
  const PeerBody& body_of(const collision::CollisionObject* object) const {
    const auto* shape = object->getShapeFrame()->asShapeNode();
    const auto found = std::find(nodes_.begin(), nodes_.end(), shape->getBodyNodePtr().get());
    return input_->scene.bodies[static_cast<std::size_t>(found - nodes_.begin())];
  }

  void refuse_many_bodies() const {
    std::size_t count = 0;
    for (const PeerBody& body : input_->scene.bodies) count += body.collides && body.mass > 0;
    if (count > kMostBodies) refuse_more_than(kMostBodies, "bodies that collide");
  }
  static void refuse_many_points(std::size_t count) {
    if (count >= kMostPoints) refuse_more_than(kMostPoints, "contact points");
  }
  [[noreturn]] static void refuse_more_than(std::size_t most, const std::string& what) {
    throw Error("dart", "it gets at most " + std::to_string(most) + " " + what +
                            ", because its time grows with the cube of the contact points");
  }

  /// Distributions build DART with assertions, which end the program if a pose is not finite. Before that happens its velocities
  /// are squared from step to step: they have left these bounds long before.
  bool is_lost() const {
    constexpr double kMostTurn = 1e3, kMostWay = 1e6;  // rad, m in a step
    const double h = input_->scene.h;
    for (const BodyNode* node : nodes_)
      if (!(node->getAngularVelocity().norm() * h < kMostTurn && node->getLinearVelocity().norm() * h < kMostWay))
        return true;
    return false;
  }

  const std::shared_ptr<const DartInput> input_;
  dart::simulation::WorldPtr world_;
  std::vector<BodyNode*> nodes_;  // as PeerScene::bodies
  bool lost_ = false;             // the last result is invalid
};

}  // namespace

extern "C" SceneEngine* rigor_make_dart_scene(const std::shared_ptr<const DartInput>& input) {
  return new DartScene(input);
}

}  // namespace rigor
