// A picture of a session as the page receives it: one binary message, little-endian, made for one page when it asks for it.
//
//   u32 'RIG2'   u32 number of the frame   f64 time, s   f64 step   u32 simulations   u32 flags (1: playing)
//   sections until the end, each beginning at a multiple of eight bytes:
//     u32 kind   u32 simulation   u32 count   u32 layer   payload, padded to a multiple of eight bytes
//
//   kind          payload, `count` times
//   1 poses       f32 x y z qw qx qy qz, by index of the body's id
//   2 flags       u8: 0 no body, else 1 + BodySet
//   3 points      f32 x y z value
//   4 vectors     f32 x y z dx dy dz value
//   5 boxes       f32 lower, upper, value
//   6 ellipsoids  f32 position, quaternion (w first), radii, value
//   7 samples     f64 step, time, then all channels of all simulations; `layer` is the number of f64 in one
//   8 text        u8: JSON {"hashes", "reports", "impacts": [[speed, impulse, a, b]], "slides": [[speed, power, a, b]], "inspected", "pulls"}
//   9 bodies      u32 index of the body's id, f32 value
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rigor/debug_draw.h"
#include "rigor/ids.h"
#include "viewer/session.h"

namespace rigor::viewer {

/// What one page displays, and what it has received already.
struct FrameOptions {
  std::vector<DebugLayer> layers;
  BodyId inspected;
  bool sounds = false;  // the frame lists sliding contacts, too
  std::uint64_t next_sample = 0;
  std::uint32_t number = 0;
  double real_time_factor = 0;
  std::vector<std::string> reports;      // not told yet
  std::vector<Session::Impact> impacts;  // not told yet
};

/// What a frame shows: simulations in lock-step, and where there are some, the samples so far and the hands on the bodies.
struct FrameSource {
  std::span<const Simulation> runs;
  bool playing = false;
  const std::deque<SampleRow>* samples = nullptr;
  const std::map<int, MouseSpring>* springs = nullptr;
};
std::string make_frame(const FrameSource& source, FrameOptions& options);
std::string make_frame(const Session& session, FrameOptions& options);

}  // namespace rigor::viewer
