// What <gazebo>, <transmission> and <ros2_control> say about the motion: friction, weight, collisions and springs of links and joints, and which joints a
// motor holds. The rest of them is for plugins, sensors and solvers of other programs; urdf_table() lists it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/ledger.h"
#include "models/robot.h"
#include "rigor/math.h"

namespace rigor::models {

struct GazeboLink {
  std::optional<double> friction, restitution;
  bool has_weight = true;
  std::optional<bool> collides_with_own;  // with other links of the robot that no joint connects to it
  std::optional<Vec3> color;              // sRGB, of a material of Gazebo
  Element color_source;
};
struct GazeboJoint {
  double stiffness = 0, rest = 0;  // of a spring
};

class UrdfExtensions {
 public:
  UrdfExtensions(const Element& robot, Ledger& ledger);

  /// Notes elements that refer to nothing of the robot, or to a joint where a link is meant, or the other way round.
  void check_names(const std::map<std::string, Element>& links, const std::map<std::string, Element>& joints);

  /// What is said of a link or joint; the defaults if nothing is.
  const GazeboLink& link(const std::string& name) const;
  const GazeboJoint& joint(const std::string& name) const;
  /// True for joints whose position or velocity a transmission commands: they rest until something drives them.
  bool is_held(const std::string& joint) const { return held_.contains(joint); }
  /// What plugins of Gazebo make follow other joints, as <mimic> does.
  const std::vector<Mimic>& mimics() const { return mimics_; }
  bool follows(const std::string& joint) const { return followers_.contains(joint); }
  bool is_static() const { return is_static_; }
  bool has_friction() const { return has_friction_; }

 private:
  void read_gazebo(const Element& e);
  void read_mimic_plugin(const Element& e);
  void read_surface(const Element& e, GazeboLink& link);
  /// `first` holds the coefficient of the first direction; `e` holds that of the second one, mu2, and the direction.
  void read_friction(const Element& e, const Element& first, GazeboLink& link);
  /// The coefficient of an element, from 0 to `most`; none, with a note, if it is another number.
  std::optional<double> coefficient(const Element& e, double most);
  void read_color(const Element& e, GazeboLink& link);
  void read_transmission(const Element& e);
  void read_control(const Element& e);
  /// Notes a word that is none of the known interfaces. `attribute` empty: the text of the element.
  template <std::size_t N>
  void note_unknown(const Element& e, const char* attribute, const std::string& word,
                    const std::string_view (&known)[N]);
  /// The number or the switch that an element holds as text or as its attribute `value`; none, with a note, if it holds neither.
  std::optional<double> number(const Element& e);
  std::optional<bool> flag(const Element& e);

  Ledger& ledger_;
  std::map<std::string, GazeboLink> links_;
  std::map<std::string, GazeboJoint> joints_;
  std::vector<std::pair<std::string, Element>> references_;  // names of links or joints, and where they stand
  std::vector<std::pair<std::string, Element>> driven_;      // the same for joints
  std::set<std::string> held_, followers_;
  std::vector<Mimic> mimics_;
  bool is_static_ = false, has_friction_ = false;
};

/// Adds the sensors of <gazebo> elements, and those of the robot itself, to a robot whose links have been read.
void read_sensors(const Element& root, Robot& robot, Ledger& ledger);

}  // namespace rigor::models
