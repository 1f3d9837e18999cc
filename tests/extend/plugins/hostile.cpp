// Extensions that do what they must not.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rigor/extend/plugin.h"

namespace {

using namespace rigor::extend;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ThrowingIntegrator final : public Integrator {
 public:
  void integrate(Motion& motion, double time, double) override {
    motion.evaluate(time);
    throw std::runtime_error("out of ideas");
  }
};
class NumberIntegrator final : public Integrator {
 public:
  void integrate(Motion&, double, double) override { throw 7; }
};
class NanIntegrator final : public Integrator {
 public:
  void integrate(Motion& motion, double, double) override {
    for (rigor::Vec3& v : motion.bodies().velocity) v.x = kNaN;
  }
};
class NanSolver final : public Solver {
 public:
  SolveResult solve(ImpulseProblem& p, Scratch&) override {
    for (double& l : p.lambda) l = kNaN;
    return {};
  }
};
class ThrowingSolver final : public Solver {
 public:
  SolveResult solve(ImpulseProblem&, Scratch&) override { throw std::logic_error("no pivot"); }
};
class NanLcp final : public LcpSolver {
 public:
  int solve(const rigor::LcpProblem&, std::span<double> x) override {
    for (double& v : x) v = kNaN;
    return 1;
  }
};
/// Leaves x as it was given, which is no solution.
class LazyLcp final : public LcpSolver {
 public:
  int solve(const rigor::LcpProblem&, std::span<double>) override { return 0; }
};
class NanJoint final : public Joint {
 public:
  void write(const JointFrames& f, JointRows& rows) const override { rows.hold(kNaN, f.gradient({1, 0, 0})); }
};
class ManyRows final : public Joint {
 public:
  void write(const JointFrames& f, JointRows& rows) const override {
    for (int i = 0; i < 7; ++i) rows.hold(0, f.gradient({1, 0, 0}));
  }
};
class NanShape final : public Shape {
 public:
  rigor::Vec3 support(const rigor::Vec3&) const override { return {kNaN, 0, 0}; }
};
/// Returns the nearest point instead of the farthest.
class InsideOut final : public Shape {
 public:
  rigor::Vec3 support(const rigor::Vec3& d) const override { return -d / length(d); }
};
class FlatShape final : public Shape {
 public:
  rigor::Vec3 support(const rigor::Vec3& d) const override { return {std::copysign(1, d.x), 0, std::copysign(1, d.z)}; }
};
class HalfStep final : public Step {
 public:
  void step(StepStages& s, double h) override { s.find_contacts(), s.solve_and_move(h / 2); }
};
class BackwardStep final : public Step {
 public:
  void step(StepStages& s, double h) override { s.solve_and_move(-h); }
};
class UnsortedPairs final : public Broadphase {
 public:
  void find_pairs(std::span<const rigor::ProxyBounds>, std::vector<rigor::ProxyPair>& pairs) override {
    pairs.push_back({1, 0});
  }
};
class NoNormal final : public Narrowphase {
 public:
  bool collide(const rigor::Shape&, const rigor::Shape&, const rigor::PairQuery&,
               std::vector<rigor::Manifold>& out) const override {
    out.emplace_back().add({});
    return true;
  }
};
class ThrowingRule final : public SleepRule {
 public:
  void find_idle(const ConstBodies&, std::span<std::uint8_t>) const override { throw std::runtime_error("insomnia"); }
};
class NanValidator final : public Validator {
 public:
  void validate(Inspection& i) override { i.set_velocity(0, {kNaN, 0, 0}, {}); }
};
class NowhereValidator final : public Validator {
 public:
  void validate(Inspection& i) override { i.report(i.name(1000000)); }
};

}  // namespace

RIGOR_PLUGIN(r) {
  r.add<ThrowingIntegrator>({"throws", "throws an exception", "none"});
  r.add<NumberIntegrator>({"throws-a-number", "throws a number", "none"});
  r.add<NanIntegrator>({"not-finite", "leaves velocities that are not finite", "none"});
  r.add<NanSolver>({"not-finite", "returns impulses that are not finite", "none", {"collision", "contact", "joint"}});
  r.add<ThrowingSolver>({"throws", "throws an exception", "none", {"collision", "contact", "joint"}});
  r.add<NanLcp>({"not-finite", "returns numbers that are not finite", "none", {"inequalities", "dependent-limits"}});
  r.add<LazyLcp>({"lazy", "solves nothing", "none", {"inequalities", "dependent-limits", "exact"}});
  r.add<NanJoint>({"not-finite", "writes a row that is not finite", "none", {"anchor"}});
  r.add<ManyRows>({"many-rows", "writes too many rows", "none", {"anchor"}});
  r.add<NanShape>({"not-finite", "is nowhere", "none"});
  r.add<InsideOut>({"inside-out", "contradicts itself", "none"});
  r.add<FlatShape>({"flat", "has no volume", "none"});
  r.add<HalfStep>({"half", "moves for half of the time", "none"});
  r.add<BackwardStep>({"backward", "moves back in time", "none"});
  r.add<UnsortedPairs>({"unsorted", "finds pairs in the wrong order", "none"});
  r.add<NoNormal>({"no-normal", "hands out a manifold without a normal", "none"});
  r.add<ThrowingRule>({"throws", "throws an exception", "none"});
  r.add<NanValidator>({"not-finite", "sets a velocity that is not finite", "none"});
  r.add<NowhereValidator>({"nowhere", "asks for a body that is not there", "none"});
}
