// Contact points of round bodies between two collision detections. A point that is fixed in a ball turns away from the point of
// contact: after a few sub-steps friction would act beside the lowest point, and belts and slopes would drive the ball too slowly.
#pragma once

#include <vector>

#include "constraints/contact_geometry.h"
#include "rigor/contacts.h"
#include "rigor/world.h"

namespace rigor {

class RoundContacts {
 public:
  /// Stores the surfaces of the contacts that were just found, if one of them is round.
  void begin(const World& world, const ContactList& contacts);
  /// Updates points, normals and tangents at the present poses.
  void follow(const World& world, ContactList& contacts) const;

 private:
  struct Point {
    std::size_t contact;
    int point;
    ContactGeometry geometry;
    Vec3 found_normal;
  };
  std::vector<Point> points_;
};

}  // namespace rigor
