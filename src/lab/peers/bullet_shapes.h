// Converts Rigor's types to Bullet's.
#pragma once

#ifdef RIGOR_HAVE_BULLET

#include <btBulletCollisionCommon.h>

#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

inline btScalar to_bullet(double v) { return static_cast<btScalar>(v); }
inline btVector3 to_bullet(const Vec3& v) { return {to_bullet(v.x), to_bullet(v.y), to_bullet(v.z)}; }
inline btQuaternion to_bullet(const Quat& q) {
  return {to_bullet(q.x), to_bullet(q.y), to_bullet(q.z), to_bullet(q.w)};
}
inline btTransform to_bullet(const Transform& t) {
  return btTransform(to_bullet(t.rotation), to_bullet(t.translation));
}

inline Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/// Box, sphere, capsule or plane; null for others.
inline std::unique_ptr<btCollisionShape> simple_bullet_shape(const Shape& s) {
  if (const Box* b = s.as<Box>()) return std::make_unique<btBoxShape>(to_bullet(b->half));
  if (const Sphere* b = s.as<Sphere>()) return std::make_unique<btSphereShape>(to_bullet(b->radius));
  if (const Capsule* c = s.as<Capsule>())
    return std::make_unique<btCapsuleShape>(to_bullet(c->radius), to_bullet(2 * c->half_length));
  if (s.as<Plane>()) return std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0));
  return nullptr;
}

}  // namespace rigor

#endif
