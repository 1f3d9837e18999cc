// Finds contacts of light bodies that heavy ones squeeze, once a step (LightClusters).
//
// Gauss–Seidel carries a load through a body of mass m to a body of mass M in about M / m sweeps. A body is light if something at
// least `kUnequal` times as heavy touches it, directly or through other light bodies. Light bodies that touch each other form a
// cluster, as far as it stays small; the contacts of a cluster are solved at once (contact_clusters.cpp), so that what is left for
// the sweeps are bodies of like masses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"

namespace rigor {

struct LightCluster {
  std::uint32_t begin = 0, end = 0;  // of contacts()
  std::uint32_t body = 0;            // a slot of it
  double acceleration = 0;           // m/s², that forces give this body
};

class LightClusters {
 public:
  void find(const ConstraintList& list, const BodyState& state);
  bool empty() const { return clusters_.empty(); }
  void clear() { clusters_.clear(), contacts_.clear(); }
  std::span<const LightCluster> clusters() const { return clusters_; }
  /// Indices into ConstraintList::contacts, cluster by cluster.
  std::span<const std::uint32_t> contacts() const { return contacts_; }

 private:
  struct Member {
    std::uint32_t cluster, contact, body;
  };
  void find_light(const ConstraintList& list, const BodyState& state);
  void unite(const ConstraintList& list, std::uint32_t awake);
  void collect(const ConstraintList& list, const BodyState& state);
  std::uint32_t root(std::uint32_t i);

  std::vector<double> heaviest_;       // kg by slot: the heaviest body that squeezes it; 0: none, it is not light
  std::vector<std::uint32_t> parent_;  // by slot: disjoint sets of light bodies
  std::vector<int> size_;              // by root: points of contacts
  std::vector<std::uint32_t> order_;   // by root: number of the cluster
  std::vector<Member> members_;
  std::vector<LightCluster> clusters_;
  std::vector<std::uint32_t> contacts_;
};

}  // namespace rigor
