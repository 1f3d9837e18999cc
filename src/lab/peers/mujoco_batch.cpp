// Batches of worlds in MuJoCo: one model, one mjData for each world, stepped by the same thread pool as Rigor's.
#include "lab/batch_bench.h"

#ifdef RIGOR_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>

#include "rigor/model.h"
#include "threads/parallel.h"

namespace rigor {

namespace {

struct ReleaseMujoco {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using ModelPtr = std::unique_ptr<mjModel, ReleaseMujoco>;

ModelPtr load(const std::string& xml) {
  mju_user_error = [](const char* sentence) { throw Error("mujoco", sentence); };
  mju_user_warning = [](const char*) {};
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size())) != 0)
    throw Error("mujoco", "the model is too large for it");
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "model.xml")], xml.data(), xml.size());
  char trouble[500] = "";
  ModelPtr model(mj_loadXML("model.xml", files.get(), trouble, sizeof trouble));
  mj_deleteVFS(files.get());
  if (!model) throw Error("mujoco", std::string("it refuses the model: ") + trouble);
  return model;
}

constexpr int kContacts = 100, kRows = 300, kStack = 100'000;  // of a world; chosen

class MujocoBatch final : public BatchEngine {
 public:
  MujocoBatch(const BatchModel& model, bool rk4, std::size_t worlds, int threads, double step)
      : model_(load(model.xml)), pool_(threads) {
    model_->opt.integrator = rk4 ? mjINT_RK4 : mjINT_EULER;
    model_->opt.timestep = step;
    // Its own numbers are for large scenes and would cost megabytes for each world; step() reports when these do not suffice.
    model_->nconmax = std::min(model_->nconmax, kContacts);
    model_->njmax = std::min(model_->njmax, kRows);
    model_->nstack = std::min(model_->nstack, kStack);
    for (int b = 1; b < model_->nbody; ++b)
      if (model_->body_weldid[b] != 0 && model_->body_mass[b] > 0) bodies_.push_back(b);
    if (const std::size_t ours = moving_bodies(parse_model(model.xml).world).size(); ours != bodies_.size())
      throw Error("mujoco", "it reads another number of moving bodies");
    for (const std::string& name : model.driven) {
      const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, name.c_str());
      if (joint < 0) throw Error("mujoco", "it has no joint '" + name + "'");
      driven_.push_back(model_->jnt_dofadr[joint]);
    }
    for (std::size_t k = 0; k < worlds; ++k) {
      data_.emplace_back(mj_makeData(model_.get()));
      start(k, *data_.back());
    }
  }

  void set_forces(const std::vector<double>& forces) override {
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (std::size_t j = 0; j < driven_.size(); ++j)
        data_[k]->qfrc_applied[driven_[j]] = forces[k * driven_.size() + j];
  }
  void step(int steps) override {
    const std::size_t grain = std::max<std::size_t>(1, data_.size() / 256);
    pool_.for_range(data_.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        for (int i = 0; i < steps; ++i) mj_step(model_.get(), data_[k].get());
    });
    for (const auto& data : data_)
      for (int kind = 0; kind < mjNWARNING; ++kind)
        if (data->warning[kind].number > 0) throw Error("mujoco", mju_warningText(kind, data->warning[kind].lastinfo));
  }
  std::vector<BodyPose> poses(std::size_t world) const override {
    mjData* d = data_[world].get();
    mj_kinematics(model_.get(), d);
    std::vector<BodyPose> poses;
    for (const int b : bodies_) {
      const mjtNum *x = d->xpos + 3 * b, *q = d->xquat + 4 * b;
      poses.push_back({{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}});
    }
    return poses;
  }

 private:
  void start(std::size_t world, mjData& d) const {
    mj_forward(model_.get(), &d);
    const BatchStart motion = batch_start(world);
    if (model_->njnt == 0 || model_->jnt_type[0] != mjJNT_FREE) {
      for (int i = 0; i < model_->nv; ++i) d.qvel[i] = motion.rate(static_cast<std::size_t>(i));
      return;
    }
    // A free joint has the velocity of the body frame's origin, and the angular velocity in the body's axes.
    const int b = model_->jnt_bodyid[0];
    const mjtNum *x = d.xpos + 3 * b, *c = d.xipos + 3 * b, *q = d.xquat + 4 * b;
    const Vec3 r{x[0] - c[0], x[1] - c[1], x[2] - c[2]};
    const Vec3 v = motion.velocity + cross(motion.angular_velocity, r);
    const Vec3 w = rotate_inverse({q[0], q[1], q[2], q[3]}, motion.angular_velocity);
    for (int i = 0; i < 3; ++i) {
      d.qvel[i] = v[i];
      d.qvel[i + 3] = w[i];
    }
  }

  ModelPtr model_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<mjData, ReleaseMujoco>> data_;  // by world
  std::vector<int> bodies_, driven_;                          // numbers of bodies, and of velocities
};

}  // namespace

BatchEngineKind mujoco_batch(const std::string& integrator) {
  const bool rk4 = integrator == "RK4";
  if (!rk4 && integrator != "Euler") throw Error("mujoco", "expected the integrator RK4 or Euler");
  return {"mujoco", integrator, [rk4](const BatchModel& model, std::size_t worlds, int threads, double step) {
            return std::make_unique<MujocoBatch>(model, rk4, worlds, threads, step);
          }};
}

}  // namespace rigor

#else

namespace rigor {

BatchEngineKind mujoco_batch(const std::string&) {
  throw PeerMissing("--against", "this program was built without MuJoCo; install libmujoco-dev and build it again");
}

}  // namespace rigor

#endif
