// Models of the batch benchmark. Their joints are free of armature, and their start is within all limits.
#include <regex>

#include "lab/batch_bench.h"

namespace rigor {

namespace {

constexpr const char* kCartPole = R"(<mujoco model="cart-pole">
  <worldbody>
    <body name="cart" pos="0 0 1">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="swing" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.03" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

/// A leg of the ant in the direction (x, y) from the torso.
std::string ant_leg(int number, int x, int y) {
  const auto at = [&](double r, double z) {
    return std::to_string(r * x) + " " + std::to_string(r * y) + " " + std::to_string(z);
  };
  const std::string n = std::to_string(number), axis = std::to_string(-y) + " " + std::to_string(x) + " 0";
  return "<body name=\"hip" + n + "\" pos=\"" + at(0.2, 0) + "\"><joint name=\"swing" + n +
         "\" type=\"hinge\" axis=\"0 0 1\" range=\"-30 30\" limited=\"true\" damping=\"0.1\"/>" +
         "<geom type=\"capsule\" fromto=\"0 0 0 " + at(0.2, 0) + "\" size=\"0.06\"/>" + "<body name=\"shin" + n +
         "\" pos=\"" + at(0.2, 0) + "\"><joint name=\"knee" + n + "\" type=\"hinge\" axis=\"" + axis +
         "\" range=\"-20 40\" limited=\"true\" damping=\"0.1\"/>" + "<geom type=\"capsule\" fromto=\"0 0 0 " +
         at(0.2, -0.4) + "\" size=\"0.06\"/></body></body>";
}

std::string ant() {
  std::string xml = R"(<mujoco model="ant"><default><geom density="300" friction="1"/></default><worldbody>
    <geom name="floor" type="plane" size="40 40 1"/>
    <body name="torso" pos="0 0 1.3"><freejoint name="root"/><geom type="sphere" size="0.25"/>)";
  xml += ant_leg(0, 1, 1) + ant_leg(1, -1, 1) + ant_leg(2, -1, -1) + ant_leg(3, 1, -1);
  return xml + "</body></worldbody></mujoco>";
}

constexpr const char* kHumanoidTorso = R"(<mujoco model="humanoid">
  <default><geom type="capsule" density="1000" friction="1"/><joint type="hinge" limited="true" damping="0.2"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="40 40 1"/>
    <body name="torso" pos="0 0 1.9"><freejoint name="root"/>
      <geom fromto="0 -0.08 0 0 0.08 0" size="0.08"/><geom type="sphere" size="0.1" pos="0 0 0.22"/>
      <body name="waist" pos="0 0 -0.2">
        <joint name="abdomen_z" axis="0 0 1" range="-45 45"/><joint name="abdomen_y" axis="0 1 0" range="-60 30"/>
        <geom fromto="0 -0.06 0 0 0.06 0" size="0.07"/>
        <body name="pelvis" pos="0 0 -0.18"><joint name="abdomen_x" axis="1 0 0" range="-35 35"/>
          <geom fromto="0 -0.08 0 0 0.08 0" size="0.09"/>)";

std::string humanoid_side(const std::string& side, int y, bool leg) {
  const auto at = [&](double x, double across, double z) {
    return std::to_string(x) + " " + std::to_string(across * y) + " " + std::to_string(z);
  };
  const auto joint = [&](const char* name, const std::string& axis, const char* range) {
    return "<joint name=\"" + side + name + "\" axis=\"" + axis + "\" range=\"" + range + "\"/>";
  };
  const auto geom = [&](const std::string& to, const char* size) {
    return "<geom fromto=\"0 0 0 " + to + "\" size=\"" + size + "\"/>";
  };
  const std::string body = "<body name=\"" + side;
  if (leg)
    return body + "_thigh\" pos=\"" + at(0, 0.11, -0.05) + "\">" + joint("_hip_x", "1 0 0", "-25 25") +
           joint("_hip_z", "0 0 1", "-45 35") + joint("_hip_y", "0 1 0", "-110 30") + geom(at(0, 0, -0.36), "0.06") +
           body + "_shin\" pos=\"" + at(0, 0, -0.42) + "\">" + joint("_knee", "0 -1 0", "-150 5") +
           geom(at(0, 0, -0.34), "0.05") + body + "_foot\" pos=\"" + at(0, 0, -0.42) + "\">" +
           joint("_ankle", "0 1 0", "-30 30") + geom(at(0.14, 0, 0), "0.04") + "</body></body></body>";
  return body + "_upper_arm\" pos=\"" + at(0, 0.2, 0.06) + "\">" + joint("_shoulder_x", "1 0 0", "-85 85") +
         joint("_shoulder_y", "0 1 0", "-85 85") + geom(at(0.05, 0.05, -0.26), "0.04") + body + "_lower_arm\" pos=\"" +
         at(0.05, 0.05, -0.3) + "\">" + joint("_elbow", "0 1 0", "-90 40") + geom(at(0.1, 0.02, -0.2), "0.035") +
         "</body></body>";
}

std::string humanoid() {
  return kHumanoidTorso + humanoid_side("left", 1, true) + humanoid_side("right", -1, true) + "</body></body>" +
         humanoid_side("left", 1, false) + humanoid_side("right", -1, false) + "</body></worldbody></mujoco>";
}

}  // namespace

std::vector<BatchModel> batch_models() {
  std::vector<BatchModel> models(3);
  models[0] = {"cart-pole", kCartPole, 4096, 0.01, 1.0, {"slide", "swing"}, 1.0};
  models[1] = {"ant", ant(), 1024, 0.01, 0.3, {}, 15.0};
  for (const char* kind : {"swing", "knee"})
    for (int i = 0; i < 4; ++i) models[1].driven.push_back(kind + std::to_string(i));
  models[2] = {"humanoid", humanoid(), 256, 0.005, 0.3, {"abdomen_x"}, 20.0};
  for (const char* side : {"left", "right"})
    for (const char* joint : {"_knee", "_ankle", "_elbow"}) models[2].driven.push_back(std::string(side) + joint);
  return models;
}

BatchModel batch_model(std::string name, std::string xml) {
  BatchModel model;
  model.name = std::move(name);
  model.xml = std::regex_replace(xml, std::regex("armature *= *\"[^\"]*\""), "");
  return model;
}

}  // namespace rigor
