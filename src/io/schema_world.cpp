// The schema of a world: shapes, materials, bodies, generators.
#include "io/schema_parts.h"

namespace rigor {

namespace {

Json size(const std::string& description) { return schema_number(kLengthRange, description); }

Json position(const std::string& description) { return schema_vector(kPositionRange, description); }

Json orientation() { return schema_reference("orientation"); }

Json material_or_name() { return schema_reference("material_or_name"); }

Json points(const std::string& description) { return schema_list(position("x, y, z, m"), description); }

Json decompose() {
  Json object = schema_object(
      "how closely the convex parts follow the solid",
      {{"error", schema_number(kLengthRange, "no point of a part's surface is farther from the solid, m")},
       {"relative_error", schema_number({1e-4, 1}, "the same as a part of the diagonal")},
       {"parts", schema_integer(1, kMaxConvexParts, "at most")}});
  return {{"description", "of a closed mesh: it collides as convex parts"},
          {"oneOf", Json::array({Json{{"type", "boolean"}}, std::move(object)})}};
}

Json mesh_file(const std::string& description, bool is_mesh) {
  const Range any{-kLengthRange.max, kLengthRange.max};
  Json scale = {{"description", "factor of all lengths, or one for each axis; not zero"},
                {"oneOf", Json::array({schema_number(any, "for all axes"), schema_vector(any, "along x, y and z")})}};
  Json name = {{"description", ".obj, .stl, .dae, .gltf or .glb, in the folder of the scene or below"},
               {"type", "string"}};
  Json properties = {{"file", std::move(name)},
                     {"scale", std::move(scale)},
                     {"repair", schema_flag(false, "reverses the triangles if the surface is inside out")}};
  if (is_mesh) properties["decompose"] = decompose();
  return schema_object(description, std::move(properties), {"file"});
}

Json mesh() {
  Json corners = schema_numbers(3, {0, 2147483647}, "three vertices, counter-clockwise seen from outside");
  corners["items"]["type"] = "integer";
  Json written = schema_object("triangles; a closed mesh has a volume",
                               {{"vertices", points("corners of the triangles")},
                                {"triangles", schema_list(std::move(corners), "indices of vertices")},
                                {"decompose", decompose()}},
                               {"vertices", "triangles"});
  return {{"description", "a triangle mesh, written out or from a file"},
          {"oneOf", Json::array({std::move(written), mesh_file("triangles of a file", true)})}};
}

Json hull() {
  Json written = points("the convex hull of at least four points");
  written["minItems"] = 4;
  return {{"description", "a convex hull, of points or of the corners of a mesh file"},
          {"oneOf", Json::array({std::move(written), mesh_file("the convex hull of a mesh file", false)})}};
}

Json height_field() {
  Json heights = schema_list(schema_number(kPositionRange, "m"), "row by row, m");
  heights["minItems"] = 4;
  return schema_object("heights over a grid in the xz plane, solid below; fixed bodies only",
                       {{"columns", schema_integer(2, kMaxGridSamples, "samples along x")},
                        {"rows", schema_integer(2, kMaxGridSamples, "samples along z")},
                        {"spacing", schema_numbers(2, kLengthRange, "between samples along x and z, m")},
                        {"heights", std::move(heights)}},
                       {"columns", "rows", "spacing", "heights"});
}

Json placed_shape(const std::string& description, bool with_material) {
  Json properties = {{"shape", schema_reference("shape")}, {"position", position("m")}, {"orientation", orientation()}};
  if (with_material) properties["material"] = material_or_name();
  return schema_object(description, std::move(properties), {"shape"});
}

/// Two lengths of a round shape along y.
Json round_shape(const std::string& description, const std::string& along, const std::string& words) {
  return schema_object(description, {{"radius", size("m")}, {along, size(words)}}, {"radius", along});
}

/// An object whose only key gives the kind of its value.
Json one_of_the_keys(const std::string& description, Json properties) {
  Json schema = schema_object(description, std::move(properties));
  schema["minProperties"] = 1;
  schema["maxProperties"] = 1;
  return schema;
}

Json jitter() {
  return schema_object("random deviations; each component lies between minus and plus the number",
                       {{"seed", schema_integer(0, kMaxInteger, "seed of the random numbers")},
                        {"position", schema_number(kGapRange, "m")},
                        {"velocity", schema_number(kSpeedRange, "m/s")},
                        {"angular_velocity", schema_number(kSpeedRange, "rad/s")}});
}

/// Properties and required keys of a generator, on top of "name", "at" and "jitter".
Json generator(const std::string& description, Json properties, const std::vector<std::string>& required) {
  properties["name"] = schema_name("bodies are called <name>_0, <name>_1, …");
  properties["name"]["minLength"] = 0;
  properties["name"]["maxLength"] = kMaxNameLength - 20;
  properties["at"] = position("where it is, m");
  properties["jitter"] = jitter();
  return schema_object(description, std::move(properties), required);
}

Json box_generator(const std::string& description, Json counts, std::vector<std::string> required) {
  counts["box"] = schema_vector(kLengthRange, "sides of each box, m");
  counts["gap"] = schema_number(kGapRange, "between neighbours, m");
  counts["material"] = material_or_name();
  required.push_back("box");
  return generator(description, std::move(counts), required);
}

Json count(const std::string& description) { return schema_integer(1, kMaxCount, description); }

Json body_templates() {
  Json list = schema_list(schema_reference("body_template"), "kinds of bodies, used in turn");
  list["minItems"] = 1;
  return list;
}

Json groups(const std::string& description) {
  return schema_list(schema_integer(0, kGroupCount - 1, "a collision group"), description);
}

Json inertia() {
  Json nine = schema_numbers(9, kInertiaRange, "matrix, row by row");
  return {{"description", "about the center of mass, axes of the body frame, kg m²"},
          {"oneOf", Json::array({schema_vector(kInertiaRange, "principal moments"), std::move(nine)})}};
}

}  // namespace

Json schema_of_orientation() {
  Json axis = schema_object("a turn about an axis",
                            {{"axis", schema_vector(kQuaternionRange, "not zero, of any length")},
                             {"angle_deg", schema_number(kDegreesRange, "degrees")}},
                            {"axis", "angle_deg"});
  Json euler = schema_object(
      "three turns", {{"euler_deg", schema_vector(kDegreesRange, "about the fixed x, then y, then z axis, degrees")}},
      {"euler_deg"});
  Json quaternion = schema_numbers(4, kQuaternionRange, "quaternion [w, x, y, z], normalised when it is read");
  return {{"description", "from body to world"},
          {"oneOf", Json::array({std::move(quaternion), std::move(axis), std::move(euler)})}};
}

Json schema_of_shapes() {
  Json parts = schema_list(placed_shape("a part", true), "several shapes as one");
  parts["minItems"] = 1;
  Json shapes = {
      {"plane", {{"description", "solid half-space below the local xz plane; fixed bodies only"}, {"const", true}}},
      {"sphere", size("radius, m")},
      {"box", schema_vector(kLengthRange, "full side lengths, m")},
      {"capsule", round_shape("cylinder along y with round ends", "length", "of the cylindrical part, m")},
      {"cylinder", round_shape("cylinder along y", "height", "m")},
      {"cone", round_shape("cone along y, apex up, origin at half height", "height", "m")},
      {"hull", hull()},
      {"mesh", mesh()},
      {"rectangle", schema_object("thin card in the local xz plane",
                                  {{"x", size("side along x, m")},
                                   {"z", size("side along z, m")},
                                   {"thickness", size("counts for the mass only, m")}},
                                  {"x", "z"})},
      {"heightfield", height_field()},
      {"transformed", placed_shape("a shape moved and turned", false)},
      {"composite", std::move(parts)}};
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::shape && !shapes.contains(info.name))  // of an extension
      shapes[info.name] = schema_object(info.description, schema_parameters(info));
  return one_of_the_keys("an object with one key, the name of the shape", shapes);
}

Json schema_of_surface() {
  return {{"friction", schema_number(kFrictionRange, "Coulomb's coefficient")},
          {"static_friction", schema_number(kFrictionRange, "the same as friction unless given")},
          {"restitution", schema_number(kRestitutionRange, "0: no bounce, 1: full bounce")},
          {"rolling_friction", schema_number(kGapRange, "lever arm of the normal force against rolling, m")},
          {"spinning_friction", schema_number(kGapRange, "lever arm of the normal force against spinning, m")},
          {"grain", schema_vector(kPositionRange, "body frame: the direction of the given friction")},
          {"friction_across", schema_number(kFrictionRange, "factor of the friction across the grain")},
          {"surface_velocity",
           schema_vector(kVelocityRange, "body frame: velocity of the surface, as of a conveyor belt, m/s")}};
}

Json schema_of_material() {
  Json properties = schema_of_surface();
  properties["name"] = schema_name("optional name of a material that is defined in place");
  properties["density"] = schema_number(kDensityRange, "kg/m³");
  return schema_object("density and surface properties of bodies", std::move(properties));
}

Json schema_of_material_rules() {
  const auto rule = [](const char* usual) {
    return Json{{"description", "how two numbers are combined"},
                {"enum", {"minimum", "maximum", "mean", "product"}},
                {"default", usual}};
  };
  Json pair = schema_object("values for two materials that replace the combined ones",
                            {{"a", schema_name("a material")},
                             {"b", schema_name("a material, perhaps the same")},
                             {"friction", schema_number(kFrictionRange, "Coulomb's coefficient")},
                             {"static_friction", schema_number(kFrictionRange, "the same as friction unless given")},
                             {"restitution", schema_number(kRestitutionRange, "0: no bounce, 1: full bounce")}},
                            {"a", "b"});
  return schema_object("how two materials are combined", {{"friction", rule("maximum")},
                                                          {"restitution", rule("minimum")},
                                                          {"pairs", schema_list(std::move(pair), "exceptions")}});
}

Json schema_of_body(bool is_template) {
  Json properties = Json::object();
  if (!is_template) properties["name"] = schema_name("unique among bodies");
  properties["shape"] = schema_reference("shape");
  properties["collision_shape"] = schema_reference("shape");
  if (!is_template) properties["position"] = position("of the body frame's origin, m");
  properties["orientation"] = orientation();
  properties["velocity"] = schema_vector(kVelocityRange, "of the center of mass, m/s");
  properties["angular_velocity"] = schema_vector(kVelocityRange, "world frame, rad/s");
  properties["material"] = material_or_name();
  properties["mass"] = schema_number(kMassRange, "instead of a density, kg");
  properties["density"] = schema_number(kDensityRange, "instead of the material's, kg/m³");
  properties["inertia"] = inertia();
  properties["center_of_mass"] = position("in the body frame, m");
  properties["fixed"] = schema_flag(false, "infinite mass: moves with its own velocity and no other");
  properties["can_collide"] = schema_flag(true, "false: passes through everything");
  properties["continuous"] = schema_flag(false, "uses continuous collision in every step, even when it is slow");
  properties["active"] = schema_flag(true, "false: ignored by the simulation");
  properties["sensor"] = schema_flag(false, "has no collision response; events report the bodies that overlap it");
  properties["linear_damping"] = schema_number(kDampingRange, "rate at which the velocity decays, 1/s; 0 unless given");
  properties["angular_damping"] =
      schema_number(kDampingRange, "rate at which the angular momentum decays, 1/s; 0 unless given");
  properties["gravity_factor"] = schema_number(kGravityFactorRange, "times the weight; 1 unless given");
  properties["groups"] = groups("the collision groups it belongs to; [0] unless given");
  properties["mask"] = groups("the groups it collides with; all unless given");
  properties["force"] = schema_vector(kForceRange, "constant force at the center of mass, N");
  properties["torque"] = schema_vector(kForceRange, "constant torque, N m");
  Json schema = schema_object(is_template ? "a body without name and position" : "a rigid body", std::move(properties),
                              {"shape"});
  schema["not"] = {{"required", Json::array({"mass", "density"})}};
  return schema;
}

Json schema_of_generators() {
  Json three_counts = schema_list(count("along one axis"), "bodies along x, y and z");
  three_counts["minItems"] = 3;
  three_counts["maxItems"] = 3;
  return one_of_the_keys(
      "an object with one key, the name of the generator",
      {{"grid", generator("bodies in a grid around \"at\"",
                          {{"count", std::move(three_counts)},
                           {"spacing", schema_vector(kLengthRange, "between neighbours, m")},
                           {"bodies", body_templates()}},
                          {"count", "spacing", "bodies"})},
       {"pyramid", box_generator("a flat pyramid of boxes that stands on \"at\"",
                                 {{"base", count("boxes of the lowest layer")}}, {"base"})},
       {"pyramid3d", box_generator("a square pyramid of boxes that stands on \"at\"",
                                   {{"base", count("boxes along a side of the lowest layer")}}, {"base"})},
       {"stack", box_generator("stacked boxes, standing on \"at\"", {{"count", count("boxes")}}, {"count"})},
       {"wall", box_generator("bricks in running bond, standing on \"at\"",
                              {{"columns", count("bricks of a course")}, {"courses", count("courses of bricks")}},
                              {"columns", "courses"})},
       {"cloud", generator("bodies at random positions in a box around \"at\", with random orientations",
                           {{"count", count("bodies")},
                            {"size", schema_vector(kLengthRange, "sides of the box, m")},
                            {"seed", schema_integer(0, kMaxInteger, "seed of the random numbers")},
                            {"bodies", body_templates()}},
                           {"count", "size", "bodies"})}});
}

}  // namespace rigor
