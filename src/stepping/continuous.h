// Fast bodies do not tunnel: a body whose center of mass could pass a surface that the body touches, because it moves farther in one step than
// that point is from the body's own surface, or that asks for it, is followed along its
// way and set back to where it first touches something. The next step finds the contact and answers it; the rest of the step's time
// is lost for that body. Its kinetic energy changes by the work F·Δx of the forces along the way back, so that it gains nothing.
//
// A moving fixed body goes on by w (h − t) after the impact at the time t. The body that was set back is therefore moved by the normal part of this
// path: otherwise both would overlap, or, on a lift that goes down, the body would be left behind in every step. It is not checked whether it meets something else there.
//
// A body that hangs on joints is set back only as far as it must not get lost, since that opens its joints: not at planes, which
// push out what is behind them, and elsewhere when its core arrives.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "narrowphase/time_of_impact.h"
#include "rigor/world.h"
#include "stepping/swept_boxes.h"
#include "threads/parallel.h"

namespace rigor {

/// m, half of the smallest extent of a shape: moving less than that in a step, it cannot pass a surface unnoticed.
double half_width(const Shape& shape);

/// When a moving shape hits another one, up to the time `until`. Shapes that touch already are left to the solver. That
/// contact may be at one corner only, so the core of the body, a ball about its center of mass, is still followed and
/// must not get through. With `core_only` only the core is followed in any case.
Impact followed_impact(const Shape& shape, const MovingPose& path, const Shape& met, const MovingPose& other,
                       double until, double tolerance, bool core_only);

/// Forces in N by slot: all forces if they are constant, otherwise gravity and user forces. Other forces may act
/// between bodies, and applying them to one of the two alone would change the momentum.
std::vector<Vec3> forces_from_outside(World& world, double time);

/// Scales the velocity of the center of mass so that its kinetic energy changes by `work`, J.
void add_work(BodyState& state, std::uint32_t slot, double work);

class ContinuousCollision {
 public:
  ContinuousCollision() = default;
  explicit ContinuousCollision(const World& world) { begin(world); }
  /// Stores the bodies' poses before they move, by slot. Call it after contacts are found, since waking changes slots.
  void begin(const World& world);
  /// `h` is the time in which they moved, `envelope` how near bodies may come to count as touching, m. `time` is when forces are
  /// evaluated for the energy of bodies that are set back; none: their velocities follow from their positions. Returns whether any
  /// was set back.
  bool stop_at_obstacles(World& world, double h, double envelope, std::optional<double> time = std::nullopt) const;
  /// The same for what LegCollision does not handle: bodies on joints, and all bodies at obstacles that cannot move. Calls `before` if
  /// bodies are about to be set back.
  bool stop_others(World& world, double h, double envelope, double time, const std::function<void()>& before) const;
  /// True if any body is fast.
  bool has_fast(const World& world, const ThreadPool& threads) const;
  /// The earliest time at which one of them would be stopped; h when none is.
  double first_stop(const World& world, double h, double envelope) const;

  /// The sizes of a body that decide whether it is fast.
  struct Known {
    BodyId id;
    bool continuous = false;
    double half_width = 0;  // m
    double radius = 0;      // m, from the center of mass to the farthest point
    /// m: a hull or cone that touches a surface and moves less has its center of mass still on the same side of it; half_width of
    /// other shapes.
    double inner = 0;
  };
  const Known& known(const World& world, std::uint32_t slot) const;
  /// m: a body that moves less in a step is not fast, whichever it is.
  double slowest_fast(const World& world) const;
  bool is_joined(const World& world, std::uint32_t slot) const;
  /// m, how near a body comes to what it meets.
  double tolerance(const World& world, std::uint32_t slot, double envelope) const;
  /// The poses that moving bodies had when begin() was called.
  const Vec3& start_position(std::uint32_t slot) const { return position_[slot]; }
  const Quat& start_orientation(std::uint32_t slot) const { return orientation_[slot]; }

 private:
  struct Stop {
    std::uint32_t slot;
    double time;             // s after the start
    Vec3 into;               // towards the obstacle if the core overlaps it from the start, else 0
    Vec3 obstacle_velocity;  // m/s, in that case
    Vec3 pushed;             // m: path of the obstacle after `time`, along the normal
    bool recedes = false;    // that path leads away from the body
  };
  static void push_after(const Impact& met, const MovingPose& path, const MovingPose& obstacle, double h, Stop& stop);
  std::vector<Stop> find_stops(const World& world, double h, double envelope, bool all) const;
  bool is_fast(const World& world, std::uint32_t slot) const;
  void set_back_turn(BodyState& state, std::uint32_t slot, const Vec3& angular_momentum, double time) const;
  bool set_back(World& world, std::span<const Stop> stops, double h, std::optional<double> time) const;
  /// A core that overlaps an obstacle and goes deeper: it loses the motion into the obstacle, but turns on. Contacts
  /// of a body that turns by radians in a step are stale before it ends, so they do not hold it.
  void hold_core(BodyState& state, const Stop& stop, double h) const;
  Stop first_touch(const World& world, std::uint32_t slot, std::span<const std::uint32_t> near, double h,
                   double tolerance) const;
  MovingPose moving(const World& world, std::uint32_t slot, double h) const;
  Aabb swept_box(const World& world, std::uint32_t slot) const;
  Aabb swept_ball(const World& world, std::uint32_t slot) const;
  std::vector<Aabb> swept_balls(const World& world) const;
  bool may_open_joints(const World& world, std::uint32_t slot) const;

  std::vector<Vec3> position_;  // by slot, of bodies that move
  std::vector<Quat> orientation_;
  mutable std::vector<bool> is_joined_;  // empty until needed
  mutable std::vector<Known> known_;     // by slot, as far as the definitions are the same; kept from step to step
  mutable double slowest_fast_ = -1;     // m, of all bodies; negative: not known
  std::uint64_t known_version_ = 0;
};

}  // namespace rigor
