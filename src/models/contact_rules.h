// MJCF's rules of contact in terms of collision groups and pairs of materials.
//
// Two geoms collide if (contype₁ & conaffinity₂) | (contype₂ & conaffinity₁) ≠ 0. Of two that touch, the one with the higher priority
// gives friction and condim; with equal ones the larger of both counts. condim 1 has no friction, 3 slides, 4 also resists spinning
// about the normal, 6 rolling as well.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

  /// Links share a class if they have the same bits and the same partners in pairs.
  struct Class {
    Bits bits{0, 0};
    int link = kWorld;  // the first of those with these partners; kWorld: those that are in no pair
    bool operator==(const Class&) const = default;
  };
  Class class_of(int i) const;
  bool do_collide(const Class& a, const Class& b) const;
  /// True if each geom of link a collides with each of link b by its type or by a pair of its own.
  bool is_complete(int a, int b) const;
  void look_at_partners();
  void collect();

  const Robot& robot_;
  std::vector<Class> classes_;           // by collision group
  std::set<std::pair<int, int>> pairs_;  // of links, in both orders
  std::map<int, int> representative_;    // of links in pairs: the first one with the same bits and partners
  std::map<std::pair<int, int>, std::set<std::pair<std::string, std::string>>>
      named_pairs_;                                   // geoms by links, each in order
  std::map<int, std::map<Bits, std::size_t>> solid_;  // of links in pairs: how many geoms collide with these bits
  bool has_pairs_ = false;                            // there are groups for the pairs
};

}  // namespace rigor::models
