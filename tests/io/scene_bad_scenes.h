// Scenes with one mistake each: what the reader must say about it, and whether a schema can see it too.
#pragma once

#include <string>
#include <vector>

namespace rigor::test {

struct BadScene {
  std::string what;     // for the test's output
  std::string text;     // JSON
  std::string message;  // how the reader's message begins
  bool in_schema = true;
};

inline std::string world(const std::string& content) { return R"({"rigor":1,"world":{)" + content + "}}"; }
inline std::string body(const std::string& content) { return world(R"("bodies":[{)" + content + "}]"); }
inline std::string shape(const std::string& content) { return body(R"("shape":{)" + content + "}"); }
inline std::string force(const std::string& content) {
  return world(R"("bodies":[{"name":"ball","shape":{"sphere":1}}],"forces":[{)" + content + "}]");
}
inline std::string method(const std::string& content) { return R"({"rigor":1,"method":)" + content + "}"; }
inline std::string run(const std::string& content) { return R"({"rigor":1,"run":{)" + content + "}}"; }
inline std::string generator(const std::string& content) { return world(R"("generate":[{)" + content + "}]"); }

inline std::vector<BadScene> bad_tops() {
  return {
      {"not an object", "[1, 2]", "expected an object that describes a scene, got a list of 2"},
      {"no version", "{}", "the key 'rigor' is missing"},
      {"other version", R"({"rigor":2})", "rigor: expected version 1 of the format, got 2"},
      {"version as text", R"({"rigor":"1"})", "rigor: expected a whole number, got '1'"},
      {"unknown key", R"({"rigor":1,"wrld":{}})", "unknown key 'wrld'; did you mean world?"},
      {"unknown key in world", world(R"("bodys":[])"), "world: unknown key 'bodys'; did you mean bodies?"},
      {"name is a number", R"({"rigor":1,"name":7})", "name: expected a string, got 7"},
      {"world is a list", R"({"rigor":1,"world":[]})", "world: expected an object, got a list of 0"},
      {"bodies is an object", world(R"("bodies":{})"), "world.bodies: expected a list, got an object"},
      {"unknown up", world(R"("up":"w")"), "world.up: expected \"x\", \"y\" or \"z\", got 'w'"},
      {"gravity is a number", world(R"("gravity":-9.81)"), "world.gravity: expected three numbers, got -9.81"},
      {"ground is a text", world(R"("ground":"ice")"), "world.ground: expected true, false or an object, got 'ice'"},
      {"ground with a size", world(R"("ground":{"size":3})"), "world.ground: unknown key 'size'"},
      {"unknown rule", world(R"("material_rules":{"friction":"median"})"),
       "world.material_rules.friction: unknown rule 'median'"},
      {"rule without a material", world(R"("material_rules":{"pairs":[{"a":"ice"}]})"),
       "world.material_rules.pairs[0]: the key 'b' is missing"},
      {"pair of an unknown material",
       world(R"("materials":{"ice":{},"steel":{}},"material_rules":{"pairs":[{"a":"ice","b":"steal"}]})"),
       "world.material_rules.pairs[0].b: unknown material 'steal'; did you mean steel?", false},
      {"pair twice", world(R"("material_rules":{"pairs":[{"a":"x","b":"y"},{"a":"y","b":"x"}]})"),
       "world.material_rules.pairs[1]: there is a rule for these two materials already", false},
      {"negative rolling friction", world(R"("materials":{"a":{"rolling_friction":-1}})"),
       "world.materials.a.rolling_friction: expected a non-negative number, got -1"},
      {"grain of two", world(R"("materials":{"a":{"grain":[1,0]}})"),
       "world.materials.a.grain: expected three numbers, got a list of 2"},
      {"grain without a length", world(R"("bodies":[{"shape":{"sphere":1},"material":{"grain":[0,0,1e-310]}}])"),
       "world.bodies[0]: body 'body2'.material.grain: expected a direction of a length from 1e-12 to 1e12, or zeros",
       false},
      {"negative step", run(R"("dt":-0.1)"), "run.dt: expected a positive number, got -0.1"},
      {"zero step", run(R"("dt":0)"), "run.dt: expected a positive number, got 0"},
      {"endless step", run(R"("dt":1e10)"), "run.dt: expected a number from 1e-09 to 1e+09, got 1e+10"},
      {"steps the wrong way round", run(R"("min_step":1,"max_step":0.1)"), "run: 'min_step' must not be larger", false},
      {"fixed is a number", run(R"("fixed":1)"), "run.fixed: expected true or false, got 1"},
      {"restitution above one", world(R"("materials":{"a":{"restitution":1.5}})"),
       "world.materials.a.restitution: expected a number from 0 to 1, got 1.5"},
      {"density zero", world(R"("materials":{"a":{"density":0}})"),
       "world.materials.a.density: expected a positive number, got 0"},
      {"material is a number", world(R"("materials":{"a":1})"), "world.materials.a: expected an object, got 1"},
  };
}

inline std::vector<BadScene> bad_bodies() {
  return {
      {"no shape", body(R"("name":"x")"), "world.bodies[0 'x']: the key 'shape' is missing"},
      {"unknown key", body(R"("shape":{"sphere":1},"posision":[0,0,0])"),
       "world.bodies[0]: unknown key 'posision'; did you mean position?"},
      {"two numbers", body(R"("shape":{"sphere":1},"position":[0,0])"),
       "world.bodies[0].position: expected three numbers, got a list of 2"},
      {"too far away", body(R"("shape":{"sphere":1},"position":[0,0,1e13])"),
       "world.bodies[0].position: expected three numbers from -1e+12 to 1e+12, got 1e+13"},
      {"too fast", body(R"("shape":{"sphere":1},"velocity":[1e10,0,0])"),
       "world.bodies[0].velocity: expected three numbers from"},
      {"text in a vector", body(R"("shape":{"sphere":1},"position":[0,"up",0])"),
       "world.bodies[0].position: expected three numbers, got 'up'"},
      {"orientation zero", body(R"("shape":{"sphere":1},"orientation":[0,0,0,0])"),
       "world.bodies[0].orientation: expected four", false},
      {"orientation about nothing", body(R"("shape":{"sphere":1},"orientation":{"axis":[0,0,0],"angle_deg":1})"),
       "world.bodies[0].orientation.axis: expected a vector that is not zero", false},
      {"orientation without an angle", body(R"("shape":{"sphere":1},"orientation":{"axis":[0,0,1]})"),
       "world.bodies[0].orientation"},
      {"orientation in two ways", body(R"("shape":{"sphere":1},"orientation":{"euler_deg":[0,0,1],"axis":[0,0,1]})"),
       "world.bodies[0].orientation"},
      {"orientation of three", body(R"("shape":{"sphere":1},"orientation":[0,0,1])"),
       "world.bodies[0].orientation: expected four numbers, got a list of 3"},
      {"mass negative", body(R"("shape":{"sphere":1},"mass":-1)"),
       "world.bodies[0].mass: expected a positive number, got -1"},
      {"mass and density", body(R"("shape":{"sphere":1},"mass":1,"density":1)"),
       "world.bodies[0]: give either 'mass' or 'density'"},
      {"inertia impossible", body(R"("shape":{"sphere":1},"mass":1,"inertia":[1,1,10])"),
       "world.bodies[0].inertia: ", false},
      {"inertia not symmetric", body(R"("shape":{"sphere":1},"mass":1,"inertia":[1,0.5,0,0,1,0,0,0,1])"),
       "world.bodies[0].inertia: ", false},
      {"inertia of four", body(R"("shape":{"sphere":1},"inertia":[1,1,1,1])"),
       "world.bodies[0].inertia: expected three or nine numbers, got a list of 4"},
      {"name empty", body(R"("shape":{"sphere":1},"name":"")"),
       "world.bodies[0].name: expected a string that is not empty"},
      {"name of a million letters", body(R"("shape":{"sphere":1},"name":")" + std::string(1'000'000, 'x') + "\""),
       "world.bodies[0].name: expected a string of at most 200 bytes"},
      {"name of the world", body(R"("shape":{"sphere":1},"name":"world")"),
       "world.bodies[0 'world']: there is already a body named 'world'", false},
      {"name twice", world(R"("bodies":[{"name":"a","shape":{"sphere":1}},{"name":"a","shape":{"sphere":1}}])"),
       "world.bodies[1 'a']: there is already a body named 'a'", false},
      {"unknown material", body(R"("shape":{"sphere":1},"material":"wod")"),
       "world.bodies[0].material: unknown material 'wod'", false},
      {"material of a wrong type", body(R"("shape":{"sphere":1},"material":3)"),
       "world.bodies[0].material: expected the name of a material or an object, got 3"},
      {"group 32", body(R"("shape":{"sphere":1},"groups":[32])"),
       "world.bodies[0].groups[0]: expected a whole number from 0 to 31, got 32"},
      {"group 1.5", body(R"("shape":{"sphere":1},"groups":[1.5])"),
       "world.bodies[0].groups[0]: expected a whole number, got 1.5"},
      {"fixed is null", body(R"("shape":{"sphere":1},"fixed":null)"),
       "world.bodies[0].fixed: expected true or false, got null"},
      {"dynamic plane", shape(R"("plane":true)"), "world.bodies[0]: ", false},
      {"dynamic height field", shape(R"("heightfield":{"columns":2,"rows":2,"spacing":[1,1],"heights":[0,0,0,0]})"),
       "world.bodies[0]: ", false},
  };
}

inline std::vector<BadScene> bad_shapes() {
  return {
      {"negative side", shape(R"("box":[1,-1,1])"),
       "world.bodies[0].shape.box: expected three positive numbers, got -1"},
      {"zero side", shape(R"("box":[1,0,1])"), "world.bodies[0].shape.box: expected three positive numbers, got 0"},
      {"side of a denormal", shape(R"("box":[1,1e-310,1])"),
       "world.bodies[0].shape.box: expected three numbers from 1e-09"},
      {"huge radius", shape(R"("sphere":1e200)"),
       "world.bodies[0].shape.sphere: expected a number from 1e-09 to 1e+12"},
      {"radius as a text", shape(R"("sphere":"1")"),
       "world.bodies[0].shape.sphere: expected a positive number, got '1'"},
      {"unknown shape", shape(R"("spere":1)"), "world.bodies[0].shape: unknown shape 'spere'; did you mean sphere?"},
      {"a shape by another name", shape(R"("ball":1)"),
       "world.bodies[0].shape: unknown shape 'ball'; did you mean sphere?"},
      {"two shapes", shape(R"("sphere":1,"box":[1,1,1])"), "world.bodies[0].shape: expected an object with one key"},
      {"no shape in it", body(R"("shape":{})"), "world.bodies[0].shape: expected an object with one key"},
      {"capsule without length", shape(R"("capsule":{"radius":1})"),
       "world.bodies[0].shape.capsule: the key 'length' is missing"},
      {"capsule as a list", shape(R"("capsule":[1,2])"),
       "world.bodies[0].shape.capsule: expected an object, got a list of 2"},
      {"cylinder with a length", shape(R"("cylinder":{"radius":1,"length":1})"),
       "world.bodies[0].shape.cylinder: unknown key 'length'"},
      {"plane false", shape(R"("plane":false)"), "world.bodies[0].shape.plane: expected true, got false"},
      {"flat hull", shape(R"("hull":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]])"), "world.bodies[0].shape.hull: ", false},
      {"hull of three points", shape(R"("hull":[[0,0,0],[1,0,0],[0,1,0]])"), "world.bodies[0].shape.hull: "},
      {"mesh with a wrong index", shape(R"("mesh":{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,3]]})"),
       "world.bodies[0].shape.mesh.triangles[0][2]: expected a whole number from 0 to 2, got 3", false},
      {"mesh with a negative index", shape(R"("mesh":{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,-1]]})"),
       "world.bodies[0].shape.mesh.triangles[0][2]: expected a whole number from 0 to 2, got -1"},
      {"mesh without triangles", shape(R"("mesh":{"vertices":[[0,0,0]]})"),
       "world.bodies[0].shape.mesh: the key 'triangles' is missing"},
      {"empty composite", shape(R"("composite":[])"), "world.bodies[0].shape.composite: "},
      {"bad part", shape(R"("composite":[{"shape":{"sphere":1}},{"shape":{"sphere":-1}}])"),
       "world.bodies[0].shape.composite[1].shape.sphere: expected a positive number, got -1"},
      {"transformed without shape", shape(R"("transformed":{"position":[0,0,0]})"),
       "world.bodies[0].shape.transformed: the key 'shape' is missing"},
      {"too few heights", shape(R"("heightfield":{"columns":3,"rows":2,"spacing":[1,1],"heights":[0,0,0,0]})"),
       "world.bodies[0].shape.heightfield.heights: expected 6 numbers, got a list of 4", false},
      {"huge height field",
       shape(R"("heightfield":{"columns":30000,"rows":30000,"spacing":[1,1],"heights":[0,0,0,0]})"),
       "world.bodies[0].shape.heightfield.heights: expected 900000000 numbers, got a list of 4", false},
      {"rectangle of one side", shape(R"("rectangle":{"x":1})"),
       "world.bodies[0].shape.rectangle: the key 'z' is missing"},
  };
}

inline std::vector<BadScene> bad_forces() {
  return {
      {"no type", force(R"("linear":1)"), "world.forces[0]: the key 'type' is missing"},
      {"unknown type", force(R"("type":"drg")"), "world.forces[0].type: unknown force 'drg'; did you mean drag?"},
      {"unknown parameter", force(R"("type":"drag","linar":1)"),
       "world.forces[0]: unknown key 'linar'; did you mean linear?"},
      {"out of range", force(R"("type":"drag","linear":-1)"), "world.forces[0].linear: "},
      {"number as text", force(R"("type":"drag","linear":"1")"), "world.forces[0].linear: "},
      {"unknown choice", force(R"("type":"explosion","falloff":"cubic")"), "world.forces[0].falloff: unknown choice"},
      {"missing body", force(R"("type":"drag","bodies":["ball","bal"])"),
       "world.forces[0].bodies[1]: there is no body named 'bal'", false},
      {"missing excepted body", force(R"("type":"drag","except":["bal"])"),
       "world.forces[0].except[0]: there is no body named 'bal'", false},
      {"missing partner", force(R"("type":"spring","a":"ball","b":"wall")"),
       "world.forces[0].b: there is no body named 'wall'", false},
      {"body twice", force(R"("type":"drag","bodies":["ball","ball"])"),
       "world.forces[0].bodies: the body 'ball' is named twice", false},
      {"spring without a pair", force(R"("type":"spring")"), "world.forces[0]: a spring acts on a pair"},
      {"spring with a list", force(R"("type":"spring","bodies":["ball"])"), "world.forces[0]: a spring acts on a pair"},
      {"spring to itself", force(R"("type":"spring","a":"ball","b":"ball")"),
       "world.forces[0].b: expected another body than 'a', got 'ball'", false},
      {"drag of a pair", force(R"("type":"drag","a":"ball","b":"world")"),
       "world.forces[0]: a drag does not act on a pair"},
      {"bodies and except", force(R"("type":"drag","bodies":[],"except":[])"),
       "world.forces[0]: give either 'bodies' or 'except'"},
      {"name taken", world(R"("forces":[{"type":"drag","name":"a"},{"type":"drag","name":"a"}])"),
       "world.forces[1 'a']: there is already a force named 'a'", false},
      {"name of gravity", force(R"("type":"drag","name":"gravity")"),
       "world.forces[0 'gravity']: there is already a force named 'gravity'", false},
      {"object as parameter", force(R"("type":"drag","linear":{})"), "world.forces[0].linear: expected a number"},
      {"negative end", force(R"("type":"drag","end_time":-1)"),
       "world.forces[0].end_time: expected a non-negative number, got -1"},
  };
}

inline std::vector<BadScene> bad_methods() {
  return {
      {"unknown preset", method(R"("fre-flight")"), "method: unknown preset 'fre-flight'; did you mean free-flight"},
      {"unknown preset in an object", method(R"({"preset":"x"})"), "method.preset: unknown preset 'x'"},
      {"a number", method("3"), "method: expected the name of a preset or an object, got 3"},
      {"unknown integrator", method(R"({"integrator":"rk5"})"),
       "method.integrator: unknown integrator 'rk5'; did you mean rk4?"},
      {"unknown slot", method(R"({"integratr":"rk4"})"), "method: unknown key 'integratr'; did you mean integrator?"},
      {"parameter out of range", method(R"({"integrator":{"name":"dormand-prince","relative_tolerance":-1}})"),
       "method.integrator.relative_tolerance: "},
      {"unknown parameter", method(R"({"integrator":{"name":"rk4","order":4}})"),
       "method.integrator: unknown parameter 'order'"},
      {"parameter of the preset's LCP solver beside another one",
       method(R"({"preset":"garstenauer","solver.contact":{"lcp.iterations":5,"lcp":"dantzig"}})"),
       "method.solver.contact: unknown parameter 'lcp.iterations'", false},
      {"flag as a number", method(R"({"gyroscopic":0})"), "method.gyroscopic: expected true or false"},
      {"unknown validator", method(R"({"validators":["finit"]})"),
       "method.validators[0]: unknown validator 'finit'; did you mean finite?"},
      {"validator without a name", method(R"({"validators":[{}]})"), "method.validators[0]: the key 'name' is missing"},
  };
}

inline std::vector<BadScene> bad_generators() {
  const std::string bodies = R"("bodies":[{"shape":{"sphere":1}}])";
  return {
      {"unknown generator", generator(R"("grd":{})"), "world.generate[0]: unknown generator 'grd'; did you mean grid?"},
      {"a billion bodies", generator(R"("grid":{"count":[1000,1000,1000],"spacing":[1,1,1],)" + bodies + "}"),
       "world.generate[0].grid: a scene has at most 2000000 bodies, this asks for 1000000000", false},
      {"counts whose product overflows",
       generator(R"("grid":{"count":[2000000000,2000000000,2000000000],"spacing":[1,1,1],)" + bodies + "}"),
       "world.generate[0].grid: a scene has at most 2000000 bodies", false},
      {"a huge pyramid", generator(R"("pyramid":{"base":2000000000,"box":[1,1,1]})"),
       "world.generate[0].pyramid: a scene has at most", false},
      {"a huge square pyramid", generator(R"("pyramid3d":{"base":2000,"box":[1,1,1]})"),
       "world.generate[0].pyramid3d: a scene has at most", false},
      {"a huge cloud", generator(R"("cloud":{"count":2000000,"size":[1,1,1],)" + bodies + "}"),
       "world.generate[0].cloud: a scene has at most", false},
      {"a huge wall", generator(R"("wall":{"columns":100000,"courses":100000,"box":[1,1,1]})"),
       "world.generate[0].wall: a scene has at most", false},
      {"count zero", generator(R"("stack":{"count":0,"box":[1,1,1]})"),
       "world.generate[0].stack.count: expected a whole number from 1 to"},
      {"half a box", generator(R"("stack":{"count":1.5,"box":[1,1,1]})"),
       "world.generate[0].stack.count: expected a whole number, got 1.5"},
      {"no box", generator(R"("pyramid":{"base":3})"), "world.generate[0].pyramid: the key 'box' is missing"},
      {"no bodies", generator(R"("cloud":{"count":1,"size":[1,1,1],"bodies":[]})"),
       "world.generate[0].cloud.bodies: expected a list of at least one body"},
      {"a template with a name", generator(R"("cloud":{"count":1,"size":[1,1,1],"bodies":[{"name":"a"}]})"),
       "world.generate[0].cloud.bodies[0 'a']: unknown key 'name'"},
      {"a bad template", generator(R"("cloud":{"count":1,"size":[1,1,1],"bodies":[{"shape":{"sphere":0}}]})"),
       "world.generate[0].cloud.bodies[0].shape.sphere: expected a positive number, got 0"},
      {"unknown jitter", generator(R"("stack":{"count":1,"box":[1,1,1],"jitter":{"size":1}})"),
       "world.generate[0].stack.jitter: unknown key 'size'"},
      {"the same names",
       world(R"("generate":[{"stack":{"name":"a","count":1,"box":[1,1,1]}},)"
             R"({"stack":{"name":"a","count":1,"box":[1,1,1]}}])"),
       "world.generate[1].stack: there is already a body named 'a_0'", false},
      {"beyond the edge", generator(R"("stack":{"count":3,"box":[1,1e12,1],"at":[0,1e12,0]})"),
       "world.generate[0].stack: it makes bodies that are too far away", false},
  };
}

inline std::string joint(const std::string& content) {
  return world(R"("bodies":[{"name":"ball","shape":{"sphere":1}}],"joints":[{)" + content + "}]");
}

inline std::vector<BadScene> bad_joints() {
  const std::string ends = R"("a":"world","b":"ball",)";
  return {
      {"joint without a type", joint(R"("a":"world","b":"ball")"), "world.joints[0]: the key 'type' is missing"},
      {"unknown type", joint(R"("type":"hing",)" + ends + R"("anchor":[0,0,0])"),
       "world.joints[0].type: unknown joint 'hing'; did you mean hinge?"},
      {"no b", joint(R"("type":"fixed","a":"ball")"), "world.joints[0]: the key 'b' is missing"},
      {"unknown body", joint(R"("type":"fixed","a":"ball","b":"bal")"),
       "world.joints[0].b: there is no body named 'bal'; did you mean ball?", false},
      {"same body", joint(R"("type":"fixed","a":"ball","b":"ball")"),
       "world.joints[0].b: expected another body than 'a', got 'ball'", false},
      {"unknown key", joint(R"("type":"hinge",)" + ends + R"("anchr":[0,0,0])"),
       "world.joints[0]: unknown key 'anchr'"},
      {"no anchor", joint(R"("type":"ball","a":"world","b":"ball")"),
       "world.joints[0]: it needs an 'anchor', or 'anchor_a' and 'anchor_b'; 'anchor_a' is missing", false},
      {"half an anchor", joint(R"("type":"ball",)" + ends + R"("anchor_a":[0,0,0])"),
       "world.joints[0]: it needs an 'anchor', or 'anchor_a' and 'anchor_b'; 'anchor_b' is missing", false},
      {"no axis", joint(R"("type":"hinge",)" + ends + R"("anchor":[0,0,0])"),
       "world.joints[0]: it needs an 'axis', or 'axis_a' and 'axis_b'", false},
      {"axis zero", joint(R"("type":"hinge",)" + ends + R"("anchor":[0,0,0],"axis":[0,0,0])"),
       "world.joints[0].axis: expected a direction, not zero", false},
      {"axes not perpendicular",
       joint(R"("type":"universal",)" + ends + R"("anchor":[0,0,0],"axis":[1,0,0],"axis2":[1,1,0])"),
       "world.joints[0].axis2: expected a direction perpendicular to the axis", false},
      {"frame and anchor", joint(R"("type":"ball",)" + ends + R"("anchor_a":[0,0,0],"frame_a":{},"frame_b":{})"),
       "world.joints[0]: give either 'frame_a' or anchor and axes of that body, not both", false},
      {"common anchor of a rod", joint(R"("type":"distance",)" + ends + R"("anchor":[0,0,0])"),
       "world.joints[0].anchor: it has two ends: give 'anchor_a' and 'anchor_b'", false},
      {"rod of no length", joint(R"("type":"distance","a":"world","b":"ball")"),
       "world.joints[0]: joint of 'world' and 'ball'.upper: expected a positive number, not below the lower one",
       false},
      {"limits the wrong way round",
       joint(R"("type":"hinge","name":"h",)" + ends + R"("anchor":[0,0,0],"axis":[0,0,1],"lower":1,"upper":0)"),
       "world.joints[0 'h']: joint 'h'.axes[3]: the lower limit must not be above the upper one", false},
      {"parameter as text", joint(R"("type":"hinge",)" + ends + R"("anchor":[0,0,0],"axis":[0,0,1],"lower":"low")"),
       "world.joints[0].lower: expected a number"},
      {"negative friction", joint(R"("type":"hinge",)" + ends + R"("anchor":[0,0,0],"axis":[0,0,1],"friction":-1)"),
       "world.joints[0].friction: expected a number of at least 0, got -1"},
      {"unknown motor", joint(R"("type":"hinge",)" + ends + R"("anchor":[0,0,0],"axis":[0,0,1],"motor":"diesel")"),
       "world.joints[0].motor: unknown choice 'diesel'"},
      {"breaks at nothing", joint(R"("type":"ball",)" + ends + R"("anchor":[0,0,0],"break_force":0)"),
       "world.joints[0].break_force: expected a positive number, got 0"},
      {"path without points", joint(R"("type":"path","a":"world","b":"ball")"),
       "world.joints[0]: the key 'points' is missing"},
      {"gear of no joints", joint(R"("type":"gear","first":"x","second":"y")"),
       "world.joints[0].first: there is no joint named 'x' before this one", false},
      {"gear with bodies", joint(R"("type":"gear",)" + ends + R"("first":"x","second":"y")"),
       "world.joints[0]: unknown key 'a'"},
      {"name twice",
       joint(R"("type":"fixed","name":"j","a":"world","b":"ball"},{"type":"fixed","name":"j","a":"world","b":"ball")"),
       "world.joints[1 'j'].name: there is already a joint named 'j'", false},
  };
}

inline std::vector<BadScene> bad_scenes() {
  std::vector<BadScene> all;
  for (auto part : {bad_tops, bad_bodies, bad_shapes, bad_forces, bad_joints, bad_methods, bad_generators})
    for (BadScene& scene : part()) all.push_back(std::move(scene));
  return all;
}

}  // namespace rigor::test
