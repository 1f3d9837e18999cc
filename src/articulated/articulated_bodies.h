// The articulated-body algorithm (Featherstone 1983; 2008, chapter 7): the response of a tree to forces or impulses, in linear time.
//
// For a link i with the motion subspace S, its inertia I and the articulated inertia Iᴬ of everything it carries:
//
//   Iᴬ = I + Σ Xᵀ (Iᴬ − W Wᵀ) X over its children,   S' = S L⁻ᵀ with L Lᵀ = Sᵀ Iᴬ S,   W = Iᴬ S'
//   p  = bias force − forces + Σ Xᵀ (p + Iᴬ c + W z) of the children,   z = −S'ᵀ (p + Iᴬ c)                  towards the root
//   a  = X a_parent + c + S' ζ,   ζ = z − Wᵀ X a_parent,   q̈ = L⁻ᵀ ζ                                        towards the leaves
//
// c are the accelerations by velocities only. Without c the same two passes turn impulses into changes of velocity. The joint exerts
// the force Iᴬ a + p on its link: the reaction. S' instead of S makes the inner matrices identities. So H⁻¹ = Bᵀ B, where B takes forces to
// the numbers z of the first pass (Rodriguez, Jain and Kreutz-Delgado 1991): two forces J and K couple by J H⁻¹ Kᵀ = z_J · z_K.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "articulated/forest.h"

namespace rigor::articulated {

/// Where a link's joint is.
struct LinkPose {
  Vec3 x_a, x_b;  // m, centers of mass of the joint's bodies
  Vec3 p_b;       // m, origin of frame b
  Mat3 axes_a;    // columns: axes of frame a, unit, world
  Mat3 axes_b;    // of frame b; written only for joints with two free angles, whose second angle is about one of them
};

/// Sets the poses and velocities of a forest's bodies from coordinates. Bodies that carry trees are not changed. Here and below `poses` are
/// those of the joints, by link; entries of links without a joint are not written.
void place_bodies(const Forest& forest, const std::vector<StepJoint>& joints, std::span<const LinkCoordinates> at,
                  BodyState& state, std::vector<LinkPose>& poses);
/// The velocities alone, at the coordinates at which the bodies are.
void place_velocities(const Forest& forest, std::span<const LinkCoordinates> at, BodyState& state,
                      std::span<const LinkPose> poses);
/// Coordinates of the present poses; bodies that violate their joints move to the nearest allowed pose. Rates are not read.
void read_poses(const Forest& forest, const std::vector<StepJoint>& joints, BodyState& state,
                std::vector<LinkCoordinates>& at, std::vector<LinkPose>& poses);
/// The same as place_bodies() directly after read_poses(), with changed rates: poses change only in trees whose free root is normalised.
void place_again(const Forest& forest, const std::vector<StepJoint>& joints, std::span<const LinkCoordinates> at,
                 BodyState& state, std::vector<LinkPose>& poses);
/// Rates of the present velocities, joint by joint. `poses`: of the present state.
void read_rates(const Forest& forest, const std::vector<StepJoint>& joints, const BodyState& state,
                std::span<const LinkPose> poses, std::vector<LinkCoordinates>& at);

class ArticulatedBodies {
 public:
  /// Factorises at the poses of the state; `poses` are those of its joints. `added`, by slot, kg m², is added to the angular inertias; it
  /// may be empty.
  void factorise(const Forest& forest, std::span<const LinkPose> poses, const BodyState& state,
                 std::span<const Mat3> added = {});
  /// Computes c at the velocities of the state, which are those of the rates in `at`.
  void find_velocity_products(const std::vector<StepJoint>& joints, std::span<const LinkPose> poses,
                              const BodyState& state, std::span<const LinkCoordinates> at);

  /// Velocities of the links of a tree for given rates, at these poses; `state` has that of the tree's carrier.
  void velocities(int tree, std::span<const LinkCoordinates> rates, const BodyState& state, std::span<Twist> u) const;

  /// Accelerations of the links of a tree with q̈ = 0: a = X a_parent + c. Call find_velocity_products() first.
  void velocity_accelerations(int tree, std::span<Twist> a) const;

  /// The two passes over one tree. `p`: by link, minus the forces or impulses on it; those of the children are added to it.
  void propagate(int tree, bool with_velocity_products, std::span<Wrench> p, std::span<Twist> a);
  /// The first pass alone for forces, or impulses, on one or two links (−1: none): visit(link, k, z) for those on the ways to their roots.
  template <class Visit> void reduce(int a, Wrench on_a, int b, Wrench on_b, const Visit& visit) const;
  /// Number of coordinates of a link.
  int count(int link) const { return parts_[static_cast<std::size_t>(link)].count; }
  /// q̈ of the last propagate() over the tree of this link.
  std::array<double, 6> rates(int link) const;
  /// The force of a link's joint, after propagate(): Iᴬ a + p.
  Wrench reaction(int link, const Twist& a, const Wrench& p) const {
    return parts_[static_cast<std::size_t>(link)].inertia * a + p;
  }
  const Forest& forest() const { return *forest_; }
  /// c of a link, after find_velocity_products().
  const Twist& velocity_product(int link) const { return parts_[static_cast<std::size_t>(link)].c; }
  /// From the parent's center of mass to the link's; zero for links without a carrier, m.
  const Vec3& from_parent(int link) const { return parts_[static_cast<std::size_t>(link)].r; }
  /// Column k of the motion subspace S of a link.
  const Twist& axis(int link, int k) const {
    return parts_[static_cast<std::size_t>(link)].S[static_cast<std::size_t>(k)];
  }

 private:
  struct Part {
    int count = 0;
    Vec3 r;  // m, from the parent's center of mass
    std::array<Twist, 6> S{}, S_unit{};
    std::array<Wrench, 6> W{};
    std::array<double, 36> L{};
    SpatialInertia inertia;  // Iᴬ
    Twist c;
    std::array<double, 6> z{};  // and ζ, of the last propagate()
  };

  static void set_subspace(const Link& link, const LinkPose& pose, const BodyState& s, Part& part);
  static void normalise(Part& part);

  const Forest* forest_ = nullptr;
  std::vector<Part> parts_;  // by link
};

template <class Visit>
void ArticulatedBodies::reduce(int a, Wrench on_a, int b, Wrench on_b, const Visit& visit) const {
  while (a >= 0 || b >= 0) {
    if (a < b) std::swap(a, b), std::swap(on_a, on_b);  // links come after their parents
    if (a == b) on_a += on_b, b = -1;
    const Part& part = parts_[static_cast<std::size_t>(a)];
    const auto n = static_cast<std::size_t>(part.count);
    std::array<double, 6> z;
    for (std::size_t k = 0; k < n; ++k) z[k] = dot(part.S_unit[k], on_a);
    for (std::size_t k = 0; k < n; ++k) visit(a, static_cast<int>(k), z[k]);
    a = forest_->links[static_cast<std::size_t>(a)].parent;
    if (a < 0) continue;
    for (std::size_t k = 0; k < n; ++k) on_a += -z[k] * part.W[k];
    on_a = passed_on(on_a, part.r);
  }
}

}  // namespace rigor::articulated
