// Whole steps of Bullet: its discrete dynamics world with the defaults, one step of the scene's size at a time, nothing
// sleeps, nothing is damped.
#include "lab/peers/peer_scene.h"

#ifdef RIGOR_HAVE_BULLET

#include <BulletDynamics/ConstraintSolver/btFixedConstraint.h>
#include <btBulletDynamicsCommon.h>

#include "lab/peers/bullet_shapes.h"

namespace rigor {

namespace {

/// Bullet multiplies the frictions of two bodies: with square roots the product is the common friction.
btScalar root(double v) { return to_bullet(std::sqrt(v)); }

/// Filters pairs that do not collide in Rigor either.
struct Filter final : btOverlapFilterCallback {
  const PeerScene* scene = nullptr;

  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    const auto index = [](const btBroadphaseProxy* p) {
      return static_cast<std::size_t>(static_cast<const btCollisionObject*>(p->m_clientObject)->getUserIndex());
    };
    return scene->world->may_collide(scene->bodies[index(a)].id, scene->bodies[index(b)].id);
  }
};

class BulletScene final : public SceneEngine {
 public:
  BulletScene(const Scene& scene, int iterations)
      : world_copy_(scene), scene_(peer_scene(world_copy_, PeerLimits::hinges_and_cones)) {
    // Otherwise a plane yields one new contact point per step: a sliding box would stand on a single corner.
    configuration_.setPlaneConvexMultipointIterations();
    world_.setGravity(to_bullet(scene_.gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    filter_.scene = &scene_;
    if (scene_.filters) world_.getPairCache()->setOverlapFilterCallback(&filter_);
    for (const PeerBody& body : scene_.bodies) add(body);
    for (const PeerJoint& joint : scene_.joints) {
      joints_.push_back(make_joint(joint));
      world_.addConstraint(joints_.back().get());
    }
    feedback_.resize(joints_.size());
    for (std::size_t i = 0; i < joints_.size(); ++i) joints_[i]->setJointFeedback(&feedback_[i]);
  }
  ~BulletScene() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() override { world_.stepSimulation(to_bullet(scene_.h), 0); }

  std::size_t contacts() const override {
    std::size_t points = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
      points += static_cast<std::size_t>(
          const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i)->getNumContacts());
    return points;
  }
  void read_poses(std::vector<BodyPose>& poses) const override {
    poses.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (scene_.bodies[i].mass == 0) continue;
      const btTransform& t = bodies_[i]->getWorldTransform();
      const btVector3& x = t.getOrigin();
      const btQuaternion q = t.getRotation();
      poses.push_back({{x.x(), x.y(), x.z()}, {q.w(), q.x(), q.y(), q.z()}});
    }
  }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override {
    velocities.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (scene_.bodies[i].mass == 0) continue;
      const btVector3 &v = bodies_[i]->getLinearVelocity(), &w = bodies_[i]->getAngularVelocity();
      velocities.push_back({{v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}});
    }
  }

  /// Contacts are found before the velocities change, and keep their geometry until the next step.
  bool read_impulses(EngineImpulses& all) const override {
    all.gravity = scene_.gravity;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold& m = *const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i);
      for (int k = 0; k < m.getNumContacts(); ++k) all.contacts.push_back(contact(m, m.getContactPoint(k)));
    }
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const btJointFeedback& f = feedback_[i];
      const auto add = [&](std::size_t body, const btVector3& force, const btVector3& torque) {
        if (body != PeerJoint::kWorld)
          all.joints.push_back({scene_.bodies[body].id, scene_.h * from_bullet(force), scene_.h * from_bullet(torque)});
      };
      add(scene_.joints[i].a, f.m_appliedForceBodyA, f.m_appliedTorqueBodyA);
      add(scene_.joints[i].b, f.m_appliedForceBodyB, f.m_appliedTorqueBodyB);
    }
    return true;
  }

 private:
  /// Bullet's normal points from its second body to the first, on which its impulses act.
  EngineContact contact(const btPersistentManifold& m, const btManifoldPoint& p) const {
    const auto id = [&](const btCollisionObject* body) {
      return scene_.bodies[static_cast<std::size_t>(body->getUserIndex())].id;
    };
    EngineContact c;
    c.a = id(m.getBody1()), c.b = id(m.getBody0());
    c.normal = from_bullet(p.m_normalWorldOnB);
    c.on_a = from_bullet(p.m_positionWorldOnB), c.on_b = from_bullet(p.m_positionWorldOnA);
    c.gap = p.getDistance();
    c.impulse = double{p.m_appliedImpulse} * c.normal +
                double{p.m_appliedImpulseLateral1} * from_bullet(p.m_lateralFrictionDir1) +
                double{p.m_appliedImpulseLateral2} * from_bullet(p.m_lateralFrictionDir2);
    c.friction = p.m_combinedFriction, c.restitution = p.m_combinedRestitution;
    return c;
  }

  /// Bullet's hinges turn about z, its sliders slide along x.
  std::unique_ptr<btTypedConstraint> make_joint(const PeerJoint& joint) {
    const auto body = [&](std::size_t i) -> btRigidBody& {
      return i == PeerJoint::kWorld ? btTypedConstraint::getFixedBody() : *bodies_[i];
    };
    btRigidBody &a = body(joint.a), &b = body(joint.b);
    const Quat z_along_x{std::sqrt(0.5), 0, std::sqrt(0.5), 0};
    Transform frame_a = joint.frame_a, frame_b = joint.frame_b;
    if (joint.kind == PeerJoint::Kind::hinge)
      frame_a.rotation = frame_a.rotation * z_along_x, frame_b.rotation = frame_b.rotation * z_along_x;
    const btTransform fa = to_bullet(frame_a), fb = to_bullet(frame_b);
    switch (joint.kind) {
      case PeerJoint::Kind::ball: {
        if (!joint.is_limited()) return std::make_unique<btPoint2PointConstraint>(a, b, fa.getOrigin(), fb.getOrigin());
        auto cone = std::make_unique<btConeTwistConstraint>(a, b, fa, fb);
        const btScalar swing = to_bullet(joint.max_swing);
        cone->setLimit(swing, swing, to_bullet(joint.max_twist));
        return cone;
      }
      case PeerJoint::Kind::hinge: {
        auto hinge = std::make_unique<btHingeConstraint>(a, b, fa, fb);
        // Its angle is that of body a against body b.
        if (joint.is_limited()) hinge->setLimit(to_bullet(-joint.upper), to_bullet(-joint.lower));
        return hinge;
      }
      case PeerJoint::Kind::slider: return std::make_unique<btSliderConstraint>(a, b, fa, fb, true);
      case PeerJoint::Kind::fixed: return std::make_unique<btFixedConstraint>(a, b, fa, fb);
    }
    return nullptr;
  }

  void add(const PeerBody& body) {
    shapes_.push_back(simple_bullet_shape(*body.shape));
    btRigidBody::btRigidBodyConstructionInfo info(to_bullet(body.mass), nullptr, shapes_.back().get(),
                                                  to_bullet(body.inertia));
    info.m_startWorldTransform = to_bullet(Transform{body.pose.position, body.pose.orientation});
    info.m_friction = root(body.friction), info.m_restitution = root(body.restitution);
    info.m_linearDamping = info.m_angularDamping = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& b = *bodies_.back();
    b.setLinearVelocity(to_bullet(body.velocity)), b.setAngularVelocity(to_bullet(body.angular_velocity));
    b.setActivationState(DISABLE_DEACTIVATION);
    b.setUserIndex(static_cast<int>(bodies_.size()) - 1);
    if (!body.collides) return world_.addRigidBody(&b, 0, 0);
    world_.addRigidBody(&b);
  }

  const Scene world_copy_;
  const PeerScene scene_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  Filter filter_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;        // as PeerScene::bodies
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;  // as PeerScene::joints
  std::vector<btJointFeedback> feedback_;                   // as joints_
};

}  // namespace

bool has_bullet_engine() { return true; }
std::unique_ptr<SceneEngine> bullet_engine(const Scene& scene, int iterations) {
  return std::make_unique<BulletScene>(scene, iterations);
}

}  // namespace rigor

#else

namespace rigor {

bool has_bullet_engine() { return false; }
std::unique_ptr<SceneEngine> bullet_engine(const Scene&, int) { return nullptr; }

}  // namespace rigor

#endif
