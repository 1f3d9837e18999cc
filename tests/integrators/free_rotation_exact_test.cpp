// The exact rotation against closed forms, tabulated values, a series solution in extended precision, and itself.
//
// Tolerances. With u = 1.1e-16: q is the product of four unit quaternions of two or three roundings each, and is normalised:
// 9 u = 1e-15. The angle |L| h / I₁ is a product of five factors, and half of its error is one of q: 2.5 u an angle of one;
// the elliptic functions' λt and the closed form compared with have as many again, and together they stay below 9 u times the
// angle: 1e-15 (1 + angle), or less where the angles are few. About the middle axis both grow by exp(λh).
#include "integrators/free_rotation_exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "integrators/free_rotation_reference.h"

namespace rigor {
namespace {

using namespace free_rotation_test;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double lower, double upper) {
    return lower + (upper - lower) * 0x1p-64 * static_cast<double>(engine_());
  }
  /// Evenly spread logarithm.
  double magnitude(double lower, double upper) { return std::pow(10, number(std::log10(lower), std::log10(upper))); }
  Vec3 direction() {
    for (;;) {
      const Vec3 v{number(-1, 1), number(-1, 1), number(-1, 1)};
      if (length(v) < 1 && length(v) > 0.1) return normalized(v);
    }
  }
  Quat rotation() {
    const Vec3 axis = direction();
    const double half = number(0, kPi);
    return normalized(Quat{std::cos(half), axis.x * std::sin(half), axis.y * std::sin(half), axis.z * std::sin(half)});
  }

 private:
  std::mt19937_64 engine_;
};

struct AsymmetricCase {
  Vec3 inertia, omega;
  double tolerance;  // 1e-15 relative, amplified by exp(λt) up to the first flip and then by the phase
  struct Row {
    double time;
    Vec3 omega;
  };
  std::vector<Row> rows;
};

TEST(FreeRotationExact, HasTheTabulatedAngularVelocitiesOfAsymmetricBodies) {
  const AsymmetricCase cases[] = {{{1, 2, 3},
                                   {0.01, 2, 0.01},
                                   1e-11,
                                   {{5, {-1.0835752861295045, 1.6810605578887878, 0.6256557628362521}},
                                    {10, {-0.04104996797077952, -1.9996036857661565, 0.02506724203950928}},
                                    {20, {0.13008113714213312, 1.995790294033872, 0.07554491432296076}},
                                    {30, {-0.39963219326419247, -1.9596923508823652, 0.23087217956634856}},
                                    {40, {1.137750920497944, 1.6448777592593564, 0.6569315431341682}},
                                    {50, {-1.9987715791328027, -0.07079671214796592, 1.154020194154481}}}},
                                  {{1, 2, 3},
                                   {0.5, 1, 2},
                                   2e-13,
                                   {{2.5, {1.1107806095016683, -0.12714730651925837, 2.0803712459114037}},
                                    {10, {-0.9192050572180024, 0.6364448623288972, 2.0489784395494217}},
                                    {30, {0.7409221950364867, -0.8372779113904262, 2.0247605372074404}},
                                    {50, {-0.5226955063415193, 0.9883265693334278, 2.001933281634665}}}},
                                  {{1, 2, 3},
                                   {2, 1, 0.5},
                                   2e-13,
                                   {{2.5, {2.1007922031477078, -0.7659452455585841, -0.6227165970718409}},
                                    {10, {2.227022946172109, -0.20091987762016086, 0.7549020251611241}},
                                    {30, {1.8773558703089854, -1.2147159899401967, -0.3024704193711113}},
                                    {50, {2.018981591172105, 0.9611000647737753, -0.5248131939054902}}}},
                                  {{0.0019866666666666665, 0.0039, 0.0057666666666666665},
                                   {0.01, 10, 0.01},
                                   1e-10,
                                   {{0.8, {-0.29706324956368, 9.995452636995346, 0.17671004663109688}},
                                    {1.6, {-9.488823806043817, -2.6688336324644046, 5.638646068733499}},
                                    {3.2, {0.021204929752519537, -9.9999819661618, 0.014948864710018482}},
                                    {4.8, {2.178892491168588, 9.752066423761644, 1.2948104382791255}}}}};
  for (const AsymmetricCase& c : cases)
    for (const auto& [time, omega] : c.rows) {
      const Vec3 L = scale(c.inertia, c.omega);
      const Vec3 found = omega_body(rotate_freely_exact({}, L, c.inertia, time), L, c.inertia);
      EXPECT_LT(length(found - omega), c.tolerance) << "I1 = " << c.inertia.x << ", t = " << time;
    }
}

TEST(FreeRotationExact, HasTheTabulatedAttitudesOfSymmetricBodies) {
  const Vec3 prolate{2, 2, 1}, oblate{1, 1, 2}, omega{0.6, 0, 3};
  const auto error = [&](const Vec3& inertia, double time, const Quat& expected) {
    return distance(rotate_freely_exact({}, scale(inertia, omega), inertia, time), expected);
  };
  EXPECT_LT(error(prolate, 0.5, {0.7219909166619692, 0.13581224768989617, -0.053459310026937754, 0.6763329444929261}),
            1e-15);
  EXPECT_LT(error(prolate, 2, {-0.9283881860433447, 0.02624483310174734, -0.37008941301117254, 0.020985974546230843}),
            2e-15);
  EXPECT_LT(error(prolate, 10, {-0.9261176076098372, 0.12552755051862055, -0.33967929236539673, 0.10567397633272853}),
            1e-14);
  EXPECT_LT(error(oblate, 0.5, {0.7231928013388554, 0.07265988095847939, 0.0676896878808771, 0.6834696920459222}),
            1e-15);
  EXPECT_LT(error(oblate, 10, {-0.8450588224918388, 0.07211439861692706, -0.06172944932657598, 0.5261792233893917}),
            1e-14);
  const Vec3 L = scale(oblate, omega);
  const Vec3 later = omega_body(rotate_freely_exact({}, L, oblate, 10), L, oblate);
  EXPECT_LT(length(later - Vec3{0.09255086993255043, -0.5928189744557171, 3}), 2e-14);
}

TEST(FreeRotationExact, IsTheClosedFormOfSymmetricBodiesAboutAnyAxis) {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const int k = i % 3;
    Vec3 inertia{1, 1, 1};
    inertia[k] = i < 300 ? 1 : random.number(0.05, 2);
    const Quat q = random.rotation();
    const Vec3 L = random.direction() * random.number(0, 3);
    const double h = random.number(-20, 20);
    // R(t) = exp([L] t / I₁) R₀ exp(-[e₃] Ω t),  Ω = (I₃ - I₁)/I₁ ω₃
    Vec3 spin;
    spin[k] = -(inertia[k] - 1) * rotate_inverse(q, L)[k] / inertia[k] * h;
    const Quat expected = quaternion_from_rotation_vector(L * h) * q * quaternion_from_rotation_vector(spin);
    const double angle = length(L) * std::abs(h) / std::min(1.0, inertia[k]);
    EXPECT_LT(distance(rotate_freely_exact(q, L, inertia, h), expected), 1e-15 * (1 + angle));
  }
}

/// The largest distance from the series solution. The angle is |L| h / min I, which rounding errors are a fraction of.
double worst_error(Random& random, const Vec3& inertia, double angle) {
  double worst = 0;
  for (int i = 0; i < 6; ++i) {
    const Quat q = random.rotation();
    const Vec3 L = random.direction() * random.magnitude(1e-3, 1e3);
    const double h = (i % 2 == 0 ? angle : -angle) * std::min({inertia.x, inertia.y, inertia.z}) / length(L);
    worst = std::max(worst, distance(rotate_freely_exact(q, L, inertia, h), rotate_by_series(q, L, inertia, h)));
  }
  return worst;
}

TEST(FreeRotationExact, AgreesWithTheSeriesForRandomBodies) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Vec3 inertia{random.number(0.2, 1), random.number(0.2, 1), random.number(0.2, 1)};
    EXPECT_LT(worst_error(random, inertia, random.magnitude(1e-3, 1)), 2e-15);
    EXPECT_LT(worst_error(random, inertia, random.number(1, 30)), 1e-13);
  }
}

TEST(FreeRotationExact, AgreesWithTheSeriesForDegenerateBodies) {
  Random random(11);
  const Vec3 plate{1, 2, 3}, rod{1e-3, 1, 1}, rod_like{1e-3, 1, 1 + 1e-9}, disk{1, 1, 2}, harmonic{1, 1 / 0.7, 1 / 0.4};
  for (const Vec3& inertia : {plate, rod, rod_like, disk, harmonic})
    for (const double angle : {1e-12, 1e-6, 1e-2, 0.1, 1.0, 10.0})
      EXPECT_LT(worst_error(random, inertia, angle), 1e-13);
  for (double epsilon = 2e-16; epsilon < 2e-3; epsilon *= 19)
    for (const Vec3& inertia : {Vec3{1, 1 + epsilon, 2}, Vec3{1 + epsilon, 0.5, 1}, Vec3{1, 1 + epsilon, 1 - epsilon},
                                Vec3{1 - epsilon, 1, 1e-2}})
      for (const double angle : {0.03, 3.0, 40.0}) EXPECT_LT(worst_error(random, inertia, angle), 1e-13);
}

TEST(FreeRotationExact, AgreesWithTheSeriesNearPrincipalAxesAndTheSeparatrix) {
  const Vec3 inertia{1, 1 / 0.7, 1 / 0.4};  // a = c, where the integrand's poles are nearest
  for (int axis = 0; axis < 3; ++axis)
    for (double epsilon = 1e-18; epsilon < 1; epsilon *= 31)
      for (const double h : {1e-3, 0.05, 0.7, 2.0, 5.0, -11.0}) {
        Vec3 L{epsilon, epsilon, -epsilon};
        L[axis] = 1;
        // exp(λh) = exp(0.3 · 11) = 27 about the middle axis
        EXPECT_LT(distance(rotate_freely_exact({}, L, inertia, h), rotate_by_series({}, L, inertia, h)), 4e-14);
      }
  const Vec3 on_separatrix = Vec3{1, 0.5, 1};
  for (double h = -8; h < 8; h += 0.5)
    EXPECT_LT(
        distance(rotate_freely_exact({}, on_separatrix, inertia, h), rotate_by_series({}, on_separatrix, inertia, h)),
        4e-14);
}

TEST(FreeRotationExact, ComposesReversesAndIgnoresTheOrderOfTheAxes) {
  Random random(13);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 inertia{random.magnitude(0.1, 1), random.magnitude(0.1, 1), random.magnitude(0.1, 1)};
    const Quat q = random.rotation();
    const Vec3 L = random.direction();
    const double h1 = random.number(-1, 1), h2 = random.number(-1, 1);
    const auto advance = [&](const Quat& from, double h) { return rotate_freely_exact(from, L, inertia, h); };
    EXPECT_LT(distance(advance(advance(q, h1), h2), advance(q, h1 + h2)), 2e-14);
    EXPECT_LT(distance(advance(advance(q, h1), -h1), q), 2e-14);
    // A body frame turned by a third about (1, 1, 1), and by a quarter about x: all permutations.
    const double s = std::sqrt(0.5);
    const Quat third{0.5, 0.5, 0.5, 0.5}, quarter{s, s, 0, 0};
    const Quat cycled = rotate_freely_exact(q * third, L, {inertia.y, inertia.z, inertia.x}, h1);
    const Quat swapped = rotate_freely_exact(q * quarter, L, {inertia.x, inertia.z, inertia.y}, h1);
    EXPECT_LT(distance(cycled, advance(q, h1) * third), 1e-14);
    EXPECT_LT(distance(swapped, advance(q, h1) * quarter), 1e-14);
  }
}

TEST(FreeRotationExact, TakesManyPeriodsInOneStep) {
  Random random(17);
  for (int i = 0; i < 200; ++i) {
    const Vec3 inertia{random.number(0.3, 1), random.number(0.3, 1), random.number(0.3, 1)};
    const Quat q = random.rotation();
    const Vec3 L = random.direction();
    Quat stepped = q;
    for (int k = 0; k < 64; ++k) stepped = rotate_freely_exact(stepped, L, inertia, 8);
    // 512 s at up to 3 rad/s, where an error of the phase of one step grows with the number of steps left
    EXPECT_LT(distance(stepped, rotate_freely_exact(q, L, inertia, 512)), 1e-10);
  }
}

TEST(FreeRotationExact, KeepsTheEnergyOverTheFlipsOfDzhanibekov) {
  const Vec3 inertia{1, 2, 3}, L = scale(inertia, {0.01, 2, 0.01});
  Quat q;
  const double start = energy(q, L, inertia);
  double previous = start, worst_step = 0, worst = 0;
  for (int i = 0; i < 60000; ++i) {
    q = rotate_freely_exact(q, L, inertia, 1.0 / 60);
    const double now = energy(q, L, inertia);
    worst_step = std::max(worst_step, std::abs(now - previous) / start);
    worst = std::max(worst, std::abs(now - start) / start);
    previous = now;
  }
  EXPECT_LT(worst_step, 6e-15);  // the largest of 60 000; their mean is near 6e-16
  EXPECT_LT(worst, 1e-12);
}

TEST(FreeRotationExact, RestsWithoutMomentumOrTime) {
  const Quat q = normalized(Quat{0.3, -0.2, 0.5, 0.7});
  EXPECT_EQ(rotate_freely_exact(q, {0, 0, 0}, {1, 2, 3}, 5), q);
  EXPECT_EQ(rotate_freely_exact(q, {1, 2, 3}, {1, 2, 3}, 0), q);
}

TEST(FreeRotationExact, TurnsUniformlyAboutPrincipalAxesForAnyTime) {
  for (const Vec3& inertia : {Vec3{1, 2, 3}, Vec3{1, 1, 3}, Vec3{1, 3, 3}, Vec3{2, 2, 2}, Vec3{1e-6, 1, 1}})
    for (int axis = 0; axis < 3; ++axis)
      for (const double angle : {1e-12, 0.01, 1.0, -10.0, 1000.0, 99999.0}) {
        Vec3 L, rotation;
        L[axis] = 2, rotation[axis] = angle;
        const Quat q = rotate_freely_exact({}, L, inertia, angle * inertia[axis] / 2);
        EXPECT_LT(distance(q, quaternion_from_rotation_vector(rotation)), 1e-15 * (1 + std::abs(angle)));
      }
}

TEST(FreeRotationExact, ComesToRestOnTheMiddleAxisAlongTheSeparatrix) {
  // a = c = 1/4 and n₁ = n₃: on the separatrix to the last bit. Any other orbit would turn back.
  const Vec3 inertia{3, 4, 6}, L{1, 0, 1};
  for (const double h : {1e3, 1e6, -1e3}) {
    const Quat q = rotate_freely_exact({}, L, inertia, h);
    EXPECT_LT(length(rotate_inverse(q, L) - Vec3{0, std::copysign(length(L), h), 0}), 1e-15);
    // From the middle axis on it turns uniformly, at 1/4.
    const Quat turn = quaternion_from_rotation_vector(L * 0.25);
    EXPECT_LT(distance(rotate_freely_exact({}, L, inertia, h + 1), turn * q), 2e-16 * std::abs(h));
  }
  const Vec3 middle{0, 1, 0}, still = rotate_inverse(rotate_freely_exact({}, middle, inertia, 1e9), middle);
  EXPECT_LT(length(still - middle), 1e-15);
}

TEST(FreeRotationExact, StaysFiniteAndUnitForExtremeInput) {
  Random random(19);
  const auto component = [&] {
    const double kind = random.number(0, 4), sign = random.number(-1, 1) < 0 ? -1 : 1;
    return kind < 1 ? 0.0 : kind < 2 ? sign : sign * random.magnitude(1e-300, 1e300);
  };
  for (int i = 0; i < 100000; ++i) {
    const bool wild = i % 2 == 0;
    const auto moment = [&] { return wild ? random.magnitude(1e-300, 1e300) : 1 + 1e-16 * random.magnitude(1, 1e16); };
    Vec3 inertia{moment(), moment(), moment()};
    if (i % 3 == 0) inertia.y = inertia.x;
    const Quat q = i % 5 == 0 ? Quat{} : random.rotation();
    const Vec3 L = i % 7 == 0 ? random.direction() : Vec3{component(), component(), component()};
    const double h = wild ? component() : random.magnitude(1e-12, 1e12);
    const Quat r = rotate_freely_exact(q, L, inertia, h);
    ASSERT_TRUE(is_finite(r)) << i;
    ASSERT_NEAR(dot(r, r), 1, 1e-14) << i;
  }
}

TEST(FreeRotationExact, KeepsTheEnergyInEveryCall) {
  Random random(23);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 inertia{random.number(0.2, 1), random.number(0.2, 1), random.number(0.2, 1)};
    const Quat q = random.rotation();
    const Vec3 L = random.direction();
    const Quat r = rotate_freely_exact(q, L, inertia, random.magnitude(1e-3, 1e5));
    EXPECT_NEAR(energy(r, L, inertia) / energy(q, L, inertia), 1, 1e-14);
  }
}

}  // namespace
}  // namespace rigor
