// The definitions of a world in snapshot files: bodies, forces, joints and rules, with their ids.
#include <map>
#include <nlohmann/json.hpp>

#include "io/json_reader.h"
#include "io/scene_parts.h"
#include "io/snapshot_parts.h"
#include "io/write_parts.h"
#include "registry/entry.h"

namespace rigor {

namespace {

static_assert(sizeof(Material) == sizeof(std::string) + 13 * sizeof(double),
              "a material has a new field: write and read it here, and raise the version of the format");

void put(ByteWriter& out, const Material& m) {
  out.put(m.name), out.put(m.density), out.put(m.friction), out.put(m.static_friction), out.put(m.restitution);
  out.put(m.rolling_friction), out.put(m.spinning_friction), out.put(m.grain), out.put(m.friction_across);
  out.put(m.surface_velocity);
}

Material get_material(ByteReader& in) {
  Material m;
  m.name = in.text();
  m.density = in.number(), m.friction = in.number(), m.static_friction = in.number(), m.restitution = in.number();
  m.rolling_friction = in.number(), m.spinning_friction = in.number(), m.grain = in.vector();
  m.friction_across = in.number(), m.surface_velocity = in.vector();
  return m;
}

/// Shapes are written once, as in scene files; 0 stands for none.
class ShapeTable {
 public:
  void add(const ShapePtr& shape) {
    if (shape && index_.emplace(shape.get(), shapes_.size() + 1).second) shapes_.push_back(shape);
  }
  std::uint32_t index(const ShapePtr& shape) const { return shape ? index_.at(shape.get()) : 0; }
  void put(ByteWriter& out) const {
    out.put_count(shapes_.size());
    for (const ShapePtr& shape : shapes_) out.put(print_json(write_shape(*shape, {})));
  }

  void get(ByteReader& in) {
    shapes_.resize(in.count(4));
    for (ShapePtr& shape : shapes_) {
      const Json json = parse_json(in.text());
      shape = read_shape(JsonReader(json), {});
    }
  }
  ShapePtr shape(std::uint32_t index) const {
    ByteReader::check(index <= shapes_.size(), "a shape is missing");
    return index == 0 ? nullptr : shapes_[index - 1];
  }

 private:
  std::map<const Shape*, std::uint32_t> index_;
  std::vector<ShapePtr> shapes_;
};

enum BodyFlags : std::uint8_t {
  kFixed = 1,
  kCanCollide = 2,
  kContinuous = 4,
  kActive = 8,
  kMass = 16,
  kInertia = 32,
  kCenter = 64,
  kMore = 128  // damping, gravity factor, sensor or user data follow at the end
};

bool has_more(const BodyDef& def) {
  const BodyDef plain;
  return def.linear_damping != plain.linear_damping || def.angular_damping != plain.angular_damping ||
         def.gravity_factor != plain.gravity_factor || def.sensor || def.user_data != 0;
}

void put_body(ByteWriter& out, const BodyDef& def, const ShapeTable& shapes) {
  out.put(def.name);
  out.put(shapes.index(def.shape)), out.put(shapes.index(def.collision_shape));
  out.put(def.position), out.put(def.orientation), out.put(def.velocity), out.put(def.angular_velocity);
  put(out, def.material);
  out.put(static_cast<std::uint8_t>((def.fixed ? kFixed : 0) | (def.can_collide ? kCanCollide : 0) |
                                    (def.continuous ? kContinuous : 0) | (def.active ? kActive : 0) |
                                    (def.mass ? kMass : 0) | (def.inertia ? kInertia : 0) |
                                    (def.center_of_mass ? kCenter : 0) | (has_more(def) ? kMore : 0)));
  if (def.mass) out.put(*def.mass);
  if (def.inertia)
    for (int k = 0; k < 9; ++k) out.put((*def.inertia)(k / 3, k % 3));
  if (def.center_of_mass) out.put(*def.center_of_mass);
  out.put(def.group), out.put(def.mask);
  if (!has_more(def)) return;
  out.put(def.linear_damping), out.put(def.angular_damping), out.put(def.gravity_factor);
  out.put(def.sensor), out.put(def.user_data);
}

BodyDef get_body(ByteReader& in, const ShapeTable& shapes) {
  BodyDef def;
  def.name = in.text();
  def.shape = shapes.shape(in.get<std::uint32_t>()), def.collision_shape = shapes.shape(in.get<std::uint32_t>());
  def.position = in.vector(), def.orientation = in.unit_quaternion();
  def.velocity = in.vector(), def.angular_velocity = in.vector();
  def.material = get_material(in);
  const auto flags = in.get<std::uint8_t>();
  def.fixed = flags & kFixed, def.can_collide = flags & kCanCollide;
  def.continuous = flags & kContinuous, def.active = flags & kActive;
  if (flags & kMass) def.mass = in.number();
  if (flags & kInertia) {
    Mat3& inertia = def.inertia.emplace();
    for (int k = 0; k < 9; ++k) inertia(k / 3, k % 3) = in.number();
  }
  if (flags & kCenter) def.center_of_mass = in.vector();
  def.group = in.get<std::uint32_t>(), def.mask = in.get<std::uint32_t>();
  if (!(flags & kMore)) return def;
  def.linear_damping = in.number(), def.angular_damping = in.number(), def.gravity_factor = in.number();
  def.sensor = in.flag(), def.user_data = in.get<std::uint64_t>();
  return def;
}

void put_force(ByteWriter& out, const ForceDef& def) {
  const std::string type(def.effect->type());
  if (!find_method(Kind::force, type))
    throw Error("force '" + short_text(def.name) + "'",
                "a " + short_text(type) + " force is not registered and cannot be saved");
  out.put(def.name), out.put(type);
  put_settings(out, settings_of(*def.effect));
  out.put(static_cast<std::uint8_t>(def.affected.kind));
  out.put_count(def.affected.bodies.size());
  for (const BodyId id : def.affected.bodies) out.put(id);
  out.put(def.end_time), out.put(def.remove_automatically), out.put(def.active);
}

ForceDef get_force(ByteReader& in) {
  ForceDef def;
  def.name = in.text();
  Choice choice{in.text(), {}};
  choice.settings = get_settings(in);
  def.effect = create<ForceEffect>(Kind::force, choice, "force '" + short_text(def.name) + "'");
  const auto kind = in.get<std::uint8_t>();
  ByteReader::check(kind <= static_cast<int>(Affected::Kind::list), "a force acts on an unknown set");
  def.affected.kind = static_cast<Affected::Kind>(kind);
  def.affected.bodies.resize(in.count(sizeof(BodyId)));
  for (BodyId& id : def.affected.bodies) id = in.id<BodyId>();
  def.end_time = in.get<double>();  // may be infinite
  def.remove_automatically = in.flag(), def.active = in.flag();
  return def;
}

/// Slots of a list: the generation, and the object if there is one.
template <class Def, class Put>
void put_places(ByteWriter& out, const std::vector<WorldImage::Place<Def>>& places,
                const std::vector<std::uint32_t>& free, Put put) {
  out.put_count(places.size());
  for (const auto& place : places) {
    out.put(place.generation), out.put(place.alive);
    if (place.alive) out.put(place.serial), put(place.def);
  }
  out.put_array(free);
}

template <class Def, class Get>
void get_places(ByteReader& in, std::vector<WorldImage::Place<Def>>& places, std::vector<std::uint32_t>& free,
                Get get) {
  places.resize(in.count(5));
  for (auto& place : places) {
    place.generation = in.get<std::uint32_t>(), place.alive = in.flag();
    if (place.alive) place.serial = in.get<std::uint64_t>(), place.def = get();
  }
  in.array(free);
}

void put_rules(ByteWriter& out, const MaterialRules& rules) {
  out.put(static_cast<std::uint8_t>(rules.friction)), out.put(static_cast<std::uint8_t>(rules.restitution));
  out.put_count(rules.pairs.size());
  for (const auto& [names, pair] : rules.pairs) {
    out.put(names.first), out.put(names.second);
    out.put(pair.friction), out.put(pair.static_friction), out.put(pair.restitution);
  }
}

MaterialRules get_rules(ByteReader& in) {
  const auto combine = [&in] {
    const auto value = in.get<std::uint8_t>();
    ByteReader::check(value <= static_cast<int>(Combine::product), "a rule for materials is unknown");
    return static_cast<Combine>(value);
  };
  MaterialRules rules;
  rules.friction = combine(), rules.restitution = combine();
  for (std::size_t n = in.count(32); n > 0; --n) {
    std::pair<std::string, std::string> names;
    names.first = in.text(), names.second = in.text();
    MaterialRules::Pair& pair = rules.pairs[names];
    pair.friction = in.number(), pair.static_friction = in.number(), pair.restitution = in.number();
  }
  return rules;
}

}  // namespace

void put_world(ByteWriter& out, const World& world) {
  const WorldImage image = world.image();
  ShapeTable shapes;
  for (const auto& place : image.bodies) shapes.add(place.def.shape), shapes.add(place.def.collision_shape);
  shapes.put(out);
  put_places(out, image.bodies, image.free_bodies, [&](const BodyDef& def) { put_body(out, def, shapes); });
  put_places(out, image.forces, image.free_forces, [&](const ForceDef& def) { put_force(out, def); });
  put_places(out, image.joints, image.free_joints, [&](const JointDef& def) { put_joint(out, def); });
  put_rules(out, image.material_rules);
  out.put_count(image.ignored_pairs.size());
  for (const auto& [a, b] : image.ignored_pairs) out.put(a), out.put(b);
  out.put(image.next_serial), out.put(image.first_generation);
  out.put(image.world_body), out.put(image.ground), out.put(image.gravity), out.put(image.drag);
}

World get_world(ByteReader& in) {
  WorldImage image;
  ShapeTable shapes;
  shapes.get(in);
  get_places(in, image.bodies, image.free_bodies, [&] { return get_body(in, shapes); });
  get_places(in, image.forces, image.free_forces, [&] { return get_force(in); });
  get_places(in, image.joints, image.free_joints, [&] { return get_joint(in); });
  image.material_rules = get_rules(in);
  for (std::size_t n = in.count(2 * sizeof(BodyId)); n > 0; --n) {
    const auto a = in.id<BodyId>();
    image.ignored_pairs.emplace(a, in.id<BodyId>());
  }
  image.next_serial = in.get<std::uint64_t>(), image.first_generation = in.get<std::uint32_t>();
  image.world_body = in.id<BodyId>(), image.ground = in.id<BodyId>();
  image.gravity = in.id<ForceId>(), image.drag = in.id<ForceId>();
  return World::from_image(std::move(image));
}

}  // namespace rigor
