// MJCF: the model format of MuJoCo.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "models/ledger.h"
#include "models/mjcf_defaults.h"
#include "models/robot.h"
#include "models/shapes.h"

namespace rigor::models {

std::span<const Treatment> mjcf_table();

/// Settings of <compiler>.
struct MjcfCompiler {
  bool degrees = true;
  bool autolimits = true;
  std::string eulerseq = "xyz";
  int inertia_from_geom = 2;  // 0: never, 1: always, 2: where no <inertial> is given
  int inertia_groups[2] = {0, 5};
  double bound_mass = 0, bound_inertia = 0, set_total_mass = -1;
  bool balance_inertia = false, discard_visual = false, strip_path = false;
  std::string mesh_folder, texture_folder, asset_folder;
};

class MjcfReader {
 public:
  MjcfReader(const Element& root, const FileAccess& files, const ModelOptions& options, Ledger& ledger);

  Robot read();
  const std::vector<std::unique_ptr<XmlFile>>& included_files() const { return included_; }

 private:
  struct Mesh {
    MeshCache::Entry entry;
    Element where;
    std::string trouble;  // why it could not be read; empty if it was
  };
  struct Site {
    int link = kWorld;
    Transform pose;
    ShapePtr zone;  // A touch sensor at the site measures contacts within it.
  };
  struct MjcfTexture {
    Texture texture;
    Vec3 mean{1, 1, 1};     // colour that replaces it where textures are not drawn
    bool is_drawn = false;  // false if it could not be read, or is the sky
  };
  struct MjcfMaterial {
    std::optional<Vec3> color;
    std::string texture;  // empty: none
    std::array<double, 2> repeat{1, 1};
    bool per_metre = false;
  };
  /// Length of a fixed tendon: the sum of coefficient times coordinate.
  using FixedTendon = std::vector<std::pair<std::string, double>>;
  /// What surrounds an element: the class of its defaults and a frame that it stands in.
  struct Context {
    std::string child_class;
    Transform frame;
    std::string suffix;  // of names, within <replicate>
    int depth = 0;
  };

  // mjcf.cpp
  /// All children of the sections of this name, at the top level.
  std::vector<Element> sections(const char* name) const;
  std::vector<Element> in_sections(const char* name) const;
  void expand_includes(const Element& parent, int depth);
  void include(const Element& e, int depth);
  std::vector<Element> children(const Element& parent) const;
  /// Mistakes that have been collected so far; with any, the robot is of no use.
  std::size_t mistake_count() const { return root_.file()->mistakes ? root_.file()->mistakes->sentences().size() : 0; }
  void read_compiler(const Element& e);
  void read_options(const Element& e);
  /// A name stands for one element of its kind, as in MuJoCo. It is a mistake of the file if another one has it.
  void take_name(const Element& e, const char* kind, const std::string& name);
  void read_asset(const Element& e);
  void read_mesh(const Element& e);
  void read_height_field(const Element& e);
  void read_keyframe();
  /// Lists what scenes do not hold: keyframes that are not chosen, sites, names of actuators and ranges of their controls.
  void list_lost() const;
  void check_keyframes();
  /// How many numbers a joint has in qpos and in qvel, and their sum over all joints.
  static unsigned position_count(const JointSpec& j);
  static unsigned velocity_count(const JointSpec& j);
  std::size_t total(unsigned (*count)(const JointSpec&)) const;
  void read_positions(const Element& key);
  void read_velocities(const Element& key);
  void finish_masses();
  /// It is a mistake of the file if the mass of a link depends on a mesh that could not be read.
  void refuse_unread_masses();

  // mjcf_visual.cpp
  void read_texture(const Element& e);
  void read_picture(const Element& e, const std::string& file, MjcfTexture& made);
  void read_sky(const Element& e, const Texture& texture);
  void read_material(const Element& e);
  /// Colour and texture of a geom.
  void paint(const Attributes& a, const std::string& type, Geom& geom);
  void read_light(const Element& e, int link, const Context& context);
  void read_camera(const Element& e, int link, const Context& context);
  void find_camera_targets();
  void read_visual(const Element& section);
  void read_statistic(const Element& e);
  void set_view();

  // mjcf_sensors.cpp
  void read_sensor(const Element& e);
  /// Cameras without a name, and those with the name of another, get a number. So do sensors.
  void number_equal_names();
  bool find_frame(const Element& e, SensorMount& mount);
  ShapePtr site_zone(const Attributes& a, std::optional<double> half) const;

  // mjcf_inertia.cpp
  void set_springs_by_time();

  // mjcf_bodies.cpp
  void read_body_content(const Element& e, int link, const Context& context);
  void read_body_part(const Element& e, int link, const Context& context);
  void read_body(const Element& e, int parent, const Context& context);
  void replicate(const Element& e, int link, const Context& context);
  void read_frame(const Element& e, int link, const Context& context);
  void read_joint(const Element& e, int link, const Context& context);
  void read_geom(const Element& e, int link, const Context& context);
  void read_site(const Element& e, int link, const Context& context);
  void read_inertial(const Element& e, int link, const Context& context);
  /// False when the geom has no shape here. `solid` has the mass of the geom at 1 kg/m³ where it has one.
  bool make_shape(const Attributes& a, const std::string& type, Geom& geom, MassProperties& solid);
  /// Collision groups: 32 bits, of which −1 has all.
  static std::uint32_t read_bits(const Attributes& a, const char* attribute);
  bool make_mesh(const Attributes& a, Geom& geom, MassProperties& solid);
  /// A mesh that could not be read is a mistake of the file where its geom collides or gives mass, and else a note.
  void leave_out_mesh(const Attributes& a, const Mesh& mesh, const Geom& geom, int link);
  bool make_height_field(const Attributes& a, Geom& geom);
  /// Half length along the axis, from `fromto`; the pose is moved and turned with it.
  std::optional<double> read_ends(const Attributes& a, Transform& pose) const;
  void remember(const std::string& name, const std::string& suffix);
  Transform read_pose(const Attributes& a) const;
  Quat read_orientation(const Attributes& a) const;
  /// The number of dimensions of a contact: 1, 3, 4 or 6.
  static int read_condim(const Attributes& a, int usual);
  Material read_surface(const Attributes& a, int condim);
  /// Red, green, blue and opacity; `usual` stands for numbers that are not given.
  static std::array<double, 4> read_color(const Attributes& a, double usual);
  double angle(double value) const { return compiler_.degrees ? value * kPi / 180 : value; }

  // mjcf_couplings.cpp
  void read_equality(const Element& e);
  void read_tendon(const Element& e);
  void read_spatial_tendon(const Element& e, const Attributes& a);
  void read_fixed_tendon(const Element& e, const Attributes& a);
  static double quotient(const Element& e, double length, double coefficient);
  void read_tendon_equality(const Element& e, const Attributes& a);
  /// Force of an actuator: control · u + p (offset − q) − d q̇, before its gear.
  struct ServoGains {
    double p = 0, d = 0, offset = 0;
    double control = 0;  // force per control
    double ratio = 0;    // of the damping, in addition to d
    Element ratio_source;
  };
  /// Returns the value of a gain or loss, or zero with a note if it is negative.
  double not_negative(const Attributes& a, const char* attribute, double value);
  /// The bounds of a pair of attributes such as ctrlrange and ctrllimited; none if they are switched off. A pair of 0 and 0 counts as not given.
  std::optional<std::array<double, 2>> bounds(const Attributes& a, const char* range, const char* limited) const;
  /// None for kinds of actuators that do not exist here.
  std::optional<ServoGains> servo_gains(const Element& e, const Attributes& a);
  /// `coefficient`: length of the tendon that it pulls at, per coordinate.
  void set_motor(const Element& e, const Attributes& a, JointSpec& joint, double coefficient);
  void read_actuator(const Element& e);
  /// Its own attributes, those of its class, and those that the class has for other kinds of actuators.
  Attributes attributes_of_actuator(const Element& e);
  /// Finds all actuators, which sensors may name, before they are read.
  void list_actuators();
  /// Makes a sensor of an actuator one of its joint. False, with a note, where the joint does not measure the same.
  bool find_actuator(const Element& e, SceneSensor& sensor);
  void share_motor(const Element& e, const Attributes& a, const FixedTendon& joints);
  /// Forces of several actuators of a joint add up.
  void bound_motors();
  void read_contact(const Element& e);
  void read_pair(const Element& e);
  void note_constant(const Attributes& a, double constant);
  /// Fixes a coordinate.
  static void hold(JointSpec& joint, double coordinate);
  JointSpec* find_joint(const std::string& name);
  const Site& find_site(const Element& e, const std::string& name, const std::string& suffix) const;
  int find_link(const Element& e, const char* attribute) const;

  static constexpr std::size_t kMostParts = 5'000'000;  // of all bodies and their replicas: seconds
  std::size_t parts_ = 0;

  static constexpr std::size_t kMostTimedJoints = 2000;  // the inverse of their mass matrix takes seconds
  struct TimedSpring {
    int link, number;
    double time, ratio;  // s, -
    Element where;
  };
  struct RatioServo {
    std::string joint;
    double gear, stiffness, ratio;
    Element where;
  };

  Element root_;
  const FileAccess& files_;
  const ModelOptions& options_;
  Ledger& ledger_;
  Robot robot_;
  MjcfCompiler compiler_;
  MjcfDefaults defaults_;
  std::vector<std::unique_ptr<XmlFile>> included_;
  std::map<std::size_t, std::vector<Element>> included_by_;  // by <include>: what stands in its place
  std::set<std::string> open_files_;
  bool is_complete_ = true;                             // false: a part of the model that may have joints is left out
  std::map<std::string, std::set<std::string>> names_;  // by kind; those of bodies and joints are below
  std::map<std::string, Mesh> meshes_;
  std::map<std::string, ShapePtr> height_fields_;
  static constexpr std::size_t kMostHeightSamples = 40'000'000;  // of all height fields: about 1 GB
  std::size_t height_samples_ = 0;
  MeshCache mesh_cache_;
  std::map<std::string, MjcfTexture> textures_;
  std::size_t picture_bytes_ = 0;  // of textures_
  std::map<std::string, MjcfMaterial> materials_;
  /// By name of the texture, tint, repeats and whether they count per metre: the index in Robot::textures.
  std::map<std::tuple<std::string, std::string, double, double, bool>, int> painted_;
  std::vector<std::pair<std::size_t, Element>> targets_;  // index of a camera, and the element that names its target
  // The initial view; angles are in degrees.
  bool has_view_ = false;
  double azimuth_ = 90, elevation_ = -45;
  std::optional<Vec3> center_;
  std::optional<double> extent_;
  std::map<std::string, Site> sites_;
  std::size_t control_ranges_ = 0;  // of actuators
  std::optional<std::map<std::string, std::optional<Attributes>>>
      actuator_of_name_;                           // none for those that have a mistake; see list_actuators()
  std::map<std::string, int> actuators_of_joint_;  // how many
  std::set<std::string> paired_geoms_;             // by name: they collide at least in pairs
  std::set<std::string> left_out_geoms_;           // by name: their shapes could not be read
  std::map<std::string, std::pair<int, std::size_t>> geom_of_name_;  // link, index among its geoms
  std::map<std::string, FixedTendon> fixed_tendons_;
  std::map<std::string, int> link_of_name_;
  std::map<std::string, std::pair<int, int>> joint_of_name_;  // link, number of its joint
  std::vector<Transform> poses_;                              // of the links in the world, as the file has them
  std::vector<std::pair<int, int>> joint_order_;              // as in qpos
  std::vector<std::optional<MassProperties>> given_mass_;     // by link: of <inertial>
  std::vector<MassProperties> geom_mass_;                     // by link: of its geoms
  std::vector<std::pair<int, const Mesh*>> unread_masses_;    // meshes that could not be read and give a link mass
  std::vector<std::pair<int, Element>> hull_masses_;          // geoms with the mass of a convex hull, and their link
  std::map<std::string, std::vector<std::string>> replicas_;  // by name: the suffixes that its copies have
  std::vector<TimedSpring> timed_springs_;
  std::vector<RatioServo> ratio_servos_;
  std::vector<std::pair<std::string, double>>
      servo_gain_;  // by actuator: the joint whose servo its control drives, and its force there per control
};

}  // namespace rigor::models
