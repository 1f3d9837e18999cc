// Robots of the tests' own in the manner of published descriptions: nested defaults, child classes, includes, mirrored meshes, free joints, equality
// constraints, tendons, ball joints with ranges; mimic, continuous, planar and floating joints, rotated inertias, transmissions, tags of simulators.
#pragma once

#include <filesystem>
#include <fstream>

namespace rigor::test {

/// A tetrahedron with unequal edges, whose mirror image is another solid.
inline constexpr const char* kTetrahedron =
    "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0.03 0.02 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// Four legs with a class for each kind of joint, mirrored by the signs of positions.
inline constexpr const char* kQuadruped = R"(<mujoco model="quadruped"><compiler angle="radian" autolimits="true"/>
  <default><default class="dog"><joint axis="0 1 0" damping="1" frictionloss="0.2"/><motor ctrlrange="-23.7 23.7"/><geom type="capsule" friction="0.6"/>
      <default class="abduction"><joint axis="1 0 0" range="-1.05 1.05"/></default>
      <default class="hip"><default class="front_hip"><joint range="-1.6 3.5"/></default><default class="back_hip"><joint range="-0.5 4.5"/></default></default>
      <default class="knee"><joint range="-2.7 -0.84"/><motor ctrlrange="-45 45"/></default>
      <default class="collision"><geom group="3"/><default class="foot"><geom type="sphere" size="0.022" pos="-0.002 0 -0.213" priority="1" condim="6" friction="0.8 0.02 0.01"/></default></default>
      <default class="visual"><geom type="box" size="0.05 0.05 0.05" contype="0" conaffinity="0" group="2" density="0"/></default></default></default>
  <worldbody><light name="spot" mode="targetbodycom" target="base" pos="0 -1 2"/>
    <body name="base" pos="0 0 0.445" childclass="dog"><inertial pos="0.02 0 -0.0005" quat="-0.0013 0.704 0.0024 0.71" mass="6.921" diaginertia="0.107 0.098 0.0245"/>
      <freejoint/><geom class="visual"/><geom class="collision" size="0.05 0.09" pos="0 0 0" quat="1 0 1 0"/><site name="imu" pos="-0.026 0 0.065"/>
      <body name="FL_hip" pos="0.19 0.047 0"><inertial pos="-0.005 0.002 0" quat="0.49 0.51 -0.495 0.505" mass="0.678" diaginertia="0.00088 0.00060 0.00047"/><joint class="abduction" name="FL_a"/>
        <body name="FL_thigh" pos="0 0.0955 0"><inertial pos="-0.004 -0.022 -0.027" quat="0.68 -0.05 0.05 0.73" mass="1.152" diaginertia="0.0059 0.0058 0.001"/><joint class="front_hip" name="FL_h"/>
          <body name="FL_calf" pos="0 0 -0.213"><inertial pos="0.005 -0.001 -0.13" quat="0.7 0 0 0.7" mass="0.241" diaginertia="0.0014 0.0014 0.00005"/><joint class="knee" name="FL_k"/><geom class="collision" size="0.012 0.06" pos="0.008 0 -0.06" quat="0.99 0 -0.1 0"/><geom class="foot"/></body></body></body>
      <body name="RR_hip" pos="-0.19 -0.047 0"><inertial pos="0.005 -0.002 0" quat="0.51 0.49 0.505 -0.495" mass="0.678" diaginertia="0.00088 0.00060 0.00047"/><joint class="abduction" name="RR_a"/>
        <body name="RR_thigh" pos="0 -0.0955 0"><geom size="0.02 0.1" pos="0 0 -0.1"/><joint class="back_hip" name="RR_h"/>
          <body name="RR_calf" pos="0 0 -0.213" childclass="knee"><geom fromto="0 0 0 0.01 0 -0.2" size="0.015" density="800"/><joint name="RR_k" pos="0 0 0.002"/><geom class="foot"/></body></body></body></body>
  </worldbody>
  <actuator><motor class="abduction" joint="FL_a"/><motor class="knee" joint="FL_k" gear="1.5"/><general class="hip" joint="FL_h" gainprm="20" biastype="affine" biasprm="0 -20 -0.5"/></actuator>
  <sensor><accelerometer site="imu"/><gyro site="imu"/></sensor></mujoco>)";

/// A gripper with a four-bar held by connects, fixed and spatial tendons and a coupled pair.
inline constexpr const char* kGripper =
    R"(<mujoco model="gripper"><compiler angle="degree" eulerseq="zyx" autolimits="true"/><option timestep="0.001"/>
  <default><joint stiffness="0.05" springref="3"/><default class="pad"><geom type="box" size="0.011 0.004 0.0094" mass="0.0035"/></default></default>
  <worldbody><geom type="plane" size="0 0 0.05"/>
    <body name="mount" pos="0.1 0.2 0.5" euler="30 20 10"><joint name="lift" type="slide" axis="0 0 1" range="-0.5 0.5"/><geom type="cylinder" size="0.04 0.02" mass="0.3"/>
      <body name="right_driver" pos="0 0.0306 0.0548"><joint name="right_driver_joint" axis="1 0 0" range="0 45"/><geom type="capsule" fromto="0 0 0 0 0.03 0.02" size="0.006" mass="0.009"/>
        <body name="right_coupler" pos="0 0.0315 -0.0041"><joint name="right_coupler_joint" axis="1 0 0" range="-90 0"/><geom type="box" size="0.01 0.005 0.02" mass="0.014"/></body></body>
      <body name="right_link" pos="0 0.0132 0.0609" quat="0 0 0 1"><joint name="right_link_joint" axis="1 0 0" range="-17 50"/><geom type="box" size="0.01 0.006 0.02" mass="0.022"/>
        <body name="right_follower" pos="0 0.055 0.0375"><joint name="right_follower_joint" axis="1 0 0" pos="0 -0.018 0.0065"/><geom type="box" size="0.01 0.01 0.01" mass="0.013"/><geom class="pad" pos="0 -0.02 0.02"/><site name="grip"/></body></body>
      <body name="left_driver" pos="0 -0.0306 0.0548" quat="0 0 0 1"><joint name="left_driver_joint" axis="1 0 0" range="0 45"/><geom type="capsule" fromto="0 0 0 0 0.03 0.02" size="0.006" mass="0.009"/></body></body>
  </worldbody>
  <contact><exclude body1="mount" body2="right_driver"/><exclude body1="right_coupler" body2="right_follower"/></contact>
  <tendon><fixed name="split"><joint joint="right_driver_joint" coef="0.5"/><joint joint="left_driver_joint" coef="0.5"/></fixed>
    <spatial name="cord" range="0 0.4"><site site="grip"/><site site="anchor"/></spatial></tendon>
  <equality><connect body1="right_follower" body2="right_coupler" anchor="0 0 0" solimp="0.95 0.99 0.001"/><joint joint1="right_driver_joint" joint2="left_driver_joint"/></equality>
  <actuator><general tendon="split" ctrlrange="0 255" gainprm="0.3137" biastype="affine" biasprm="0 -100 -10"/></actuator>
  <worldbody><site name="anchor" pos="0 0 0.8"/></worldbody></mujoco>)";

/// Ball joints with ranges, a weld, nested frames of rotation conventions and an inertia from geoms of some groups only.
inline constexpr const char* kTorsoModel =
    R"(<mujoco model="upper body"><compiler inertiafromgeom="true" inertiagrouprange="0 1" eulerseq="XYZ" autolimits="true"/>
  <default><geom density="985"/><default class="bone"><geom type="capsule" size="0.03"/><joint stiffness="10" damping="1"/></default></default>
  <worldbody>
    <body name="pelvis" pos="0 0 1" axisangle="1 1 0 25"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom type="box" size="0.12 0.08 0.06"/><geom type="sphere" size="0.3" group="4"/>
      <body name="chest" pos="0 0 0.25" childclass="bone"><joint name="spine" type="ball" range="0 40"/><geom fromto="-0.1 0 0 0.1 0 0.2"/><geom type="ellipsoid" size="0.12 0.08 0.2" group="1" pos="0 0.02 0.1" euler="5 -10 15"/>
        <body name="upper_arm" pos="0.2 0 0.2" xyaxes="0 1 0 -1 0 0.2"><joint name="shoulder" type="ball" pos="0 0 0.02" range="0 90"/><geom fromto="0 0 0 0 0 -0.3"/>
          <body name="forearm" pos="0 0 -0.3" zaxis="0.2 0.1 1"><joint name="elbow" axis="0 1 0" range="-130 0"/><joint name="twist" axis="0 0 1"/><geom fromto="0 0 0 0.02 0 -0.25" size="0.025"/>
            <body name="hand" pos="0.02 0 -0.3"><geom class="main" type="box" size="0.04 0.015 0.06" mass="0.4"/></body></body></body></body></body>
    <body name="tool" pos="0.5 0 0.4"><freejoint name="tool free"/><geom type="cylinder" size="0.02 0.15" mass="0.7"/><geom type="box" size="0.06 0.03 0.03" pos="0 0 0.15" mass="1.1"/></body>
  </worldbody><equality><weld body1="hand" body2="tool" active="false"/></equality></mujoco>)";

/// Meshes with scales, mirrored ones among them. MuJoCo has meshes in single precision, so that the masses are given.
inline constexpr const char* kMeshArm = R"(<mujoco model="mesh arm"><compiler meshdir="." balanceinertia="false"/>
  <asset><mesh name="part" file="tetrahedron.obj"/><mesh name="mirror" file="tetrahedron.obj" scale="1 -1 1"/><mesh name="small" file="tetrahedron.obj" scale="0.5 0.4 0.3"/>
    <material name="steel" rgba="0.5 0.5 0.6 1" specular="0.3"/></asset>
  <worldbody><body name="link1" pos="0 0 0.2"><joint axis="0 0 1"/><inertial pos="0.0575 0.03 0.075" mass="2.7" diaginertia="0.013 0.012 0.004"/><geom type="mesh" mesh="part" material="steel" density="2700"/>
    <body name="link2" pos="0 0 0.3" quat="1 0.3 0 0"><joint axis="0 1 0"/><inertial pos="0.1 -0.03 0.07" quat="1 0.1 0 0.2" mass="2.7" diaginertia="0.013 0.012 0.004"/><geom type="mesh" mesh="mirror" density="2700" pos="0.05 0 0" euler="10 0 0"/>
      <body name="link3" pos="0.1 0 0.2"><joint axis="1 1 0"/><inertial pos="0.03 0.01 0.02" mass="0.8" diaginertia="0.0005 0.0004 0.0002"/><geom type="mesh" mesh="small" mass="0.8"/><geom type="mesh" mesh="mirror" contype="0" conaffinity="0" density="0"/></body></body></body></worldbody></mujoco>)";

/// Replicated wheels and a rope of bodies, a car with welded parts; sections given twice.
inline constexpr const char* kTruck = R"(<mujoco model="truck"><compiler autolimits="true"/><option gravity="0 0 -3.7"/>
  <default><default class="wheel"><geom type="cylinder" size="0.1 0.03" zaxis="0 1 0" friction="1.2 0.01"/><joint axis="0 1 0" damping="0.01"/></default></default>
  <worldbody><body name="chassis" pos="0 0 0.2"><freejoint/><geom type="box" size="0.3 0.15 0.05" mass="8"/><geom type="box" size="0.1 0.14 0.08" pos="0.15 0 0.12" mass="3" euler="0 5 0"/>
      <body name="wheel_fl" pos="0.25 0.2 -0.1" childclass="wheel"><joint name="fl_up" type="slide" axis="0 0 1" stiffness="900" damping="40" range="-0.05 0.05"/><joint name="fl"/><geom/></body>
      <body name="wheel_fr" pos="0.25 -0.2 -0.1" childclass="wheel"><joint name="fr_steer" axis="0 0 1" range="-30 30"/><joint name="fr"/><geom/></body>
      <body name="wheel_r" pos="-0.25 0 -0.1" childclass="wheel"><joint name="rear"/><geom pos="0 0.2 0"/><geom pos="0 -0.2 0"/></body>
      <body name="mast" pos="-0.2 0 0.05"><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02" mass="0.6"/><body name="lamp" pos="0 0 0.5" euler="0 90 0"><geom type="cylinder" size="0.05 0.02" mass="0.2"/></body></body></body></worldbody>
  <worldbody><body name="trailer" pos="-0.8 0 0.2"><freejoint/><geom type="box" size="0.25 0.15 0.05" density="400"/></body></worldbody>
  <actuator><velocity joint="rear" kv="4"/><position joint="fr_steer" kp="60"/></actuator></mujoco>)";

/// Options for MuJoCo's URDF reader: it must not merge links that fixed joints connect.
#define RIGOR_MUJOCO_TAG                                                               \
  "<mujoco><compiler fusestatic=\"false\" discardvisual=\"true\" strippath=\"false\" " \
  "balanceinertia=\"false\"/></mujoco>"

/// An arm with rotated inertias, a gripper that mimics, transmissions and tags of simulators.
inline constexpr const char* kUrdfArm = R"(<?xml version="1.0"?><robot name="arm">)" RIGOR_MUJOCO_TAG R"(
  <material name="grey"><color rgba="0.6 0.6 0.6 1"/></material>
  <link name="world"/><link name="base"><inertial><mass value="4"/><origin xyz="0 0 0.05" rpy="0 0 0"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="0.1"/></geometry><material name="grey"/></visual><collision><geometry><cylinder radius="0.1" length="0.1"/></geometry></collision></link>
  <joint name="base_fixed" type="fixed"><parent link="world"/><child link="base"/></joint>
  <link name="shoulder"><inertial><mass value="3.7"/><origin xyz="0.01 -0.02 0.1" rpy="0.3 -0.2 1.1"/><inertia ixx="0.0148" ixy="0.001" ixz="-0.002" iyy="0.0138" iyz="0.0007" izz="0.01"/></inertial></link>
  <joint name="pan" type="revolute"><parent link="base"/><child link="shoulder"/><origin xyz="0 0 0.15" rpy="0 0 1.57079632679"/><axis xyz="0 0 1"/><limit lower="-3.1" upper="3.1" effort="150" velocity="3.15"/><dynamics damping="0.4" friction="0.1"/></joint>
  <link name="upper"><inertial><mass value="8.393"/><origin xyz="0.2 0 0.14"/><inertia ixx="0.03" ixy="0.0002" ixz="-0.01" iyy="0.227" iyz="0" izz="0.225"/></inertial>
    <collision><origin xyz="0.2 0 0.14" rpy="0 1.5707963 0"/><geometry><cylinder radius="0.06" length="0.4"/></geometry></collision></link>
  <joint name="lift" type="continuous"><parent link="shoulder"/><child link="upper"/><origin xyz="0 0.1358 0" rpy="0 1.2 0.1"/><axis xyz="0 1 0"/></joint>
  <link name="palm"><inertial><mass value="0.7"/><origin xyz="0 0 0.03"/><inertia ixx="0.001" ixy="0" ixz="0.0001" iyy="0.0012" iyz="0" izz="0.0009"/></inertial></link>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="palm"/><origin xyz="0.42 0 0.1" rpy="0 0.7 0"/><axis xyz="0.6 0 0.8"/><limit lower="-2" upper="2" effort="28" velocity="3"/></joint>
  <link name="left"><inertial><mass value="0.05"/><inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.00001"/></inertial></link>
  <joint name="left_finger" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0.01 0.07"/><axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>
  <link name="right"><inertial><mass value="0.05"/><inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.00001"/></inertial></link>
  <joint name="right_finger" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 -0.01 0.07"/><axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="0" velocity="0.2"/><mimic joint="left_finger" multiplier="1"/></joint>
  <transmission name="t1"><type>transmission_interface/SimpleTransmission</type><joint name="pan"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint><actuator name="m1"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>
  <gazebo reference="base"><material>Gazebo/Grey</material></gazebo><gazebo><plugin filename="libgazebo_ros_control.so" name="control"/></gazebo></robot>)";

/// A mobile base with continuous wheels and a caster, meshes with a negative scale, links without mass between others.
inline constexpr const char* kUrdfBase = R"(<?xml version="1.0"?><robot name="rover">)" RIGOR_MUJOCO_TAG R"(
  <link name="world"/><joint name="root" type="floating"><parent link="world"/><child link="body"/><origin xyz="0 0 0.2" rpy="0 0.1 0"/></joint>
  <link name="body"><inertial><mass value="10.5"/><origin xyz="-0.02 0.01 0.08" rpy="0 0 0.4"/><inertia ixx="0.2" ixy="0.01" ixz="0.02" iyy="0.3" iyz="-0.01" izz="0.35"/></inertial>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.5 0.3 0.12"/></geometry></collision></link>
  <link name="wheel_l"><inertial><mass value="0.9"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.0035" iyz="0" izz="0.002"/></inertial><collision><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.09" length="0.04"/></geometry></collision></link>
  <joint name="left" type="continuous"><parent link="body"/><child link="wheel_l"/><origin xyz="0.1 0.17 0"/><axis xyz="0 1 0"/><limit effort="6" velocity="12"/></joint>
  <link name="wheel_r"><inertial><mass value="0.9"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.0035" iyz="0" izz="0.002"/></inertial><collision><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.09" length="0.04"/></geometry></collision></link>
  <joint name="right" type="continuous"><parent link="body"/><child link="wheel_r"/><origin xyz="0.1 -0.17 0"/><axis xyz="0 1 0"/></joint>
  <link name="fork"><inertial><mass value="0.3"/><origin xyz="-0.02 0 -0.03"/><inertia ixx="0.0004" ixy="0" ixz="0.0001" iyy="0.0004" iyz="0" izz="0.0002"/></inertial></link>
  <joint name="swivel" type="continuous"><parent link="body"/><child link="fork"/><origin xyz="-0.2 0 0"/><axis xyz="0 0 1"/><dynamics damping="0.01"/></joint>
  <link name="ball"><inertial><mass value="0.2"/><inertia ixx="0.0001" ixy="0" ixz="0" iyy="0.0001" iyz="0" izz="0.0001"/></inertial><collision><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="roll" type="continuous"><parent link="fork"/><child link="ball"/><origin xyz="-0.03 0 -0.05" rpy="0.2 0 0"/><axis xyz="0 1 0"/></joint></robot>)";

/// Two arms whose links have their axes along odd directions and a branching torso.
inline constexpr const char* kUrdfTorso = R"(<?xml version="1.0"?><robot name="torso">)" RIGOR_MUJOCO_TAG R"(
  <link name="world"/><link name="column"><inertial><mass value="12"/><origin xyz="0 0 0.4"/><inertia ixx="0.9" ixy="0" ixz="0" iyy="0.9" iyz="0" izz="0.1"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="world"/><child link="column"/><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/><limit lower="0" upper="0.5" effort="500" velocity="0.1"/></joint>
  <link name="la1"><inertial><mass value="2"/><origin xyz="0.05 0.1 0" rpy="0.5 0.4 0.3"/><inertia ixx="0.01" ixy="0.002" ixz="0.001" iyy="0.02" iyz="-0.001" izz="0.015"/></inertial></link>
  <joint name="l1" type="revolute"><parent link="column"/><child link="la1"/><origin xyz="0 0.2 0.8" rpy="-1.2 0.3 0"/><axis xyz="1 2 3"/><limit lower="-1" upper="2" effort="40" velocity="2"/></joint>
  <link name="la2"><inertial><mass value="1.2"/><origin xyz="0 0 0.15"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
  <joint name="l2" type="revolute"><parent link="la1"/><child link="la2"/><origin xyz="0.1 0.2 0" rpy="0 0 -0.7"/><axis xyz="0 -1 0"/><limit lower="-2" upper="0.1" effort="40" velocity="2"/></joint>
  <link name="ra1"><inertial><mass value="2"/><origin xyz="0.05 -0.1 0" rpy="-0.5 0.4 -0.3"/><inertia ixx="0.01" ixy="-0.002" ixz="0.001" iyy="0.02" iyz="0.001" izz="0.015"/></inertial></link>
  <joint name="r1" type="revolute"><parent link="column"/><child link="ra1"/><origin xyz="0 -0.2 0.8" rpy="1.2 0.3 0"/><axis xyz="1 -2 3"/><limit lower="-1" upper="2" effort="40" velocity="2"/></joint>
  <link name="head"><inertial><mass value="1.5"/><origin xyz="0 0.01 0.1"/><inertia ixx="0.006" ixy="0" ixz="0" iyy="0.006" iyz="0" izz="0.004"/></inertial></link>
  <joint name="neck" type="continuous"><parent link="column"/><child link="head"/><origin xyz="0 0 0.95"/><axis xyz="0 0 1"/></joint></robot>)";

/// A floating base with a pendulum on a planar joint. MuJoCo knows floating joints, and no planar ones.
inline constexpr const char* kUrdfFloat = R"(<?xml version="1.0"?><robot name="float">)" RIGOR_MUJOCO_TAG R"(
  <link name="world"/><link name="hull"><inertial><mass value="5"/><origin xyz="0.1 0 0"/><inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
  <joint name="free" type="floating"><parent link="world"/><child link="hull"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/></joint>
  <link name="boom"><inertial><mass value="0.5"/><origin xyz="0 0 -0.3" rpy="0 0.3 0"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="hull"/><child link="boom"/><origin xyz="0.2 0 0" rpy="0 0 0.5"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)";

inline void write_own_robots(const std::filesystem::path& folder) {
  std::ofstream(folder / "tetrahedron.obj") << kTetrahedron;
  std::ofstream(folder / "own-quadruped.xml") << kQuadruped;
  std::ofstream(folder / "own-gripper.xml") << kGripper;
  std::ofstream(folder / "own-torso.xml") << kTorsoModel;
  std::ofstream(folder / "own-mesh-arm.xml") << kMeshArm;
  std::ofstream(folder / "own-truck.xml") << kTruck;
  std::ofstream(folder / "own-arm.urdf") << kUrdfArm;
  std::ofstream(folder / "own-rover.urdf") << kUrdfBase;
  std::ofstream(folder / "own-torso.urdf") << kUrdfTorso;
  std::ofstream(folder / "own-float.urdf") << kUrdfFloat;
}

}  // namespace rigor::test
