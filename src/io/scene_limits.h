// Limits of scene files. The bounds are generous; they keep squares, volumes and moments of inertia far from overflow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rigor {

/// Both ends are included.
struct Range {
  double min, max;
};

inline constexpr Range kPositionRange{-1e12, 1e12};  // m
inline constexpr Range kAnchorRange{-1e11, 1e11};    // m, so that it is a position in the coordinates of any body
inline constexpr Range kLengthRange{1e-9, 1e12};     // m, sizes of shapes
inline constexpr Range kGapRange{0, 1e12};           // m
inline constexpr Range kVelocityRange{-1e9, 1e9};    // m/s and rad/s
inline constexpr Range kSpeedRange{0, 1e9};          // m/s and rad/s
inline constexpr Range kAccelerationRange{-1e12, 1e12};
inline constexpr Range kForceRange{-1e50, 1e50};     // N and N m
inline constexpr Range kStrengthRange{1e-50, 1e50};  // N and N m, what breaks a joint
inline constexpr Range kErpRange{0, 1};              // -, part of a joint's error that one step removes
inline constexpr Range kMassRange{1e-30, 1e50};      // kg
inline constexpr Range kDampingRange{0, 1e9};        // 1/s
inline constexpr Range kGravityFactorRange{-1e9, 1e9};
inline constexpr Range kInertiaRange{-1e75, 1e75};   // kg m², checked further by check_inertia()
inline constexpr Range kDensityRange{1e-9, 1e18};    // kg/m³
inline constexpr Range kFrictionRange{0, 1e6};       // -
inline constexpr Range kRestitutionRange{0, 1};      // -
inline constexpr Range kStepRange{1e-9, 1e9};        // s
inline constexpr Range kDurationRange{1e-9, 1e12};   // s
inline constexpr Range kEndTimeRange{0, 1e12};       // s
inline constexpr Range kSpeedUpRange{1e-9, 1e9};     // -
inline constexpr Range kQuaternionRange{-1e9, 1e9};  // before it is normalised
inline constexpr Range kDegreesRange{-1e6, 1e6};
inline constexpr Range kParameterRange{-1e60, 1e60};  // of forces and methods, on top of their own ranges

inline constexpr std::size_t kMaxBodies = 2'000'000;
/// A few numbers of a generator must not fill the memory by mistake: more needs "most_bodies".
inline constexpr std::size_t kMaxGeneratedBodies = 100'000;
inline constexpr std::size_t kMaxNameLength = 200;                  // bytes
inline constexpr std::size_t kMaxTextLength = 100'000;              // bytes, of the description
inline constexpr std::size_t kMaxFileSize = 512'000'000;            // bytes
inline constexpr std::int64_t kMaxGridSamples = 30'000;             // of a height field, along one side
inline constexpr std::int64_t kMaxCount = 2'000'000'000;            // of a generator, before they are multiplied
inline constexpr std::int64_t kMaxInteger = 9'007'199'254'740'991;  // that every double can hold
inline constexpr std::int64_t kMaxConvexParts = 4096;               // of a decomposition
inline constexpr int kGroupCount = 32;

}  // namespace rigor
