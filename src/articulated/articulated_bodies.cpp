#include "articulated/articulated_bodies.h"

#include <cmath>

namespace rigor::articulated {

namespace {

SpatialInertia inertia_of(const BodyState& s, std::uint32_t slot) {
  const double m = 1 / s.inverse_mass[slot];
  const Mat3 R = rotation_matrix(s.orientation[slot]);
  Mat3 ww;  // R diag(I) Rᵀ
  for (int i = 0; i < 3; ++i) {
    const Vec3 scaled = scale(R.row[i], s.inertia[slot]);
    ww.row[i] = {rigor::dot(scaled, R.row[0]), rigor::dot(scaled, R.row[1]), rigor::dot(scaled, R.row[2])};
  }
  return {Mat3::diagonal({m, m, m}), {}, ww};
}

double& entry(std::array<double, 36>& L, std::size_t i, std::size_t j) { return L[6 * i + j]; }

}  // namespace

/// Gram–Schmidt in the metric Iᴬ computes L by columns, with S' and W.
void ArticulatedBodies::normalise(Part& p) {
  const auto n = static_cast<std::size_t>(p.count);
  for (std::size_t k = 0; k < n; ++k) {
    p.S_unit[k] = p.S[k];
    for (std::size_t j = 0; j < k; ++j) {
      const double l = dot(p.S_unit[k], p.W[j]);
      entry(p.L, k, j) = l;
      p.S_unit[k] += -l * p.S_unit[j];
    }
    const Wrench w = p.inertia * p.S_unit[k];
    const double length = std::sqrt(dot(p.S_unit[k], w));
    entry(p.L, k, k) = length;
    p.S_unit[k] = (1 / length) * p.S_unit[k];
    p.W[k] = (1 / length) * w;
  }
}

void ArticulatedBodies::factorise(const Forest& forest, std::span<const LinkPose> poses, const BodyState& s,
                                  std::span<const Mat3> added) {
  forest_ = &forest;
  parts_.resize(forest.links.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    set_subspace(forest.links[i], poses[i], s, parts_[i]);
    parts_[i].inertia = inertia_of(s, forest.links[i].slot);
    if (!added.empty()) parts_[i].inertia.ww = parts_[i].inertia.ww + added[forest.links[i].slot];
  }
  for (std::size_t i = parts_.size(); i-- > 0;) {
    Part& part = parts_[i];
    normalise(part);
    const int parent = forest.links[i].parent;
    if (parent < 0) continue;
    SpatialInertia rest = part.inertia;
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) subtract_square(rest, part.W[k]);
    parts_[static_cast<std::size_t>(parent)].inertia += passed_on(rest, part.r);
  }
}

void ArticulatedBodies::velocity_accelerations(int tree, std::span<Twist> a) const {
  for (int link = forest_->begin(tree); link < forest_->begin(tree + 1); ++link) {
    const auto i = static_cast<std::size_t>(link);
    const int parent = forest_->links[i].parent;
    a[i] = parent < 0 ? parts_[i].c : carried(a[static_cast<std::size_t>(parent)], parts_[i].r) + parts_[i].c;
  }
}

void ArticulatedBodies::propagate(int tree, bool with_velocity_products, std::span<Wrench> p, std::span<Twist> a) {
  const auto begin = static_cast<std::size_t>(forest_->begin(tree));
  const auto end = static_cast<std::size_t>(forest_->begin(tree + 1));
  for (std::size_t i = end; i-- > begin;) {
    Part& part = parts_[i];
    Wrench whole = p[i];
    if (with_velocity_products) whole += part.inertia * part.c;
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) part.z[k] = -dot(part.S_unit[k], whole);
    const int parent = forest_->links[i].parent;
    if (parent < 0) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) whole += part.z[k] * part.W[k];
    p[static_cast<std::size_t>(parent)] += passed_on(whole, part.r);
  }
  for (std::size_t i = begin; i < end; ++i) {
    Part& part = parts_[i];
    const int parent = forest_->links[i].parent;
    a[i] = parent < 0 ? Twist{} : carried(a[static_cast<std::size_t>(parent)], part.r);
    const Twist from_parent = a[i];
    if (with_velocity_products) a[i] += part.c;
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.count); ++k) {
      part.z[k] -= dot(from_parent, part.W[k]);
      a[i] += part.z[k] * part.S_unit[k];
    }
  }
}

std::array<double, 6> ArticulatedBodies::rates(int link) const {
  const Part& part = parts_[static_cast<std::size_t>(link)];
  std::array<double, 6> q = part.z;
  const auto n = static_cast<std::size_t>(part.count);
  for (std::size_t k = n; k < 6; ++k) q[k] = 0;
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) q[k] -= part.L[6 * j + k] * q[j];
    q[k] /= part.L[6 * k + k];
  }
  return q;
}

}  // namespace rigor::articulated
