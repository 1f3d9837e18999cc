#include "solvers/bias_acceleration.h"

#include <algorithm>
#include <cmath>

#include "integrators/rotation.h"

namespace rigor {

namespace {

/// The largest turn between two evaluations, and the largest part of a step. Chosen where the two errors are about equal.
constexpr double kTurn = 3e-4, kPartOfStep = 0.02;

/// The two bodies of a block, which are moved along their velocities and put back.
class MovedBodies {
 public:
  MovedBodies(SolverContext& c, const RowBlock& block, const BodyVelocity& u_a, const BodyVelocity& u_b)
      : state_(c.state), u_{u_a, u_b} {
    const bool joint = block.source == RowBlock::Source::joint;
    slot_[0] = joint ? c.list.joints[block.index].slot_a : c.list.contacts[block.index].slot_a;
    slot_[1] = joint ? c.list.joints[block.index].slot_b : c.list.contacts[block.index].slot_b;
    for (int k = 0; k < 2; ++k) x_[k] = state_.position[slot_[k]], q_[k] = state_.orientation[slot_[k]];
  }
  ~MovedBodies() {
    for (int k = 0; k < 2; ++k) state_.position[slot_[k]] = x_[k], state_.orientation[slot_[k]] = q_[k];
  }
  MovedBodies(const MovedBodies&) = delete;
  MovedBodies& operator=(const MovedBodies&) = delete;

  bool at_rest() const {
    double sum = 0;
    for (const BodyVelocity& u : u_) sum += length_squared(u.v) + length_squared(u.w);
    return sum == 0;
  }
  double fastest_turn() const { return std::sqrt(std::max(length_squared(u_[0].w), length_squared(u_[1].w))); }
  void move(double seconds) {
    for (int k = 0; k < 2; ++k) {
      state_.position[slot_[k]] = x_[k] + seconds * u_[k].v;
      state_.orientation[slot_[k]] = turned(q_[k], u_[k].w, seconds);
    }
  }

 private:
  BodyState& state_;
  std::uint32_t slot_[2];
  BodyVelocity u_[2];
  Vec3 x_[2];
  Quat q_[2];
};

/// Keeps J, C and bias of a block.
class KeptRows {
 public:
  KeptRows(Rows& rows, const RowBlock& block) : rows_(rows), begin_(static_cast<std::size_t>(block.begin)) {
    for (std::size_t i = begin_; i < static_cast<std::size_t>(block.end); ++i)
      kept_.push_back({rows.J[i], rows.C[i], rows.bias[i]});
  }
  ~KeptRows() {
    for (std::size_t i = 0; i < kept_.size(); ++i)
      rows_.J[begin_ + i] = kept_[i].J, rows_.C[begin_ + i] = kept_[i].C, rows_.bias[begin_ + i] = kept_[i].bias;
  }
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

 private:
  struct Numbers {
    Jacobian J;
    double C, bias;
  };
  Rows& rows_;
  std::size_t begin_;
  std::vector<Numbers> kept_;
};

}  // namespace

void bias_acceleration(SolverContext& context, int b, std::vector<double>& c) {
  const RowBlock block = context.rows.blocks[static_cast<std::size_t>(b)];
  std::fill(c.begin() + block.begin, c.begin() + block.end, 0.0);
  const std::vector<BodyVelocity>& u = context.bodies.u;
  MovedBodies bodies(context, block, u[static_cast<std::size_t>(block.a)], u[static_cast<std::size_t>(block.b)]);
  if (bodies.at_rest()) return;
  const KeptRows kept(context.rows, block);
  const double turn = bodies.fastest_turn();
  double epsilon = kPartOfStep * context.h();
  if (turn * epsilon > kTurn) epsilon = kTurn / turn;
  constexpr double kWeights[][2] = {{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}};
  for (const auto& [steps, weight] : kWeights) {
    bodies.move(steps * epsilon);
    rewrite_block(context.list, context.state, context.settings, b, context.rows);
    for (int i = block.begin; i < block.end; ++i)
      c[static_cast<std::size_t>(i)] += weight / epsilon * row_velocity(context.rows, i, block, context.bodies.u);
  }
}

void path_error(SolverContext& context, int b, const BodyVelocity& u_a, const BodyVelocity& u_b,
                std::vector<double>& e) {
  const RowBlock block = context.rows.blocks[static_cast<std::size_t>(b)];
  const double h = context.h();
  Rows& rows = context.rows;
  e.clear();
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
    const Jacobian& J = rows.J[i];
    const double along =
        dot(part(J, 0), u_a.v) + dot(part(J, 3), u_a.w) + dot(part(J, 6), u_b.v) + dot(part(J, 9), u_b.w);
    e.push_back(-rows.C[i] - h * along);
  }
  MovedBodies bodies(context, block, u_a, u_b);
  const KeptRows kept(rows, block);
  bodies.move(h);
  rewrite_errors(context.list, context.state, context.settings, b, rows);
  for (std::size_t k = 0; k < e.size(); ++k) e[k] += rows.C[static_cast<std::size_t>(block.begin) + k];
  rows.blocks[static_cast<std::size_t>(b)].arm_b = block.arm_b;
}

}  // namespace rigor
