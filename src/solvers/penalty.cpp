// Penalty springs: every constraint is a damped spring that pulls at its error (4.2; Moore, Wilhelms 1988).
//
//   equation    f = −k C − d (Ċ − bias)
//   limit       f = max(0, k depth − d Ċ)
//   contact     f = max(0, k(Ċ) depth − d(Ċ) Ċ): k while the bodies approach, e² k while they part, so that an impact at speed v
//               comes back with e v (Moore and Wilhelms take e k, which makes it √e v). Around rest, up to the restitution
//               threshold, one law passes into the other, and only there is damped: a body at rest stays so. With impulses in the
//               collision slot e is theirs, and here zero.
//   friction    a bounded spring with memory: f_t = f_t(last step) − k h (slip at the end of the step), no longer than μ f_n. The
//               slip to come is predicted from the forces of the last step, implicitly in f_t: this damps it
//   motors, dry, rolling and spinning friction: a damper, within the bounds (regularised)
//   soft rows   their own stiffness and damping
//
// Local and explicit: no system is solved, the cost is one pass over the rows. Springs need an error to act: a body rests
// k⁻¹ × its load deep. An explicit spring is stable up to k h² J M⁻¹ Jᵀ of about 1 to 4; to stay below for several springs at
// a body, `k` and `d` of rigid rows are cut to `resolution` of 1 / (h² K) and 1 / (h K), K = J M⁻¹ Jᵀ, and `d` to the critical
// damping 2 √(k / K). So a stiffness beyond what the step resolves means: as stiff as the step allows. Joints that such springs
// cannot hold are torn open, which is reported.
#include <array>

#include "constraints/row_math.h"
#include "registry/entry.h"
#include "solvers/acceleration_rows.h"

namespace rigor {

namespace {

constexpr const char* kTorn =
    "joints are torn open: their springs, as stiff as the step resolves, do not hold the load; smaller steps would "
    "help";

class Penalty final : public Solver {
 public:
  void fields(FieldVisitor& v) override {
    v.number("stiffness", stiffness_, {"N/m", kPositive, 1e15, "of contacts while bodies approach, and of joints"});
    v.number("damping", damping_, {"N s/m", 0, 1e15, "of contacts near rest, and of joints"});
    v.number("angular_stiffness", angular_stiffness_, {"N m/rad", kPositive, 1e15, "of joints that hold directions"});
    v.number("angular_damping", angular_damping_, {"N m s/rad", 0, 1e15, "of joints that hold directions"});
    v.number("resolution", resolution_,
             {"1", kPositive, 1, "part of the stiffness and damping that a step can resolve which springs may have"});
    v.number("torn", torn_, {"m", kPositive, kUnbounded, "joints that are pulled open farther than this are reported"});
  }

  SolverLevel level() const override { return SolverLevel::force; }

  SolverReport solve(SolverContext& c) override {
    if (c.begins) start_ = c.rows.lambda;
    accelerate(c);
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      if (block.source == RowBlock::Source::contact)
        solve_contact(c, block);
      else
        for (int i = block.begin; i < block.end; ++i) set(c, i, joint_force(c, block, i));
    }
    SolverReport report;
    report.iterations = 1;
    find_torn(c, report);
    if (report.worst_row >= 0)
      report.trouble = kTorn;
    else
      report.worst_error = 0;
    return report;
  }

 private:
  struct Spring {
    double k, d;
  };

  /// The locked translation of a joint whose error is the largest above `torn`.
  void find_torn(const SolverContext& c, SolverReport& report) const {
    report.worst_error = torn_;
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      if (block.source != RowBlock::Source::joint) continue;
      for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
        if (c.rows.kind[i] != RowKind::locked || std::isfinite(c.rows.stiffness[i]) || is_angular(c.rows.J[i]) ||
            std::abs(c.rows.C[i]) <= report.worst_error)
          continue;
        report.worst_error = std::abs(c.rows.C[i]);
        report.worst_row = static_cast<int>(i);
      }
    }
  }

  /// u̇ under the forces of the last step.
  void accelerate(const SolverContext& c) {
    free_accelerations(c, acceleration_);
    for (const int b : c.blocks) {
      const RowBlock& block = c.rows.blocks[static_cast<std::size_t>(b)];
      for (int i = block.begin; i < block.end; ++i)
        apply_row(c.rows, i, block, start_[static_cast<std::size_t>(i)] / c.h(), acceleration_);
    }
  }

  static void set(SolverContext& c, int i, double force) { c.rows.lambda[static_cast<std::size_t>(i)] = c.h() * force; }

  /// The spring of a rigid row, as stiff as the step resolves.
  Spring spring(const SolverContext& c, int i) const {
    const auto r = static_cast<std::size_t>(i);
    const double K = c.rows.diagonal[r], h = c.h();
    if (!(K > 0)) return {0, 0};
    const bool angular = is_angular(c.rows.J[r]);
    const double k = std::min(angular ? angular_stiffness_ : stiffness_, resolution_ / (h * h * K));
    const double d = std::min(angular ? angular_damping_ : damping_, resolution_ / (h * K));
    return {k, std::min(d, 2 * std::sqrt(k / K))};
  }

  /// The strongest damper that the step resolves, within bounds.
  double brake(const SolverContext& c, int i, double velocity, double lo, double hi) const {
    const double K = c.rows.diagonal[static_cast<std::size_t>(i)];
    return K > 0 ? std::clamp(-resolution_ * velocity / (c.h() * K), lo, hi) : 0;
  }

  double joint_force(const SolverContext& c, const RowBlock& block, int i) const {
    const auto r = static_cast<std::size_t>(i);
    const double velocity = row_velocity(c.rows, i, block, c.bodies.u);
    if (is_soft(c.rows, i)) return spring_force(c.rows, i, velocity);
    const double excess = velocity - c.rows.bias[r];
    const RowKind kind = c.rows.kind[r];
    if (kind != RowKind::locked && !is_inequality(kind)) return brake(c, i, excess, c.rows.lo[r], c.rows.hi[r]);
    if (is_inequality(kind) && c.rows.C[r] > 0) return 0;
    const auto [k, d] = spring(c, i);
    return std::clamp(-k * c.rows.C[r] - d * excess, c.rows.lo[r], c.rows.hi[r]);
  }

  double normal_force(const SolverContext& c, const RowBlock& block) const {
    const int i = block.begin;
    const double C = c.rows.C[static_cast<std::size_t>(i)];
    if (C > 0) return 0;
    const double velocity = row_velocity(c.rows, i, block, c.bodies.u);
    const double threshold = std::max(c.settings.restitution_threshold, 1e-12);
    // Where impulses answer impacts, the speed of parting is the whole rebound: a spring would add to it.
    const double e = c.settings.by_impulses ? 0 : c.list.contacts[block.index].contact->restitution;
    const double parting = std::clamp(velocity / threshold, 0.0, 1.0);  // 0: approaching, 1: parting after an impact
    const double rest = std::clamp(2 - std::abs(velocity) / threshold, 0.0, 1.0);
    const auto [k, d] = spring(c, i);
    return std::max(0.0, -k * (1 + (e * e - 1) * parting) * C - d * rest * velocity);
  }

  void solve_contact(SolverContext& c, const RowBlock& block) const {
    const double normal = normal_force(c, block);
    set(c, block.begin, normal);
    if (block.size() < 3) return;
    solve_friction(c, block, normal);
    for (int i = block.begin + 3; i < block.end; ++i) {
      const double most = c.rows.mu[static_cast<std::size_t>(i)] * normal;
      set(c, i, brake(c, i, row_velocity(c.rows, i, block, c.bodies.u), -most, most));
    }
  }

  /// Both tangents together, brought back radially to the ellipse of Coulomb's law.
  void solve_friction(SolverContext& c, const RowBlock& block, double normal) const {
    std::array<double, 2> force{}, most{};
    double over = 0;
    for (std::size_t t = 0; t < 2; ++t) {
      const int i = block.begin + 1 + static_cast<int>(t);
      const auto r = static_cast<std::size_t>(i);
      const double slip = row_velocity(c.rows, i, block, c.bodies.u) - c.rows.bias[r];
      const double h = c.h(), k = spring(c, i).k;
      const double coming = slip + h * row_velocity(c.rows, i, block, acceleration_);
      most[t] = c.rows.mu[r] * normal;
      force[t] = most[t] > 0 ? start_[r] / h - h * k * coming / (1 + h * h * k * c.rows.diagonal[r]) : 0;
      if (most[t] > 0) over += force[t] * force[t] / (most[t] * most[t]);
    }
    const double scale = over > 1 ? 1 / std::sqrt(over) : 1;
    for (std::size_t t = 0; t < 2; ++t) set(c, block.begin + 1 + static_cast<int>(t), scale * force[t]);
  }

  double stiffness_ = 1e7, damping_ = 1e5, angular_stiffness_ = 1e7, angular_damping_ = 1e5;
  double resolution_ = 0.1;
  double torn_ = 0.1;  // m; chosen: far beyond what springs that hold give way

  std::vector<BodyVelocity> acceleration_;
  std::vector<double> start_;  // N s, by row, at the start of the step: springs of friction go on from there
};

}  // namespace

Entry register_penalty() {
  return {Kind::solver,
          "penalty",
          "damped springs at every error; local, explicit, soft",
          "Moore, Wilhelms 1988; Garstenauer 2006, 4.2",
          {"level:force", "contact", "joint", "soft", "corrects", "lacks:restitution", "lacks:static-friction",
           "lacks:rolling-friction", "lacks:mass-ratios", "lacks:extreme-bodies", "lacks:error-reduction"},
          make_default<Penalty>,
          {},
          {"constraints give way: a body rests as deep as its load needs",
           "stiffness beyond what the step resolves is cut to that",
           "restitution is accurate only where an impact takes many steps",
           "motors, dry, rolling and spinning friction are dampers within their bounds"}};
}

}  // namespace rigor
