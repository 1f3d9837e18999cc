// Whole steps of ODE: its space of hashed cells, at most four points per pair as Rigor and Bullet have, and the quick step.
#include "lab/peers/peer_scene.h"

#ifdef RIGOR_HAVE_ODE

#include <ode/ode.h>

#include <deque>

namespace rigor {

namespace {

constexpr int kMostPoints = 4;

/// The library has to be initialised once, and once more in every thread.
void start_ode() {
  const std::lock_guard lock(ode_library());
  static const bool started = dInitODE2(0) != 0;
  static thread_local const bool known = started && dAllocateODEDataForThread(dAllocateMaskAll) != 0;
  (void)known;
}

struct ReleaseOde {
  void operator()(dWorldID world) const { dWorldDestroy(world); }
  void operator()(dSpaceID space) const { dSpaceDestroy(space); }
  void operator()(dJointGroupID group) const { dJointGroupDestroy(group); }
};
template <class T> using OdeOwner = std::unique_ptr<std::remove_pointer_t<T>, ReleaseOde>;

class OdeScene final : public SceneEngine {
 public:
  OdeScene(const Scene& scene, int iterations) : copy_(scene), scene_(peer_scene(copy_)) {
    start_ode();
    world_.reset(dWorldCreate());
    space_.reset(dHashSpaceCreate(nullptr));
    contact_group_.reset(dJointGroupCreate(0));
    dWorldSetGravity(world_.get(), scene_.gravity.x, scene_.gravity.y, scene_.gravity.z);
    dWorldSetQuickStepNumIterations(world_.get(), iterations);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) add(scene_.bodies[i], i);
    joint_feedback_.resize(scene_.joints.size());
    for (std::size_t i = 0; i < scene_.joints.size(); ++i)
      dJointSetFeedback(add(scene_.joints[i]), &joint_feedback_[i]);
  }

  void step() override {
    points_.clear();
    dSpaceCollide(space_.get(), this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<OdeScene*>(self)->meet(a, b); });
    dWorldQuickStep(world_.get(), scene_.h);
    dJointGroupEmpty(contact_group_.get());
  }
  std::size_t contacts() const override { return points_.size(); }
  void read_poses(std::vector<BodyPose>& poses) const override {
    poses.clear();
    for (const dBodyID body : bodies_) {
      if (!body) continue;
      const dReal* x = dBodyGetPosition(body);
      const dReal* q = dBodyGetQuaternion(body);
      poses.push_back({{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}});
    }
  }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override {
    velocities.clear();
    for (const dBodyID body : bodies_) {
      if (!body) continue;
      const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
      velocities.push_back({{v[0], v[1], v[2]}, {w[0], w[1], w[2]}});
    }
  }
  bool read_impulses(EngineImpulses& all) const override {
    all.gravity = scene_.gravity;
    for (const Point& p : points_) {
      // Forces are those on the first body that moves.
      const Vec3 impulse = scene_.h * vector(p.feedback.f1);
      all.contacts.push_back(p.contact);
      all.contacts.back().impulse = p.is_reversed ? -impulse : impulse;
    }
    for (std::size_t i = 0; i < joint_feedback_.size(); ++i) {
      const PeerJoint& joint = scene_.joints[i];
      const dJointFeedback& f = joint_feedback_[i];
      const bool is_reversed = is_fixed(joint.a);
      add_joint(is_reversed ? joint.b : joint.a, f.f1, f.t1, all);
      if (!is_reversed) add_joint(joint.b, f.f2, f.t2, all);
    }
    return true;
  }

 private:
  struct Point {
    EngineContact contact;
    dJointFeedback feedback{};
    bool is_reversed = false;  // the contact's body b does not move
  };

  static Vec3 vector(const dReal* v) { return {v[0], v[1], v[2]}; }
  bool is_fixed(std::size_t body) const { return body == PeerJoint::kWorld || !bodies_[body]; }
  void add_joint(std::size_t body, const dReal* force, const dReal* torque, EngineImpulses& all) const {
    if (!is_fixed(body))
      all.joints.push_back({scene_.bodies[body].id, scene_.h * vector(force), scene_.h * vector(torque)});
  }

  dJointID add(const PeerJoint& joint) {
    const auto body = [&](std::size_t i) { return i == PeerJoint::kWorld ? nullptr : bodies_[i]; };
    const Vec3 &x = joint.anchor, &u = joint.axis;
    dJointID made = nullptr;
    switch (joint.kind) {
      case PeerJoint::Kind::ball: made = dJointCreateBall(world_.get(), nullptr); break;
      case PeerJoint::Kind::hinge: made = dJointCreateHinge(world_.get(), nullptr); break;
      case PeerJoint::Kind::slider: made = dJointCreateSlider(world_.get(), nullptr); break;
      case PeerJoint::Kind::fixed: made = dJointCreateFixed(world_.get(), nullptr); break;
    }
    dJointAttach(made, body(joint.a), body(joint.b));
    if (joint.kind == PeerJoint::Kind::ball) dJointSetBallAnchor(made, x.x, x.y, x.z);
    if (joint.kind == PeerJoint::Kind::hinge)
      dJointSetHingeAnchor(made, x.x, x.y, x.z), dJointSetHingeAxis(made, u.x, u.y, u.z);
    if (joint.kind == PeerJoint::Kind::slider) dJointSetSliderAxis(made, u.x, u.y, u.z);
    if (joint.kind == PeerJoint::Kind::fixed) dJointSetFixed(made);
    return made;
  }

  void add(const PeerBody& body, std::size_t index) {
    dBodyID b = nullptr;
    const Vec3& x = body.pose.position;
    const Quat& q = body.pose.orientation;
    const dQuaternion turned = {q.w, q.x, q.y, q.z};
    if (body.mass > 0) {
      b = dBodyCreate(world_.get());
      dMass mass;
      dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia.x, body.inertia.y, body.inertia.z, 0, 0, 0);
      dBodySetMass(b, &mass);
      dBodySetPosition(b, x.x, x.y, x.z), dBodySetQuaternion(b, turned);
      dBodySetLinearVel(b, body.velocity.x, body.velocity.y, body.velocity.z);
      dBodySetAngularVel(b, body.angular_velocity.x, body.angular_velocity.y, body.angular_velocity.z);
    }
    bodies_.push_back(b);
    if (!body.collides) return;
    const dGeomID geom = make_geom(body);
    dGeomSetData(geom, reinterpret_cast<void*>(index));
    if (b)
      dGeomSetBody(geom, b);
    else if (!body.shape->as<Plane>())
      dGeomSetPosition(geom, x.x, x.y, x.z), dGeomSetQuaternion(geom, turned);
    // ODE's capsules stand along z.
    if (b && body.shape->as<Capsule>()) {
      const dQuaternion z_to_y = {std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
      dGeomSetOffsetQuaternion(geom, z_to_y);
    }
  }

  dGeomID make_geom(const PeerBody& body) {
    const Shape& s = *body.shape;
    if (const Box* box = s.as<Box>())
      return dCreateBox(space_.get(), 2 * box->half.x, 2 * box->half.y, 2 * box->half.z);
    if (const Sphere* sphere = s.as<Sphere>()) return dCreateSphere(space_.get(), sphere->radius);
    if (const Capsule* c = s.as<Capsule>()) return dCreateCapsule(space_.get(), c->radius, 2 * c->half_length);
    const Vec3 n = rotate(body.pose.orientation, {0, 1, 0});
    return dCreatePlane(space_.get(), n.x, n.y, n.z, dot(n, body.pose.position));
  }

  void meet(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    const PeerBody &first = of(a), &second = of(b);
    if (scene_.filters && !scene_.world->may_collide(first.id, second.id)) return;
    dContact contacts[kMostPoints];
    const int count = dCollide(a, b, kMostPoints, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1;  // friction scales with the normal force
      contacts[i].surface.mu = std::sqrt(first.friction * second.friction);
      if (const double bounce = std::sqrt(first.restitution * second.restitution); bounce > 0) {
        contacts[i].surface.mode |= dContactBounce;
        contacts[i].surface.bounce = bounce, contacts[i].surface.bounce_vel = scene_.bounce_speed;
      }
      const dJointID joint = dJointCreateContact(world_.get(), contact_group_.get(), &contacts[i]);
      dJointAttach(joint, body_a, body_b);
      // ODE's normal points to the first body.
      const dContactGeom& found = contacts[i].geom;
      Point& point = points_.emplace_back();
      point.contact = {second.id,
                       first.id,
                       vector(found.pos),
                       vector(found.pos),
                       vector(found.normal),
                       -found.depth,
                       {},
                       contacts[i].surface.mu,
                       std::sqrt(first.restitution * second.restitution)};
      point.is_reversed = !body_a;
      dJointSetFeedback(joint, &point.feedback);
    }
  }
  const PeerBody& of(dGeomID geom) const { return scene_.bodies[reinterpret_cast<std::size_t>(dGeomGetData(geom))]; }

  const Scene copy_;
  const PeerScene scene_;
  OdeOwner<dWorldID> world_;
  OdeOwner<dSpaceID> space_;
  OdeOwner<dJointGroupID> contact_group_;
  std::vector<dBodyID> bodies_;                 // as PeerScene::bodies; null for fixed ones
  std::deque<Point> points_;                    // of the last step; ODE points into it
  std::vector<dJointFeedback> joint_feedback_;  // as PeerScene::joints
};

}  // namespace

bool has_ode_engine() { return true; }
std::unique_ptr<SceneEngine> ode_engine(const Scene& scene, int iterations) {
  return std::make_unique<OdeScene>(scene, iterations);
}

}  // namespace rigor

#else

namespace rigor {

bool has_ode_engine() { return false; }
std::unique_ptr<SceneEngine> ode_engine(const Scene&, int) { return nullptr; }

}  // namespace rigor

#endif
