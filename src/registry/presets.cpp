// Presets: published systems by name, each a complete method with its source.
#include "registry/presets.h"

#include "rigor/error.h"

namespace rigor {

namespace {

constexpr const char* kDefaultPreset = "soft-step";

struct Preset {
  const char* name;
  const char* description;
  const char* reference;
  Method (*make)();
};

Method with_integrator(const char* integrator) {
  Method m;
  m.integrator.name = integrator;
  m.broadphase.name = "none";
  return m;
}

/// One solver for collisions, contacts and joints, with Baumgarte's correction. The integrator conserves the energy of fast
/// spinning limbs; semi-implicit Euler would add energy, and their joints would open.
Method with_solver(const char* solver, const Settings& settings) {
  Method m;
  m.integrator.name = "kick-drift";
  m.collision_solver = m.contact_solver = m.joint_solver = {solver, settings};
  m.correction = {"baumgarte", {{"slop", 1e-3}, {"split", true}}};
  return m;
}

Method soft_step() {
  Method m;
  m.stepping.name = "soft-step";
  m.sleep.name = "velocity";
  return m;
}

/// s, the maximum simulation step (7.5.7) of methods whose contacts sink in by about g h² in a step. Chosen: 0.7 mm, below the slop.
constexpr double kContactStep = 1.0 / 120;

/// The thesis makes 10 sweeps and calls that its own choice. What they leave makes contacts sink and joints open where masses are
/// unequal, so more follow until the residual is a hundredth of what the step changes: at rest g h / 100, which Baumgarte's term
/// balances at less than a millimetre.
Method garstenauer() {
  Method m = with_solver("simultaneous-impulse", {{"lcp", "pgs"},
                                                  {"lcp.min_iterations", std::int64_t{10}},
                                                  {"lcp.iterations", std::int64_t{300}},
                                                  {"lcp.enough", 0.01}});
  // Joints open by ½ ω² h² r in a step, of which Baumgarte's term takes back a fifth.
  m.stepping.settings = {{"max_step", 0.5 * kContactStep}};
  return m;
}

/// The paper has no joints: theirs are simultaneous impulses, and errors are removed by position. Solved by visits among the
/// contacts, without the impulses of the last step, chains come open.
Method guendelman() {
  Method m = with_solver("guendelman-contact", {});
  m.collision_solver = {"guendelman-collision", {}};
  m.joint_solver = {"simultaneous-impulse", {}};
  m.correction = {"simultaneous-position", {{"slop", 1e-3}, {"tolerance", 1e-4}}};
  m.stepping = {"collision-contact-separated", {{"shock_propagation", true}, {"max_step", 0.5 * kContactStep}}};
  return m;
}

/// One complementarity problem with a friction polygon, by Lemke's algorithm. A solve is limited to tenths of a second, so that
/// heaps finish: about sixty contact points are solved exactly.
Method with_polygon() {
  return with_solver("simultaneous-impulse",
                     {{"friction", "polygon"}, {"sides", std::int64_t{8}}, {"lcp", "lemke"}, {"lcp.work", 200.0}});
}

/// Constraints on the positions at the end of the step: C + h Ċ >= 0. The paper starts without overlaps. An overlap of depth d would
/// separate at d / h, tens of metres per second, so the speed is bounded.
Method stewart_trinkle() {
  Method m = with_polygon();
  m.correction.settings = {{"erp", 1.0}, {"slop", 0.0}, {"max_speed", 1.0}, {"split", false}};
  return m;
}

Method cline_pai() {
  Method m = with_polygon();
  m.correction = {"simultaneous-position", {{"lcp", "dantzig"}}};
  return m;
}

Method sombatpanich() {
  Method m = with_solver("sequential-impulse", {});
  m.integrator.name = "rk4";
  return m;
}

/// Resting contacts and joints by forces at every evaluation of Runge–Kutta, impacts by impulses at the time of
/// impact: a step that ends in an overlap is repeated.
Method baraff() {
  Method m;
  m.stepping.name = "bisection";
  m.broadphase.name = "sweep-and-prune";
  m.narrowphase.name = "witness";
  // Forces of joints under tension make light links swing faster than a step resolves: the notes ask for an adaptive solver.
  m.integrator = {"dormand-prince",
                  {{"relative_tolerance", 1e-5}, {"absolute_tolerance", 1e-6}, {"give_up", std::int64_t{150}}}};
  m.collision_solver = {"simultaneous-impulse", {{"lcp", "lemke"}}};
  m.contact_solver = m.joint_solver = {"force-lcp", {}};
  return m;
}

Method featherstone() {
  Method m;
  m.stepping = {"reduced", {{"max_contact_step", 2 * kContactStep}}};
  m.integrator.name = "rk4";
  return m;
}

/// Impulses for impacts and joints, springs for resting contact, errors corrected by moving bodies. Springs rest as deep as their load
/// needs: the correction ignores that depth, or it would lift bodies off their springs.
Method baltman_radeztsky() {
  Method m;
  m.integrator.name = "velocity-verlet";
  m.collision_solver = m.joint_solver = {"sequential-impulse", {}};
  m.contact_solver = {"penalty", {}};
  m.correction = {"sequential-position", {{"slop", 0.005}}};
  return m;
}

/// Joints by impulses from a prediction of their state, contacts by sequential impulses that see the joints.
Method bender(const char* joints, bool warm_start) {
  Method m = with_solver("sequential-impulse", {{"iterations", std::int64_t{100}}, {"tolerance", 1e-4}});
  // Not split: displacements of bodies at contacts would open their joints.
  m.correction.settings = {{"slop", 1e-3}, {"max_speed", 2.0}};
  m.integrator.name = "rk4";
  m.stepping = {"impulse-prediction",
                {{"joints", joints}, {"warm_start", warm_start}, {"max_contact_step", kContactStep}}};
  return m;
}

Method moore_wilhelms() {
  Method m;
  m.integrator.name = "semi-implicit-euler";
  m.contact_solver = m.joint_solver = {"penalty", {}};
  return m;
}

/// Contacts are found once, followed by small steps with one Gauss–Seidel sweep each. Impacts are solved separately: one sweep
/// would tilt a box that lands flat, and a rebound speed that is lost does not return in the next sub-step.
Method tgs() {
  Method m = with_solver("sequential-impulse", {{"iterations", std::int64_t{1}}});
  m.collision_solver = {"sequential-impulse", {{"iterations", std::int64_t{30}}, {"tolerance", 1e-3}}};
  m.stepping = {"sub-steps", {{"count", std::int64_t{16}}, {"detect_once", true}}};
  return m;
}

/// A step that solves all constraints itself, with its own settings.
Method with_own_step(const char* stepping) {
  Method m;
  m.stepping.name = stepping;
  return m;
}

/// Velocities are displacements per step and belong to its middle, so the energy of a swinging chain is off by m g v h / 2, and a
/// light body that rocks keeps a speed of about g h.
Method avbd() {
  Method m = with_own_step("avbd");
  m.stepping.settings = {{"max_step", 0.5 * kContactStep}};
  return m;
}

Method nncg() { return with_solver("simultaneous-impulse", {{"lcp", "nncg"}, {"lcp.iterations", std::int64_t{30}}}); }

/// Coulomb's exact cone, by one of the cone solvers.
Method with_cone(const char* solver, Settings settings = {}) {
  settings["cone"] = std::string(solver);
  return with_solver("cone-impulse", settings);
}

/// Errors decay by the constraints' own relaxation: nothing corrects them but the solver. Passes that have not settled after ten rarely
/// settle at all, and cost a factorisation each: nncg and Newton steps are faster there.
Method servin() {
  Method m = with_solver("regularised", {{"passes", std::int64_t{10}}, {"iterations", std::int64_t{0}}});
  m.stepping.settings = {{"max_step", 2 * kContactStep}};
  m.correction = {"none", {}};
  return m;
}

/// Contacts and joints have their own stiffness and dissipation: nothing else corrects errors. Joints are linear in a step: the turn is limited so that pulling them together asks for at most 5 % of
/// their own speed (explicit_step.cpp).
Method sap() {
  Method m = with_solver("sap", {});
  m.correction = {"none", {}};
  m.stepping.settings["max_turn"] = 0.1;
  return m;
}

/// MuJoCo has no restitution: nothing answers impacts but the contacts themselves.
Method mujoco_like() {
  Method m = with_solver("mujoco-like", {});
  m.collision_solver = {"none", {}};
  m.correction = {"none", {}};
  return m;
}

/// In parts of 0.2 ms, a sliding contact that leaves its overlap within the part leaves it with 10 mm/s; so it takes the time of `dissipation`.
Method cenic() {
  Method m = with_solver("sap", {{"way_out", 0.02}});
  m.correction = sap().correction;
  m.stepping = {"cenic", {}};
  return m;
}

constexpr Preset kPresets[] = {
    {"soft-step", "sub-steps of soft constraints with relaxation; the default", "Catto 2024; Macklin et al. 2019",
     [] { return soft_step(); }},
    {"garstenauer", "explicit step, simultaneous impulses by projected Gauss–Seidel, Baumgarte, 10 iterations and more",
     "Garstenauer 2006, 8.3", garstenauer},
    {"garstenauer-sequential", "explicit step, sequential impulses, Baumgarte, 10 iterations", "Garstenauer 2006, 8.3",
     [] {
       return with_solver("sequential-impulse", {{"iterations", std::int64_t{10}}, {"warm_start", false}});
     }},
    {"garstenauer-shock", "as garstenauer-sequential, with shock propagation", "Garstenauer 2006, 8.3",
     [] {
       Method m = preset("garstenauer-sequential");
       m.stepping.settings["shock_propagation"] = true;
       return m;
     }},
    {"hahn", "impulses for everything, contacts from the ground upwards", "Hahn 1988; Garstenauer 2006, 4.5.2",
     [] {
       return with_solver("sequential-impulse", {{"order", "graph"}, {"friction", "hahn"}});
     }},
    {"guendelman", "impacts and resting contacts by separate sequential solvers",
     "Guendelman, Bridson, Fedkiw 2003; Garstenauer 2006, 4.5.2", guendelman},
    {"stewart-trinkle", "one complementarity problem with a friction polygon, by Lemke's algorithm",
     "Stewart, Trinkle 1996", stewart_trinkle},
    {"cline-pai", "one complementarity problem, errors by post-stabilisation", "Cline, Pai 2003", cline_pai},
    {"sombatpanich", "Runge–Kutta of order four, sequential impulses, static and dynamic friction",
     "Sombatpanich 2014, 2.3", sombatpanich},
    {"baraff", "steps back to the time of impact; contact and joint forces from accelerations, impulses for impacts",
     "Baraff 1994; Baraff 1997, part II", baraff},
    {"baltman-radeztsky", "Verlet, impulses for impacts and joints, springs for resting contact, errors by position",
     "Baltman, Radeztsky 2004; Garstenauer 2006, 5.3.1 and 7.5.7", baltman_radeztsky},
    {"bender", "joints by impulses from a prediction of their state, joint after joint",
     "Bender, Finkenzeller, Schmitt 2005; Bender, Schmitt 2006, 4.2–4.4", [] { return bender("one-by-one", false); }},
    {"bender-schmitt",
     "joints by impulses from a prediction of their state, all by one linear system along the joint graph",
     "Bender, Schmitt 2006", [] { return bender("at-once", true); }},
    {"moore-wilhelms", "springs with constants for approach and separation, for contacts and joints alike",
     "Moore, Wilhelms 1988", moore_wilhelms},
    {"servin", "constraints with compliance and relaxation, all by one sparse factorisation",
     "Servin 2011; Lacoursière 2007", servin},
    {"featherstone", "joint coordinates by the articulated-body algorithm, contacts and loops by an LCP",
     "Featherstone 1983, 2008; Mirtich 1996; Kokkevis 2004", featherstone},
    {"jakobsen", "velocity-less Verlet steps, constraints by projecting positions",
     "Jakobsen 2001; Garstenauer 2006, 6.1", [] { return with_own_step("jakobsen"); }},
#ifdef RIGOR_XPBD
    {"xpbd", "extended position-based dynamics, twenty sub-steps of two sweeps",
     "Müller, Macklin, Chentanez, Jeschke, Kim 2020", [] { return with_own_step("xpbd"); }},
#endif
    {"avbd", "augmented vertex block descent: implicit Euler, one body after the other", "Giles, Diaz, Yuksel 2025",
     avbd},
    {"tgs", "contacts found once, sixteen sub-steps with one sweep of sequential impulses each",
     "Macklin et al. 2019; NVIDIA PhysX 4, temporal Gauss–Seidel", tgs},
    {"nncg", "simultaneous impulses by non-smooth conjugate gradients, Baumgarte",
     "Silcowitz-Hansen, Niebe, Erleben 2010", nncg},
    {"nsgs", "simultaneous impulses with friction cones, by block Gauss–Seidel with exact contacts",
     "Jourdan, Alart, Jean 1998; Hwangbo, Lee, Hutter 2018",
     [] {
       return with_cone("nsgs", {{"cone.iterations", std::int64_t{1000}}});
     }},
    {"admm", "simultaneous impulses with friction cones, by proximal ADMM", "Carpentier, Le Lidec, Montaut 2024",
     [] {
       return with_cone("admm", {{"cone.tolerance", 1e-11}});
     }},
    {"newton-cone", "simultaneous impulses with friction cones, by non-smooth Newton on Alart's and Curnier's function",
     "Alart, Curnier 1991", [] { return with_cone("alart-curnier"); }},
    {"sap", "compliant contacts and joints as one convex minimisation over velocities",
     "Castro, Permenter, Han 2022, arXiv 2110.10107", sap},
    {"mujoco-like", "the convex problem of sap with MuJoCo's soft parameters",
     "Todorov, Erez, Tassa 2012; Todorov 2014", mujoco_like},
    {"cenic", "sap with an accuracy in place of a step, by step doubling", "Kurtz, Castro 2025, arXiv 2511.08771",
     cenic},
    {"free-flight", "unconstrained motion that conserves energy and momentum to rounding", "Simo, Wong 1991",
     [] { return with_integrator("energy-momentum"); }},
    {"free-flight-exact", "unconstrained motion, rotation by elliptic functions", "Jacobi 1850",
     [] { return with_integrator("exact-rotation"); }},
    {"course-notes", "unconstrained motion by Runge–Kutta of order four", "Baraff 1997, part I",
     [] { return with_integrator("rk4"); }},
};

}  // namespace

std::vector<Entry> preset_entries() {
  std::vector<Entry> all;
  for (const Preset& p : kPresets) all.push_back({Kind::preset, p.name, p.description, p.reference, {}, nullptr, {}});
  return all;
}

Method preset(std::string_view name) {
  std::vector<std::string> known;
  for (const Preset& p : kPresets) {
    known.push_back(p.name);
    if (p.name != name) continue;
    Method m = p.make();
    m.preset = p.name;
    // Steps of the published systems can gain energy and let bodies sink in where theirs are too long or their sweeps too few. The
    // default is tested not to, and is spared the cost.
    if (m.broadphase.name != "none" && p.name != std::string_view(kDefaultPreset)) {
      m.validators.push_back({"unexplained-energy", {}});
      m.validators.push_back({"lasting-penetration", {}});
    }
    return m;
  }
  throw Error(unknown_name("preset", name, known));
}

Method default_method() { return preset(kDefaultPreset); }

}  // namespace rigor
