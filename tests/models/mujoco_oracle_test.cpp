// MuJoCo as an oracle: the same MJCF files, read by both. Masses, centers, inertias, poses, velocities per coordinate and the mass
// matrix agree to 1e-9; a swing of one second without contacts to 1e-4.
//
// Left out of both models: what one of the two does not have. `armature` is taken out of the text; contacts, limits, actuators, dry
// friction, springs and dampers are switched off for the swing.
#include <gtest/gtest.h>

#if RIGOR_HAVE_MUJOCO_ORACLE

#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <regex>

#include "lab/sensor_reader.h"
#include "models/own_models.h"
#include "models/own_robots.h"
#include "models/shared_models.h"
#include "rigor/joint_space.h"
#include "rigor/model.h"
#include "support.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;

Vec3 vec(const mjtNum* p) { return {p[0], p[1], p[2]}; }
Quat quat(const mjtNum* p) { return {p[0], p[1], p[2], p[3]}; }
Mat3 mat(const mjtNum* p) { return {{vec(p), vec(p + 3), vec(p + 6)}}; }

double largest(const Mat3& m) {
  double most = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(m(i, k)));
  return most;
}

Vec3 sorted(Vec3 v) {
  if (v.x > v.y) std::swap(v.x, v.y);
  if (v.y > v.z) std::swap(v.y, v.z);
  if (v.x > v.y) std::swap(v.x, v.y);
  return v;
}

/// A copy of the models without the attributes that only MuJoCo knows.
fs::path prepared_folder(const fs::path& source) {
  const fs::path folder = fs::path(testing::TempDir()) / "rigor_mujoco_oracle";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy(source, folder, fs::copy_options::recursive);
  for (const std::string& file : test::model_files(folder)) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    text = std::regex_replace(text, std::regex("armature *= *\"[^\"]*\""), "");
    text = std::regex_replace(text, std::regex("actuatorfrcrange *= *\"[^\"]*\""), "");  // newer than the oracle
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(file) << text;
  }
  return folder;
}

/// Both readings of one file, and which body is which.
struct Pair {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  Scene scene;
  std::vector<BodyId> body;  // by MuJoCo's number; null: fixed, or part of another
  std::string trouble;

  explicit Pair(const std::string& file) {
    char error[1000] = "";
    m = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    if (!m) {
      trouble = error;
      return;
    }
    d = mj_makeData(m);
    scene = load_model(file);
    const World& w = scene.world;
    std::vector<BodyId> moving;
    for (const BodyId id : w.bodies())
      if (!w.is_fixed(id)) moving.push_back(id);
    body.assign(static_cast<std::size_t>(m->nbody), BodyId{});
    std::size_t next = 0;
    for (int b = 1; b < m->nbody; ++b) {
      if (m->body_weldid[b] == 0 || m->body_mass[b] <= 0 || next >= moving.size()) continue;
      // Links of a URDF file may come in another order, and all of them have names.
      const BodyId named = file.ends_with(".urdf") ? w.find_body(name(b)) : BodyId{};
      body[static_cast<std::size_t>(b)] = named ? named : moving[next];
      ++next;
    }
    if (next != moving.size()) trouble = "another number of moving bodies";
    mj_forward(m, d);
  }
  ~Pair() {
    if (d) mj_deleteData(d);
    if (m) mj_deleteModel(m);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  std::string name(int b) const {
    return std::string(mj_id2name(m, mjOBJ_BODY, b) ? mj_id2name(m, mjOBJ_BODY, b) : "?");
  }

  /// Moves the model by random coordinates, within what one step of any joint bears.
  void disturb(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-0.4, 0.4);
    std::vector<mjtNum> v(static_cast<std::size_t>(m->nv));
    for (mjtNum& x : v) x = any(random);
    mj_integratePos(m, d->qpos, v.data(), 1);
    mj_forward(m, d);
  }
  /// Gives Rigor's bodies the velocities of MuJoCo's.
  void copy_velocities(World& w) const {
    for (int b = 1; b < m->nbody; ++b) {
      const BodyId id = body[static_cast<std::size_t>(b)];
      if (!id) continue;
      mjtNum u[6];
      mj_objectVelocity(m, d, mjOBJ_BODY, b, u, 0);  // at the inertial frame, world axes: rotation, then translation
      w.set_velocity(id, vec(u + 3), vec(u));
    }
  }
  /// Puts Rigor's bodies where MuJoCo's are.
  World placed() const {
    World w = scene.world;
    for (int b = 1; b < m->nbody; ++b)
      if (body[static_cast<std::size_t>(b)])
        w.set_pose(body[static_cast<std::size_t>(b)], vec(d->xpos + 3 * b), quat(d->xquat + 4 * b));
    return w;
  }
};

class MujocoOracle : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (fs::exists(test::shared_models() / "mjcf")) folder_ = prepared_folder(test::shared_models() / "mjcf");
    if (!folder_.empty()) return;
    folder_ = fs::path(testing::TempDir()) / "rigor_mujoco_oracle";
    fs::create_directories(folder_);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  /// Models of the test's own, so that it says something where the others are not there.
  std::vector<std::string> files() const {
    std::ofstream(folder_ / "own-arm.xml")
        << R"(<mujoco><compiler eulerseq="ZYX"/><default><geom density="700"/></default><worldbody>
      <body name="base" pos="0 0 1" euler="20 30 -40"><joint axis="1 2 0" pos=".1 0 0" damping=".2"/><geom type="capsule" fromto="0 0 0 .3 .1 .2" size=".05"/>
        <body name="two" pos=".3 .1 .2" xyaxes="1 1 0 -1 1 1"><joint type="slide" axis="0 1 1" stiffness="20" springref=".05"/><joint axis="0 1 1"/><geom type="cylinder" size=".04 .2" pos="0 .1 0" zaxis="1 0 1"/>
          <body name="three" pos="0 .2 0"><joint type="ball" pos="0 0 .05"/><inertial pos=".01 0 .1" quat="1 .2 .3 0" mass="2" diaginertia=".02 .03 .04"/></body>
          <body name="weld" pos=".2 0 0" axisangle="1 1 1 50"><geom type="box" size=".1 .05 .02"/><geom type="ellipsoid" size=".1 .05 .02" pos=".1 0 0"/></body>
        </body></body>
      <body name="free" pos="2 0 0"><freejoint/><geom type="box" size=".1 .2 .3" mass="3"/><body pos="0 0 .4"><joint axis="1 0 0"/><joint axis="0 0 1"/><joint axis="0 1 0"/><geom size=".1" pos=".1 0 .2"/></body></body>
    </worldbody></mujoco>)";
    test::write_own_models(folder_);
    test::write_own_robots(folder_);
    return test::model_files(folder_);
  }

  static inline fs::path folder_;
};

TEST_F(MujocoOracle, MassesAndPosesAgree) {
  int compared = 0;
  for (const std::string& file : files()) {
    const Pair p(file);
    if (!p.trouble.empty()) {
      std::cout << "not compared: " << fs::path(file).filename().string() << ": " << p.trouble.substr(0, 120) << "\n";
      continue;
    }
    ++compared;
    const World& w = p.scene.world;
    double total = 0, ours = 0;
    for (int b = 1; b < p.m->nbody; ++b) {
      const BodyId id = p.body[static_cast<std::size_t>(b)];
      if (!id) continue;
      const std::string place = fs::path(file).filename().string() + " " + p.name(b);
      const MassProperties& own = w.mass_properties(id);
      total += p.m->body_mass[b], ours += own.mass;
      EXPECT_NEAR(own.mass, p.m->body_mass[b], 1e-9 * own.mass) << place;
      EXPECT_LT(length(w.position(id) - vec(p.d->xpos + 3 * b)), 1e-9) << place;
      EXPECT_LT(test::angle_between(w.orientation(id), quat(p.d->xquat + 4 * b)), 1e-9) << place;
      EXPECT_LT(length(w.center_of_mass(id) - vec(p.d->xipos + 3 * b)), 1e-9) << place;
      const Mat3 R = rotation_matrix(w.orientation(id)), S = mat(p.d->ximat + 9 * b);
      const Mat3 expected = S * Mat3::diagonal(vec(p.m->body_inertia + 3 * b)) * transpose(S);
      // MuJoCo's principal axes are good to 1.4e-6 rad: its Jacobi rotations end when a cosine is 1 to 1e-12. The moments suffer in
      // second order only.
      EXPECT_LT(largest(R * own.inertia * transpose(R) - expected), 2e-6 * largest(expected)) << place;
      EXPECT_LT(length(sorted(principal_axes(own.inertia).moments) - sorted(vec(p.m->body_inertia + 3 * b))),
                1e-9 * largest(expected))
          << place;
    }
    EXPECT_NEAR(total, ours, 1e-9 * total) << file;
  }
  std::cout << compared << " models compared\n";
  EXPECT_GT(compared, 0);
}

TEST_F(MujocoOracle, JointAxesAndMassMatricesAgree) {
  int compared = 0;
  for (const std::string& file : files()) {
    Pair p(file);
    if (!p.trouble.empty() || p.m->nv == 0) continue;
    const std::string place = fs::path(file).filename().string();
    for (unsigned seed = 1; seed <= 3; ++seed) {
      p.disturb(seed);
      World w = p.placed();
      const JointSpace at_pose(w);
      // The joints allow exactly these poses.
      for (const BodyId id : p.body) {
        if (!id) continue;
        EXPECT_LT(length(at_pose.world().position(id) - w.position(id)), 1e-9) << place << " " << w.name(id);
      }
      const std::size_t n = at_pose.size(), nv = static_cast<std::size_t>(p.m->nv);
      ASSERT_EQ(n, nv) << place;
      // Column k of T: our rates when MuJoCo's coordinate k has the rate 1.
      std::vector<double> T(n * nv);
      for (std::size_t k = 0; k < nv; ++k) {
        mju_zero(p.d->qvel, p.m->nv);
        p.d->qvel[k] = 1;
        mj_forward(p.m, p.d);
        p.copy_velocities(w);
        JointSpace moving(w);
        const std::vector<double> rates = moving.velocities();
        for (std::size_t i = 0; i < n; ++i) T[i * nv + k] = rates[i];
        moving.set_velocities(rates);
        for (const BodyId id : p.body) {
          if (!id) continue;
          EXPECT_LT(length(moving.world().velocity(id) - w.velocity(id)), 1e-9)
              << place << " " << w.name(id) << " coordinate " << k;
          EXPECT_LT(length(moving.world().angular_velocity(id) - w.angular_velocity(id)), 1e-9)
              << place << " " << w.name(id);
        }
      }
      std::vector<mjtNum> full(nv * nv);
      mj_fullM(p.m, full.data(), p.d->qM);
      const std::vector<double> M = at_pose.mass_matrix();
      double most = 0;
      for (const double x : full) most = std::max(most, std::abs(x));
      // The axes of inertias with deviation moments, which URDF files have, are off by up to 1.4e-6 rad in MuJoCo; see above.
      double turned = 0;
      for (int b = 1; b < p.m->nbody && place.ends_with(".urdf"); ++b) {
        const Vec3 moments = sorted(vec(p.m->body_inertia + 3 * b));
        turned += 1.4e-6 * (moments.z - moments.x);
      }
      for (std::size_t i = 0; i < nv; ++i)
        for (std::size_t k = 0; k < nv; ++k) {
          double sum = 0;
          for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b) sum += T[a * nv + i] * M[a * n + b] * T[b * nv + k];
          EXPECT_NEAR(sum, full[i * nv + k], 1e-9 * most + turned) << place << " entry " << i << ", " << k;
        }
    }
    ++compared;
  }
  std::cout << compared << " models compared\n";
  EXPECT_GT(compared, 0);
}

/// Column k: our rates when MuJoCo's coordinate k has the rate 1, at MuJoCo's present pose.
Eigen::MatrixXd rates_per_coordinate(Pair& p) {
  World w = p.placed();
  const JointSpace at_rest(w);
  Eigen::MatrixXd T(static_cast<Eigen::Index>(at_rest.size()), p.m->nv);
  for (int k = 0; k < p.m->nv; ++k) {
    mju_zero(p.d->qvel, p.m->nv);
    p.d->qvel[k] = 1;
    mj_forward(p.m, p.d);
    p.copy_velocities(w);
    const std::vector<double> rates = JointSpace(w).velocities();
    T.col(k) = Eigen::Map<const Eigen::VectorXd>(rates.data(), T.rows());
  }
  return T;
}

/// Our rates u = T v, so that u̇ = T v̇ + Ṫ v and forces are Tᵀ τ. Ṫ is a central difference: 1e-10 of rounding and of its square.
TEST_F(MujocoOracle, InverseDynamicsAndJacobiansAgree) {
  int compared = 0;
  double worst = 0, worst_jacobian = 0;
  for (const std::string& file : files()) {
    Pair p(file);
    if (!p.trouble.empty() || p.m->nv == 0 || p.m->nv > 80) continue;
    const std::string place = fs::path(file).filename().string();
    p.m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE | mjDSBL_ACTUATION;
    p.disturb(5);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(-1, 1);
    Eigen::VectorXd v(p.m->nv), a(p.m->nv);
    for (int i = 0; i < p.m->nv; ++i) v[i] = any(random), a[i] = any(random);
    constexpr double h = 1e-5;
    const std::vector<mjtNum> here(p.d->qpos, p.d->qpos + p.m->nq);
    const auto at = [&](double time) {
      std::copy(here.begin(), here.end(), p.d->qpos);
      mj_integratePos(p.m, p.d->qpos, v.data(), time);
      mj_forward(p.m, p.d);
      return rates_per_coordinate(p);
    };
    const Eigen::MatrixXd rate = (at(h) - at(-h)) / (2 * h), T = at(0);
    ASSERT_EQ(T.rows(), T.cols()) << place;
    std::copy(v.begin(), v.end(), p.d->qvel);
    mj_forward(p.m, p.d);
    World w = p.placed();
    p.copy_velocities(w);
    std::copy(a.begin(), a.end(), p.d->qacc);
    mj_inverse(p.m, p.d);
    const JointSpace space(w);
    const Eigen::VectorXd own = T * a + rate * v;
    const std::vector<double> tau = space.inverse_dynamics({own.data(), static_cast<std::size_t>(own.size())});
    const Eigen::VectorXd ours = T.transpose() * Eigen::Map<const Eigen::VectorXd>(tau.data(), T.rows());
    const Eigen::VectorXd theirs = Eigen::Map<const Eigen::VectorXd>(p.d->qfrc_inverse, p.m->nv);
    double turned = 0;  // by MuJoCo's axes of inertias with deviation moments; see above
    for (int b = 1; b < p.m->nbody && place.ends_with(".urdf"); ++b) {
      const Vec3 moments = sorted(vec(p.m->body_inertia + 3 * b));
      turned += 1e-5 * (moments.z - moments.x);
    }
    const double error = (ours - theirs).lpNorm<Eigen::Infinity>(), size = theirs.lpNorm<Eigen::Infinity>();
    EXPECT_LT(error, 1e-9 * size + turned) << place;
    if (turned == 0) worst = std::max(worst, error / size);
    for (int b = 1; b < p.m->nbody; ++b) {
      const BodyId id = p.body[static_cast<std::size_t>(b)];
      if (!id) continue;
      const Vec3 point = w.position(id) + Vec3{0.1, -0.2, 0.3};
      const mjtNum at_point[3] = {point.x, point.y, point.z};
      using Rows = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
      Rows linear(3, p.m->nv), angular(3, p.m->nv);
      mj_jac(p.m, p.d, linear.data(), angular.data(), at_point, b);
      const std::vector<double> six = space.jacobian(id, point);
      using Six = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
      const Six J = Eigen::Map<const Six>(six.data(), 6, T.rows()) * T;
      const double off = std::max((J.topRows(3) - linear).lpNorm<Eigen::Infinity>(),
                                  (J.bottomRows(3) - angular).lpNorm<Eigen::Infinity>());
      EXPECT_LT(off, 1e-9) << place << " " << p.name(b);
      worst_jacobian = std::max(worst_jacobian, off);
    }
    ++compared;
  }
  std::cout << compared << " models compared: forces to " << worst << ", Jacobians to " << worst_jacobian << "\n";
  EXPECT_GT(compared, 0);
}

/// `springdamper` depends on the inertia of the whole model.
TEST_F(MujocoOracle, SpringsByTimeConstantsAgree) {
  files();
  const Pair p((folder_ / "own-walker.xml").string());
  ASSERT_TRUE(p.trouble.empty()) << p.trouble;
  const World& w = p.scene.world;
  for (const auto& [name, axis] : {std::pair{"knee", 3}, {"ankle", 3}, {"ankle", 5}}) {
    const int j = mj_name2id(p.m, mjOBJ_JOINT, name);
    ASSERT_GE(j, 0);
    const JointId id = w.find_joint(name);
    ASSERT_TRUE(id) << name;
    const AxisSpring spring = std::get<AxesJoint>(w.joint(id).kind).axes[static_cast<std::size_t>(axis)].spring;
    EXPECT_NEAR(spring.stiffness, p.m->jnt_stiffness[j], 1e-9 * spring.stiffness) << name;
    EXPECT_NEAR(spring.damping, p.m->dof_damping[p.m->jnt_dofadr[j]], 1e-9 * spring.damping) << name;
  }
}

/// The rows of all equality constraints.
std::vector<double> equality_errors(const std::string& text) {
  const fs::path file = fs::path(testing::TempDir()) / "rigor_gear.xml";
  std::ofstream(file) << text;
  char error[1000] = "";
  mjModel* m = mj_loadXML(file.string().c_str(), nullptr, error, sizeof error);
  EXPECT_TRUE(m) << error;
  std::vector<double> errors;
  if (m) {
    mjData* d = mj_makeData(m);
    mj_forward(m, d);
    for (int i = 0; i < d->nefc; ++i)
      if (d->efc_type[i] == mjCNSTR_EQUALITY) errors.push_back(d->efc_pos[i]);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  fs::remove(file);
  return errors;
}

/// MuJoCo counts coordinates of an equality from the reference pose, which is the pose that is written.
TEST_F(MujocoOracle, GearsThatAreWrittenHold) {
  const Scene scene = parse_scene(R"({"rigor":1,"world":{"ground":false,"bodies":[
    {"name":"w1","shape":{"cylinder":{"radius":0.3,"height":0.1}},"position":[3,2,0],"angular_velocity":[0,2,0]},
    {"name":"w2","shape":{"cylinder":{"radius":0.2,"height":0.1}},"position":[4,2,0],"angular_velocity":[0,-1.3333333333333333,0]}],
   "joints":[{"type":"hinge","name":"h1","a":"world","b":"w1","anchor":[3,2,0],"axis":[0,1,0]},
    {"type":"hinge","name":"h2","a":"world","b":"w2","anchor":[4,2,0],"axis":[0,1,0]},
    {"type":"gear","name":"g","first":"h1","second":"h2","ratio":1.5}]}})");
  Simulation simulation = make_simulation(scene);
  for (int i = 0; i < 50; ++i) simulation.step(0.01);
  Scene moved = scene;
  moved.world = simulation.world();
  EXPECT_NEAR(moved.world.joint_position(moved.world.find_joint("h1"), 3), 1, 1e-6);
  const std::vector<double> errors = equality_errors(export_scene(moved, "a.xml").bytes);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NEAR(errors[0], 0, 1e-9);
}

/// A constant term: MuJoCo starts in the reference pose and violates it by as much; here the model starts where it holds.
TEST_F(MujocoOracle, ConstantTermsOfEqualitiesHold) {
  const std::string text = R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="j" axis="0 0 1" ref="0.1"/><geom size="0.1" pos="0.3 0 0"/></body>
      <body name="b" pos="2 0 0"><joint name="k" axis="0 0 1" ref="0.2"/><geom size="0.1" pos="0.3 0 0"/></body>
      <body name="c" pos="4 0 0"><joint name="l" axis="0 0 1"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
    <equality><joint joint1="j" joint2="k" polycoef="0.4 -2 0 0 0"/><joint joint1="l" polycoef="0.3 0 0 0 0"/></equality></mujoco>)";
  const std::vector<double> at_reference = equality_errors(text);
  ASSERT_EQ(at_reference.size(), 2u);
  EXPECT_NEAR(at_reference[0], -0.4, 1e-12);
  EXPECT_NEAR(at_reference[1], -0.3, 1e-12);
  ModelReport report;
  const Scene scene = parse_model(text, {}, &report);
  EXPECT_EQ(report.notes.size(), 2u);
  const World& w = scene.world;
  EXPECT_NEAR(w.joint_position(w.find_joint("j"), 3), 0.4, 1e-12);
  EXPECT_NEAR(w.joint_position(w.find_joint("k"), 3), 0, 1e-12);
  EXPECT_NEAR(w.joint_position(w.find_joint("l"), 3), 0.3, 1e-12);
  EXPECT_NEAR(std::get<GearJoint>(w.joint(w.find_joint("j_follows")).kind).offset, 0.4, 1e-12);
  for (const double error : equality_errors(export_scene(scene, "a.xml").bytes)) EXPECT_NEAR(error, 0, 1e-9);
}

TEST_F(MujocoOracle, VelocitiesOfKeyframesAgree) {
  files();
  const std::string file = (folder_ / "own-walker.xml").string();
  Pair p(file);
  ASSERT_TRUE(p.trouble.empty()) << p.trouble;
  p.scene = load_model(file, {.keyframe = "go"});
  mj_resetDataKeyframe(p.m, p.d, 0);
  mj_forward(p.m, p.d);
  const World& w = p.scene.world;
  for (int b = 1; b < p.m->nbody; ++b) {
    const BodyId id = p.body[static_cast<std::size_t>(b)];
    if (!id) continue;
    mjtNum u[6];
    mj_objectVelocity(p.m, p.d, mjOBJ_BODY, b, u, 0);
    EXPECT_LT(length(w.position(id) - vec(p.d->xpos + 3 * b)), 1e-9) << p.name(b);
    EXPECT_LT(length(w.velocity(id) - vec(u + 3)), 1e-9) << p.name(b);
    EXPECT_LT(length(w.angular_velocity(id) - vec(u)), 1e-9) << p.name(b);
  }
}

TEST_F(MujocoOracle, ASwingOfOneSecondAgrees) {
  int compared = 0;
  for (const std::string& file : files()) {
    Pair p(file);
    if (!p.trouble.empty() || p.m->nv == 0 || p.m->neq > 0 || p.m->nv > 60) continue;
    bool limited_tendon = false;
    for (int t = 0; t < p.m->ntendon; ++t) limited_tendon = limited_tendon || p.m->tendon_limited[t];
    if (limited_tendon) continue;
    const std::string place = fs::path(file).filename().string();
    p.disturb(7);
    p.m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_ACTUATION | mjDSBL_FRICTIONLOSS;
    p.m->opt.integrator = mjINT_RK4;
    // Dampers that were meant for links with armature are stiff without it; only the test's own model keeps its springs and dampers.
    const bool unforced = place != "own-arm.xml";
    if (unforced) mju_zero(p.m->dof_damping, p.m->nv), mju_zero(p.m->jnt_stiffness, p.m->njnt);
    p.m->opt.density = p.m->opt.viscosity = 0;
    const double h = 0.00025;
    p.m->opt.timestep = h;
    Scene scene = p.scene;
    scene.world = p.placed();
    World& w = scene.world;
    for (const BodyId id : w.bodies())
      if (id != w.world_body()) w.set_can_collide(id, false);
    for (const JointId id : w.joints()) {
      AxesJoint kind = std::get<AxesJoint>(w.joint(id).kind);
      kind.max_swing = std::numeric_limits<double>::infinity();
      for (JointAxis& a : kind.axes) {
        a.motor = {}, a.friction = 0;
        if (unforced) a.spring = {};
        if (a.motion == AxisMotion::limited) a.motion = AxisMotion::free;
      }
      w.set_joint(id, kind);
    }
    scene.method = preset("featherstone");
    scene.method.sleep = {"never", {}};
    Simulation simulation(w, scene.method, scene.time);
    const int steps = 4000;
    for (int i = 0; i < steps; ++i) mj_step(p.m, p.d);
    const int own_steps = 2000;
    for (int i = 0; i < own_steps; ++i) simulation.step(1.0 / own_steps);
    mj_forward(p.m, p.d);
    double worst = 0;
    for (int b = 1; b < p.m->nbody; ++b)
      if (const BodyId id = p.body[static_cast<std::size_t>(b)])
        worst = std::max(worst, length(simulation.world().position(id) - vec(p.d->xpos + 3 * b)));
    std::cout << place << ": " << worst << " m\n";
    EXPECT_LT(worst, 1e-4) << place;
    ++compared;
  }
  std::cout << compared << " models compared\n";
  EXPECT_GT(compared, 0);
}

constexpr const char* kInstruments = R"(<mujoco><option gravity="1 2 -9.81"/><worldbody>
  <body name="base" pos="0 0 1" euler="10 20 30"><freejoint/><geom type="box" size="0.1 0.2 0.3"/><site name="imu" pos="0.1 0.2 0" euler="40 50 60"/>
    <body name="arm" pos="0.3 0 0"><joint name="elbow" axis="0 1 0.2" ref="15"/><geom type="capsule" fromto="0 0 0 0.4 0.1 0" size="0.03"/>
      <site name="hand" pos="0.4 0.1 0" euler="0 0 70"/></body></body></worldbody>
  <sensor><gyro site="imu"/><velocimeter site="hand"/><framepos objtype="site" objname="hand"/><framequat objtype="site" objname="imu"/>
    <framepos objtype="body" objname="arm"/><framepos objtype="xbody" objname="arm"/><framelinvel objtype="body" objname="arm"/>
    <frameangvel objtype="xbody" objname="arm"/><framexaxis objtype="site" objname="hand"/><frameyaxis objtype="site" objname="hand"/>
    <framezaxis objtype="site" objname="hand"/><jointpos joint="elbow"/><jointvel joint="elbow"/>
    <actuatorpos actuator="m"/><actuatorvel actuator="m"/></sensor>
  <actuator><motor name="m" joint="elbow" gear="-3"/></actuator></mujoco>)";

TEST(MujocoSensors, ReadAlike) {
  const fs::path file = fs::path(testing::TempDir()) / "rigor_instruments.xml";
  std::ofstream(file) << kInstruments;
  Pair p(file.string());
  ASSERT_EQ(p.trouble, "");
  p.disturb(7);
  for (int i = 0; i < p.m->nv; ++i) p.d->qvel[i] = 0.3 * (i + 1);
  mj_forward(p.m, p.d);
  World world = p.placed();
  p.copy_velocities(world);
  ASSERT_EQ(p.scene.sensors.size(), static_cast<std::size_t>(p.m->nsensor));
  SensorReader reader(p.scene.sensors);
  const Simulation simulation(world);
  const std::vector<SensorReading> readings = reader.read(simulation);
  for (int s = 0; s < p.m->nsensor; ++s) {
    const std::vector<double>& own = readings[static_cast<std::size_t>(s)].values;
    ASSERT_EQ(own.size(), static_cast<std::size_t>(p.m->sensor_dim[s])) << s;
    const mjtNum* theirs = p.d->sensordata + p.m->sensor_adr[s];
    // A quaternion and its negative are the same rotation.
    const double sign = own.size() == 4 && own[0] * theirs[0] < 0 ? -1 : 1;
    for (std::size_t k = 0; k < own.size(); ++k) EXPECT_NEAR(sign * own[k], theirs[k], 1e-9) << s << ", " << k;
  }
}

/// A servo away from its target: its force before the gear, and at the joint.
TEST(MujocoSensors, ForcesOfActuatorsAgree) {
  const fs::path file = fs::path(testing::TempDir()) / "rigor_actuators.xml";
  std::ofstream(file) << R"(<mujoco><compiler angle="radian"/><option timestep="1e-5"/><worldbody>
    <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" ref="0.1"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/></body></worldbody>
    <actuator><position name="servo" joint="elbow" kp="5" gear="-3"/></actuator>
    <sensor><actuatorfrc actuator="servo"/></sensor></mujoco>)";
  Pair p(file.string());
  ASSERT_EQ(p.trouble, "");
  ASSERT_EQ(p.scene.sensors.size(), 1u);
  mj_forward(p.m, p.d);
  Simulation simulation = make_simulation(p.scene);
  simulation.step(1e-5);
  SensorReader reader(p.scene.sensors);
  EXPECT_NEAR(p.d->sensordata[0], -5 * -3 * 0.1, 1e-12);
  EXPECT_NEAR(reader.read(simulation)[0].values[0], p.d->sensordata[0], 1e-4);  // of a step of 1e-5 s
}

TEST(MujocoSensors, ForceAndTorqueHaveTheSameSign) {
  const fs::path file = fs::path(testing::TempDir()) / "rigor_hanging.xml";
  std::ofstream(file)
      << R"(<mujoco><worldbody><body name="shelf" pos="0 0 1"><joint type="slide" axis="0 0 1" stiffness="1000" damping="100"/>
    <geom type="box" size="0.3 0.1 0.02" pos="0.3 0 0" mass="2"/><site name="s" euler="0 90 0"/></body></worldbody>
    <sensor><force site="s"/><torque site="s"/></sensor></mujoco>)";
  Pair p(file.string());
  ASSERT_EQ(p.trouble, "");
  for (int i = 0; i < 2000; ++i) mj_step(p.m, p.d);
  p.scene.method = preset("featherstone");
  Simulation simulation = make_simulation(p.scene);
  for (int i = 0; i < 2000; ++i) simulation.step(p.m->opt.timestep);
  SensorReader reader(p.scene.sensors);
  const std::vector<SensorReading> readings = reader.read(simulation);
  ASSERT_EQ(readings.size(), 2u);
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(readings[s].values[k], p.d->sensordata[3 * s + k], 1e-3) << s << ", " << k;
}

}  // namespace
}  // namespace rigor

#else

TEST(MujocoOracle, IsThere) {
  GTEST_SKIP() << "MuJoCo was not found when the tests were built (Debian: libmujoco-dev)";
}

#endif
