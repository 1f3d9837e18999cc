// MJCF's rules of contact in terms of collision groups and pairs of materials.
//
// Two geoms collide if (contype₁ & conaffinity₂) | (contype₂ & conaffinity₁) ≠ 0. Of two that touch, the one with the higher priority
// gives friction and condim; with equal ones the larger of both counts. condim 1 has no friction, 3 slides, 4 also resists spinning
// about the normal, 6 rolling as well.
#pragma once

#include <set>

#include "models/robot.h"

namespace rigor::models {

class ContactRules {
 public:
  explicit ContactRules(const Robot& robot);

  /// Group and mask of the body of link i.
  void set_groups(int i, BodyDef& def, Ledger& ledger) const;
  /// Notes what becomes of every pair of the model: its two bodies collide, or do not, and why.
  void note_pairs(Ledger& ledger) const;
  /// Exceptions for pairs of the materials in use, where the larger friction is not what MJCF says.
  MaterialRules material_rules(const std::set<std::string>& used, Ledger& ledger) const;

 private:
  using Bits = std::pair<std::uint32_t, std::uint32_t>;  // contype, conaffinity
  Bits bits_of(const Link& link) const;

  /// Links of pairs have a class of their own, others share one by their bits.
  struct Class {
    Bits bits{0, 0};
    int link = kWorld;  // the only one; kWorld: all with these bits that are in no pair
    bool operator==(const Class&) const = default;
  };
  Class class_of(int i) const;
  bool do_collide(const Class& a, const Class& b) const;
  void collect();

  const Robot& robot_;
  std::vector<Class> classes_;           // by collision group
  std::set<std::pair<int, int>> pairs_;  // of links, in both orders
  std::set<int> paired_;                 // links of pairs
  bool has_pairs_ = false;               // there are groups for the pairs
};

}  // namespace rigor::models
