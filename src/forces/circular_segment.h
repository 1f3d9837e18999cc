// The part of a disc on one side of a line.
#pragma once

namespace rigor {

struct CircularSegment {
  double area = 0;    // m²
  double moment = 0;  // m³, ∫ x dA
};

/// The part of the disc x² + z² <= R² with n x <= t, n >= 0. With n = 0 it is the whole disc or
/// empty.
CircularSegment circular_segment(double radius, double n, double t);

/// Angle of the vector (x, y) with x, y >= 0, in [0, π/2]. Made of correctly rounded operations
/// only, because the C library's atan2 differs from machine to machine.
double angle_in_first_quadrant(double y, double x);

}  // namespace rigor
