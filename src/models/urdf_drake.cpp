// What Drake adds to URDF: groups of links that do not collide, and rotors of actuators.
#include <map>
#include <set>
#include <string>

#include "io/json_text.h"
#include "models/urdf.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

/// Pairs of links that groups separate. A file can name groups of thousands of links, whose pairs are listed.
constexpr std::size_t kMostPairs = 1'000'000;

bool is_ignored(const Element& group) {
  const std::string text = group.text("ignore");
  return text == "true" || text == "1";
}

class FilterGroups {
 public:
  FilterGroups(const Element& root, Robot& robot, Ledger& ledger) : robot_(robot), ledger_(ledger) {
    for (std::size_t i = 0; i < robot.links.size(); ++i) links_.emplace(robot.links[i].name, static_cast<int>(i));
    for (const Element& e : root.children("drake:collision_filter_group"))
      if (!is_ignored(e)) groups_[e.text("name")].push_back(e);
  }

  void separate() {
    for (const auto& [name, elements] : groups_)
      for (const Element& e : elements) {
        for (const Element& other : e.children("drake:ignored_collision_filter_group")) {
          if (!check_group(other)) continue;
          if (!exclude(members_of(name), members_of(other.text("name")))) {
            ledger_.skip(other, Kind::ignored, "more than a million pairs of links do not collide; the others do");
            return;
          }
        }
      }
  }

 private:
  bool check_group(const Element& reference) {
    if (groups_.contains(reference.text("name"))) return true;
    ledger_.note(reference, "", Kind::ignored, "there is no group named '" + short_text(reference.text("name")) + "'");
    return false;
  }

  /// The links of a group and of those that are members of it.
  const std::set<int>& members_of(const std::string& name) {
    const auto [found, is_new] = members_.try_emplace(name);
    if (!is_new) return found->second;
    std::set<std::string> seen{name};
    std::vector<std::string> open{name};
    while (!open.empty()) {
      const std::string group = open.back();
      open.pop_back();
      for (const Element& e : groups_.at(group)) {
        for (const Element& member : e.children("drake:member")) add(member, found->second);
        for (const Element& member : e.children("drake:member_group"))
          if (check_group(member) && seen.insert(member.text("name")).second) open.push_back(member.text("name"));
      }
    }
    return found->second;
  }

  void add(const Element& member, std::set<int>& links) {
    const auto found = links_.find(member.text("link"));
    if (found == links_.end())
      ledger_.note(member, "", Kind::ignored, "there is no link named '" + short_text(member.text("link")) + "'");
    else
      links.insert(found->second);
  }

  bool exclude(const std::set<int>& one, const std::set<int>& other) {
    count_ += one.size() * other.size();
    if (count_ > kMostPairs) return false;
    for (const int i : one)
      for (const int k : other)
        if (i != k) robot_.exclusions.emplace_back(i, k);
    return true;
  }

  Robot& robot_;
  Ledger& ledger_;
  std::map<std::string, int> links_;
  std::map<std::string, std::vector<Element>> groups_;  // by name
  std::map<std::string, std::set<int>> members_;        // the same, the links of each
  std::size_t count_ = 0;                               // pairs
};

/// The value of a child, as a number that is not negative.
double value_of(const Element& actuator, const char* name, double usual) {
  const Element e = actuator.child(name);
  const double value = e ? e.number("value", usual) : usual;
  if (value >= 0) return value;
  e.attempt([&] { e.fail("value: must not be negative"); });
  return usual;
}

/// A rotor behind a gear of ratio n resists like n² times its inertia at the joint.
void read_rotors(const Element& root, Robot& robot) {
  std::map<std::string, JointSpec*> joints;
  for (Link& link : robot.links)
    for (JointSpec& joint : link.joints) joints.emplace(joint.name, &joint);
  for (const Element& transmission : root.children("transmission"))
    for (const Element& actuator : transmission.children("actuator"))
      actuator.attempt([&] {
        const Element rotor = actuator.child("drake:rotor_inertia");
        const double ratio = value_of(actuator, "drake:gear_ratio", 1);
        const double inertia = ratio * ratio * value_of(actuator, "drake:rotor_inertia", 0);
        if (!rotor || inertia == 0) return;
        rotor.check_range("value", inertia, kPositionRange, "an inertia in kg m², as seen behind the gear,");
        for (const Element& e : transmission.children("joint"))
          if (const auto found = joints.find(e.text("name")); found != joints.end()) {
            found->second->armature = inertia;
            found->second->armature_source = rotor;
          }
      });
}

}  // namespace

void read_drake_extensions(const Element& root, Robot& robot, Ledger& ledger) {
  FilterGroups(root, robot, ledger).separate();
  read_rotors(root, robot);
  for (Link& link : robot.links) add_armature(robot, link, ledger);
}

}  // namespace rigor::models
