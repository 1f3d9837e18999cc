// The constraints of a step, ready to write rows: joints and contacts with the slots of their bodies in the
// arrays. Plain data without callbacks; the world is not defined here, so that solvers cannot reach it.
#pragma once

#include <array>
#include <vector>

#include "constraints/contact_geometry.h"
#include "rigor/contacts.h"
#include "rigor/joints.h"
#include "rigor/state.h"
#include "state/rows.h"
#include "threads/parallel.h"

namespace rigor {

class World;

struct StepJoint {
  JointId id;
  const JointDef* def = nullptr;
  JointState* memory = nullptr;  // writing rows only reads it
  std::uint32_t slot_a = 0, slot_b = 0;
  Transform frame_a, frame_b;  // in the principal frames
  // For a gear: the joints that it couples, as indices into ConstraintList::joints; -1: not in the list.
  int first = -1, second = -1;
};

/// Refers to the present slots of its bodies; a gear's joints are not filled in.
StepJoint step_joint(const World& world, JointId id, const JointDef& def, JointState* memory);

struct StepContact {
  Contact* contact = nullptr;
  std::uint32_t slot_a = 0, slot_b = 0;
  int geometry = -1;  // of its first point in ConstraintList::geometry; -1: points are fixed in both bodies
  // Copied from the contact, which is farther away in memory.
  int points = 0;
  std::uint64_t pair = 0;  // the indices of the ids of a and b; the list is sorted by it
};

struct ConstraintList {
  std::vector<StepJoint> joints;          // in the order of their ids' indices
  std::vector<StepContact> contacts;      // in the order of the contact list
  bool has_all_contacts = true;           // of it
  std::vector<ContactGeometry> geometry;  // one per contact point, or none

  // Written by collect(), indices of joints.
  std::vector<std::uint32_t> remembering;  // servos with an integral, gears
  std::vector<std::uint32_t> breakable;    // of finite strength

  /// Collects the constraints of awake bodies. Joints are cached from the last call while they are valid.
  void collect(World& world, ContactList& found, const ThreadPool* threads = nullptr);
  void clear() { *this = {}; }
  /// A number that changes with the joints and with the slots of their bodies and is unique to this list. 0: none.
  std::uint64_t version() const { return version_; }
  /// Fills `geometry` for methods that evaluate contacts at changed poses.
  void describe_surfaces(const World& world);
  /// All joints that are active and not broken, also between sleeping bodies; `memories` owns the states that they point to.
  void collect_joints(const World& world, std::vector<JointState>& memories);

 private:
  /// What the joints were collected from; pointers into a world are valid as long as it stays at its address.
  struct Source {
    std::uint64_t definitions = 0;
    JointId id;                     // of the first joint of the world
    const JointDef* def = nullptr;  // its address
    std::vector<std::uint32_t> id_index;
    std::array<std::uint32_t, kBodySetCount> set_end{};
    std::vector<const JointState*> broken;
  };

  bool holds(const World& world) const;
  void collect_active(World& world);
  void add_joint(const StepJoint& joint);
  void link_gears();

  Source source_;
  std::uint64_t version_ = 0;
};

/// Updates integrals of servo errors and angles of gears at the end of a step of h seconds: the state of joints from step to step besides
/// their multipliers.
void update_joint_memories(const ConstraintList& list, const BodyState& state, double h);
bool is_overloaded(const JointDef& def, const JointState& memory);

}  // namespace rigor
