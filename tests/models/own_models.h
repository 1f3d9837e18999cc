// Models of the tests' own with what robots of other programs typically have: nested default classes, child classes, an included file,
// capsules between two points, several joints of one body, welded bodies, equality constraints, tendons, sites, cameras, sensors, keyframes.
#pragma once

#include <filesystem>
#include <fstream>

namespace rigor::test {

inline constexpr const char* kHand = R"(<mujoco model="hand"><compiler angle="radian"/>
  <default><geom density="900"/><joint damping="0.1"/>
    <default class="finger"><geom type="capsule" size="0.01 0.03" rgba="1 0 0 1"/><joint type="slide" axis="0 1 0" limited="true" range="0 0.04"/>
      <default class="tip"><geom type="box" size="0.01 0.02 0.005" mass="0.02"/></default></default>
    <default class="look"><geom contype="0" conaffinity="0" group="2" mass="0"/></default></default>
  <worldbody><light pos="0 0 3"/><camera name="eye" pos="0 -2 1"/>
    <body name="palm" pos="0 0 0.5" quat="0.7 0.1 0.2 0.3"><freejoint name="root"/>
      <geom type="box" size="0.05 0.06 0.03"/><geom type="cylinder" size="0.02 0.05" pos="0.05 0 0.02" euler="0.3 0.2 0.1"/>
      <geom class="look" type="sphere" size="0.2"/><site name="palm site" pos="0.01 0 0"/>
      <body name="left" childclass="finger" pos="0 0.03 0.1"><joint name="j1"/><geom/><geom class="tip" pos="0 0 0.05"/>
        <body name="left tip" pos="0 0 0.08" axisangle="1 2 3 0.4"><geom class="tip"/><site name="left site"/></body></body>
      <body name="right" childclass="finger" pos="0 -0.03 0.1" euler="0 0 3.1"><joint name="j2"/><geom/>
        <body name="right tip" pos="0 0 0.08"><joint type="hinge" axis="1 0.2 0" pos="0 0.01 0" range="-1 1" armature="0"/><geom class="tip"/></body></body></body>
  </worldbody>
  <equality><joint joint1="j1" joint2="j2" polycoef="0 1 0 0 0"/></equality>
  <tendon><spatial name="string" limited="true" range="0 0.5"><site site="palm site"/><site site="left site"/></spatial></tendon>
  <actuator><position joint="j1" kp="100"/><motor joint="j2" gear="2" ctrllimited="true" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="j1"/></sensor></mujoco>)";

inline constexpr const char* kLeg = R"(<mujocoinclude>
  <body name="thigh" pos="0.1 0 -0.1"><joint name="hip_x" axis="1 0 0"/><joint name="hip_y" axis="0 1 0" ref="10" limited="true" range="-40 60"/><joint name="hip_z" axis="0 0 1"/>
    <geom type="capsule" fromto="0 0 0 0.02 0 -0.3" size="0.04"/>
    <body name="shin" pos="0.02 0 -0.32"><joint name="knee" axis="0 1 0" springdamper="0.05 0.7"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
      <body name="foot" pos="0 0 -0.33" zaxis="0.1 0 1"><joint name="ankle" type="ball" springdamper="0.1 1"/><geom type="ellipsoid" size="0.1 0.04 0.02" pos="0.03 0 0"/></body></body></body>
</mujocoinclude>)";

inline constexpr const char* kWalker =
    R"(<mujoco model="walker"><compiler eulerseq="XYZ" inertiafromgeom="auto"/><option gravity="0 0 -9.81"/>
  <default class="main"><geom density="1100"/><joint stiffness="3" springref="5"/></default>
  <worldbody><geom name="floor" type="plane" size="3 3 0.1"/>
    <body name="torso" pos="0 0 1.2" euler="10 20 30"><freejoint/><geom type="cylinder" size="0.1 0.2"/>
      <inertial pos="0.01 0.02 0.03" mass="9" fullinertia="0.3 0.25 0.2 0.01 -0.02 0.03"/>
      <include file="leg.inc"/>
      <body name="tail" pos="-0.1 0 0"><joint name="wag" type="slide" axis="0 1 1" ref="0.05" damping="2"/><joint name="turn" axis="0 1 1" frictionloss="0.1"/><geom size="0.06" pos="-0.1 0 0"/></body></body>
  </worldbody>
  <contact><exclude body1="torso" body2="tail"/></contact>
  <keyframe><key name="go" qpos="0.3 0.2 1.4 0.8 0 0.6 0  0.1 0.4 -0.2 0.5 0.6 0 0.8 0 0.12 0.3" qvel="1 -0.5 0.2 0.3 0.4 0.5  0.6 -0.7 0.8 0.9 0.2 0.1 -0.3 0.25 0.35"/></keyframe></mujoco>)";

inline void write_own_models(const std::filesystem::path& folder) {
  std::ofstream(folder / "own-hand.xml") << kHand;
  std::ofstream(folder / "leg.inc") << kLeg;
  std::ofstream(folder / "own-walker.xml") << kWalker;
}

}  // namespace rigor::test
