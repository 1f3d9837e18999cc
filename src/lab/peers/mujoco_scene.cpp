// Whole steps of MuJoCo: its default solver and integrator. Bodies that joints hold together are a tree of its reduced coordinates,
// rooted at fixed bodies if there are any; joints that close a loop are equality constraints.
#include "lab/peers/peer_forest.h"

#ifdef RIGOR_HAVE_MUJOCO

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>

#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::size_t kNone = PeerForest::kNone;
/// Its memory grows with the square of the constraint rows, 4 per contact point.
constexpr std::size_t kMostBodies = 250, kMostRows = 8000;

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z); }
std::string text(const Quat& q) { return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w, q.x, q.y, q.z); }

/// The scene in MuJoCo's own format.
class Model {
 public:
  Model(const PeerScene& scene, const PeerForest& forest, int iterations) : scene_(scene), forest_(forest) {
    xml_ = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>";
    const std::size_t points = 100 + 12 * scene.bodies.size();
    xml_ += fmt::format("<size njmax=\"{}\" nconmax=\"{}\"/>", std::min(kMostRows, 4 * points), points);
    xml_ += fmt::format("<option timestep=\"{:.17g}\" gravity=\"{}\" iterations=\"{}\"/><worldbody>", scene.h,
                        text(scene.gravity), iterations);
    for (const std::size_t root : forest.roots) body(root);
    xml_ += "</worldbody><contact>";
    if (scene.filters) exclude();
    xml_ += "</contact><equality>";
    for (const std::size_t j : forest.loops) loop(scene.joints[j]);
    xml_ += "</equality></mujoco>";
  }
  const std::string& xml() const { return xml_; }

 private:
  void body(std::size_t i) {
    const PeerBody& b = scene_.bodies[i];
    Transform pose{b.pose.position, b.pose.orientation};
    if (forest_.parent[i] != kNone) {
      const BodyPose& p = scene_.bodies[forest_.parent[i]].pose;
      pose = inverse(Transform{p.position, p.orientation}) * pose;
    }
    xml_ += fmt::format("<body name=\"b{}\" pos=\"{}\" quat=\"{}\">", i, text(pose.translation), text(pose.rotation));
    if (b.mass > 0) {
      if (forest_.joint[i] == kNone)
        xml_ += "<freejoint/>";
      else
        joint(scene_.joints[forest_.joint[i]], i);
      xml_ += fmt::format("<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", b.mass, text(b.inertia));
    }
    geom(b);
    for (const std::size_t child : forest_.children[i]) body(child);
    xml_ += "</body>";
  }

  void joint(const PeerJoint& j, std::size_t child) {
    if (j.kind == PeerJoint::Kind::fixed) return;
    const BodyPose& pose = scene_.bodies[child].pose;
    const Vec3 anchor = rotate_inverse(pose.orientation, j.anchor - pose.position);
    const char* type = j.kind == PeerJoint::Kind::ball ? "ball" : j.kind == PeerJoint::Kind::hinge ? "hinge" : "slide";
    xml_ += fmt::format("<joint name=\"j{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"/>", child, type, text(anchor),
                        text(rotate_inverse(pose.orientation, j.axis)));
  }

  void geom(const PeerBody& b) {
    const Shape& s = *b.shape;
    // Planes have their normal along z here, capsules their axis.
    const std::string z_to_y = text(Quat{std::sqrt(0.5), -std::sqrt(0.5), 0, 0});
    std::string shape;
    if (const Box* box = s.as<Box>()) shape = fmt::format("type=\"box\" size=\"{}\"", text(box->half));
    if (const Sphere* ball = s.as<Sphere>()) shape = fmt::format("type=\"sphere\" size=\"{:.17g}\"", ball->radius);
    if (const Capsule* c = s.as<Capsule>())
      shape = fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\" quat=\"{}\"", c->radius, c->half_length, z_to_y);
    if (s.as<Plane>()) shape = fmt::format("type=\"plane\" size=\"0 0 1\" quat=\"{}\"", z_to_y);
    xml_ += fmt::format("<geom {} friction=\"{:.17g} 0 0\"{}/>", shape, b.friction,
                        b.collides ? "" : " contype=\"0\" conaffinity=\"0\"");
  }

  void exclude() {
    const std::size_t n = scene_.bodies.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = i + 1; k < n; ++k) {
        const PeerBody &a = scene_.bodies[i], &b = scene_.bodies[k];
        if (a.mass + b.mass > 0 && !scene_.world->may_collide(a.id, b.id))
          xml_ += fmt::format("<exclude body1=\"b{}\" body2=\"b{}\"/>", i, k);
      }
  }

  void loop(const PeerJoint& j) {
    const std::size_t first = j.b != kNone ? j.b : j.a, second = j.b != kNone ? j.a : kNone;
    const BodyPose& pose = scene_.bodies[first].pose;
    const std::string other = second == kNone ? "" : fmt::format(" body2=\"b{}\"", second);
    const auto connect = [&](const Vec3& point) {
      xml_ += fmt::format("<connect body1=\"b{}\"{} anchor=\"{}\"/>", first, other,
                          text(rotate_inverse(pose.orientation, point - pose.position)));
    };
    switch (j.kind) {
      case PeerJoint::Kind::ball: return connect(j.anchor);
      case PeerJoint::Kind::hinge: return connect(j.anchor), connect(j.anchor + j.axis);  // two points of its axis
      case PeerJoint::Kind::fixed: xml_ += fmt::format("<weld body1=\"b{}\"{}/>", first, other); return;
      case PeerJoint::Kind::slider: throw Error("joint '" + j.name + "'", "MuJoCo has no slider that closes a loop");
    }
  }

  const PeerScene& scene_;
  const PeerForest& forest_;
  std::string xml_;
};

struct ReleaseMujoco {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

/// The library would end the program on errors and write warnings to a file.
void tame() {
  mju_user_error = [](const char* sentence) { throw Error("mujoco", sentence); };
  mju_user_warning = [](const char*) {};
}

std::unique_ptr<mjModel, ReleaseMujoco> load(const std::string& xml) {
  tame();
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size())) != 0)
    throw Error("mujoco", "the scene is too large for it");
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], xml.data(), xml.size());
  char trouble[500] = "";
  std::unique_ptr<mjModel, ReleaseMujoco> model(mj_loadXML("scene.xml", files.get(), trouble, sizeof trouble));
  mj_deleteVFS(files.get());
  if (!model) throw Error("mujoco", std::string("it refuses the scene: ") + trouble);
  return model;
}

class MujocoScene final : public SceneEngine {
 public:
  MujocoScene(const Scene& scene, int iterations) : copy_(scene), scene_(peer_scene(copy_)), forest_(scene_) {
    if (scene_.bodies.size() > kMostBodies)
      throw Error("mujoco",
                  fmt::format("it gets at most {} bodies, because its memory grows with their square", kMostBodies));
    model_ = load(Model(scene_, forest_, iterations).xml());
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
      if (scene_.bodies[i].mass > 0) set_velocity(i);
    }
    for (const PeerBody& body : scene_.bodies)
      if (body.restitution > 0 && reports_.empty())
        reports_.emplace_back("MuJoCo has no restitution: its contacts are damped springs, whatever the scene says");
  }

  void step() override {
    if (lost_) return;
    mj_step(model_.get(), data_.get());
    // MuJoCo resets to the initial state without a message if accelerations become too large.
    for (const mjtWarning bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
      lost_ = lost_ || data_->warning[bad].number > 0;
  }
  std::size_t contacts() const override { return static_cast<std::size_t>(data_->ncon); }
  void read_poses(std::vector<BodyPose>& poses) const override {
    mj_kinematics(model_.get(), data_.get());
    poses.clear();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (scene_.bodies[i].mass == 0) continue;
      const mjtNum *x = data_->xpos + 3 * ids_[i], *q = data_->xquat + 4 * ids_[i];
      poses.push_back(lost_ ? kNoPose : BodyPose{{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}});
    }
  }
  void read_velocities(std::vector<BodyVelocities>& velocities) const override {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    velocities.clear();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (scene_.bodies[i].mass == 0) continue;
      mjtNum u[6];
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, ids_[i], u, 0);
      velocities.push_back(lost_ ? kNoVelocities : BodyVelocities{{u[3], u[4], u[5]}, {u[0], u[1], u[2]}});
    }
  }
  std::vector<std::string> take_reports() override { return std::exchange(reports_, {}); }
  /// Its contacts have forces; its joints are coordinates and have none.
  bool read_impulses(EngineImpulses& all) const override {
    if (lost_) return false;
    all.gravity = scene_.gravity;
    all.has_all_joints = scene_.joints.empty();
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& found = data_->contact[i];
      mjtNum force[6];
      mj_contactForce(model_.get(), data_.get(), i, force);
      const mjtNum *n = found.frame, *t = n + 3, *s = n + 6;
      EngineContact c;
      c.a = body_of(found.geom1), c.b = body_of(found.geom2);
      c.on_a = c.on_b = {found.pos[0], found.pos[1], found.pos[2]};
      c.normal = {n[0], n[1], n[2]};
      c.gap = found.dist;
      c.impulse =
          scene_.h * (force[0] * c.normal + force[1] * Vec3{t[0], t[1], t[2]} + force[2] * Vec3{s[0], s[1], s[2]});
      c.friction = found.friction[0];
      all.contacts.push_back(c);
    }
    return true;
  }

 private:
  BodyId body_of(int geom) const {
    const auto found = std::find(ids_.begin(), ids_.end(), model_->geom_bodyid[geom]);
    return scene_.bodies[static_cast<std::size_t>(found - ids_.begin())].id;
  }

  /// The initial velocity of the joint that carries a body, from the velocities of the scene.
  void set_velocity(std::size_t i) {
    const PeerBody& b = scene_.bodies[i];
    const int first = model_->body_jntadr[ids_[i]];
    if (first < 0) return;
    mjtNum* rate = data_->qvel + model_->jnt_dofadr[first];
    const auto write = [&](int at, const Vec3& v) { rate[at] = v.x, rate[at + 1] = v.y, rate[at + 2] = v.z; };
    if (forest_.joint[i] == kNone)
      return write(0, b.velocity), write(3, rotate_inverse(b.pose.orientation, b.angular_velocity));
    const auto [v, w] = forest_.velocity[i];
    const PeerJoint& joint = scene_.joints[forest_.joint[i]];
    if (joint.kind == PeerJoint::Kind::ball) write(0, rotate_inverse(b.pose.orientation, w));
    if (joint.kind == PeerJoint::Kind::hinge) rate[0] = dot(joint.axis, w);
    if (joint.kind == PeerJoint::Kind::slider) rate[0] = dot(joint.axis, v);
  }

  const Scene copy_;
  const PeerScene scene_;
  const PeerForest forest_;
  std::unique_ptr<mjModel, ReleaseMujoco> model_;
  std::unique_ptr<mjData, ReleaseMujoco> data_;
  std::vector<int> ids_;  // as PeerScene::bodies
  std::vector<std::string> reports_;
  bool lost_ = false;  // its motion is not finite
};

}  // namespace

bool has_mujoco_engine() { return true; }
std::unique_ptr<SceneEngine> mujoco_engine(const Scene& scene, int iterations) {
  return std::make_unique<MujocoScene>(scene, iterations);
}

}  // namespace rigor

#else

namespace rigor {

bool has_mujoco_engine() { return false; }
std::unique_ptr<SceneEngine> mujoco_engine(const Scene&, int) { return nullptr; }

}  // namespace rigor

#endif
