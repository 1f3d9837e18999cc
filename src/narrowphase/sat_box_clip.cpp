// The common part of a parallelogram and a rectangle: twelve candidates, no loop over a growing polygon.
//
// Its corners are where the sides of the parallelogram enter and leave the rectangle (Liang and Barsky 1984, "A new concept
// and method for line clipping": parameters of the four lines, then the largest entry and the smallest exit) and the corners of
// the rectangle inside of the parallelogram. A side that enters at its very start gives the corner of the parallelogram.
// Candidates are written unconditionally and counted when valid: what a box does on another is hard for a branch predictor.
//
// Which sides cross is decided with a rectangle that is larger by a slack, so that equal faces upon each other keep their keys;
// points are then moved onto the rectangle, and their height is that of the parallelogram's plane there.
#include "narrowphase/sat_box_clip.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

struct Clipper {
  Parallelogram q;
  ClipRectangle r;
  double envelope, slack;
  double slope_x, slope_y;  // of the plane: h = c.h + slope·(p - c)
  PlanarPoint* out;
  int count = 0;

  double height(double x, double y) const { return q.c.h + slope_x * (x - q.c.x) + slope_y * (y - q.c.y); }

  void candidate(double x, double y, bool valid, std::uint32_t key) {
    x = std::min(std::max(x, -r.half_x), r.half_x);
    y = std::min(std::max(y, -r.half_y), r.half_y);
    const double h = height(x, y);
    out[count] = {x, y, h, key};
    count += int{valid} & int{h <= envelope};
  }
};

/// 1 / d, large but finite for d = 0: 0 times it is still 0.
double reciprocal(double d) { return 1.0 / (std::abs(d) < 1e-150 ? std::copysign(1e-150, d) : d); }

/// One side of the parallelogram, from m - d to m + d, and what it says about itself: its own source and that of the side
/// before it.
void clip_side(Clipper& c, double mx, double my, double dx, double dy, double inverse_x, double inverse_y,
               std::uint32_t own, std::uint32_t before) {
  const ClipRectangle& r = c.r;
  const double middle_x = -mx * inverse_x, reach_x = (r.half_x + c.slack) * std::abs(inverse_x);
  const double middle_y = -my * inverse_y, reach_y = (r.half_y + c.slack) * std::abs(inverse_y);
  const double enter_x = middle_x - reach_x, enter_y = middle_y - reach_y;
  const double leave_x = middle_x + reach_x, leave_y = middle_y + reach_y;
  const double enter = std::max(enter_x, enter_y), leave = std::min(leave_x, leave_y);
  const double t0 = std::max(-1.0, enter), t1 = std::min(1.0, leave);
  const bool right = inverse_x > 0, up = inverse_y > 0;
  const std::uint32_t entry = enter_x > enter_y ? (right ? r.x_minus : r.x_plus) : (up ? r.y_minus : r.y_plus);
  const std::uint32_t exit = leave_x < leave_y ? (right ? r.x_plus : r.x_minus) : (up ? r.y_plus : r.y_minus);
  // A side that ends inside leaves its last corner to the next one.
  c.candidate(mx + t0 * dx, my + t0 * dy, t0 < t1, feature_key(own, enter > -1.0 ? entry : before));
  c.candidate(mx + t1 * dx, my + t1 * dy, (t0 < t1) & (leave < 1.0), feature_key(own, exit));
}

/// The corners of the rectangle that lie in the parallelogram: p = c + alpha u + beta v with |alpha|, |beta| <= 1.
void rectangle_corners(Clipper& c, double inverse_det) {
  const Parallelogram& q = c.q;
  const double hx = c.r.half_x + c.slack, hy = c.r.half_y + c.slack;
  const double ax = q.v.y * inverse_det, ay = -q.v.x * inverse_det, bx = -q.u.y * inverse_det, by = q.u.x * inverse_det;
  const double alpha = -ax * q.c.x - ay * q.c.y, beta = -bx * q.c.x - by * q.c.y;
  const auto corner = [&](double x, double y, std::uint32_t x_side, std::uint32_t y_side) {
    const bool inside = (std::abs(alpha + ax * x + ay * y) <= 1.0) & (std::abs(beta + bx * x + by * y) <= 1.0);
    c.candidate(x, y, inside, feature_key(x_side, y_side));
  };
  corner(hx, hy, c.r.x_plus, c.r.y_plus);
  corner(-hx, hy, c.r.x_minus, c.r.y_plus);
  corner(-hx, -hy, c.r.x_minus, c.r.y_minus);
  corner(hx, -hy, c.r.x_plus, c.r.y_minus);
}

/// The two long sides of a segment give everything twice.
int without_repeats(PlanarPoint* points, int count, double slack) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const auto same = [&](const PlanarPoint& p) {
      return std::abs(p.x - points[i].x) + std::abs(p.y - points[i].y) <= 4 * slack;
    };
    if (std::none_of(points, points + kept, same)) points[kept++] = points[i];
  }
  return kept;
}

}  // namespace

int clip_parallelogram(const Parallelogram& q, const ClipRectangle& r, double envelope, PlanarPoint* out) {
  const double uu = q.u.x * q.u.x + q.u.y * q.u.y, vv = q.v.x * q.v.x + q.v.y * q.v.y;
  const double det = q.u.x * q.v.y - q.u.y * q.v.x, inverse_det = 1.0 / det;
  Clipper c{q, r, envelope, kClipSlack * (r.half_x + r.half_y), (q.u.h * q.v.y - q.v.h * q.u.y) * inverse_det,
            (q.u.x * q.v.h - q.v.x * q.u.h) * inverse_det, out};
  const bool flat = std::abs(det) <= 1e-12 * (uu + vv);
  if (flat) {  // the edge of a card: a segment
    const Projected& w = uu > vv ? q.u : q.v;
    const double ww = std::max(uu, vv);
    c.slope_x = ww > 0 ? w.h * w.x / ww : 0;
    c.slope_y = ww > 0 ? w.h * w.y / ww : 0;
  }
  const double ux = reciprocal(q.u.x), uy = reciprocal(q.u.y), vx = reciprocal(q.v.x), vy = reciprocal(q.v.y);
  clip_side(c, q.c.x + q.v.x, q.c.y + q.v.y, -q.u.x, -q.u.y, -ux, -uy, q.v_plus, q.u_plus);
  clip_side(c, q.c.x - q.u.x, q.c.y - q.u.y, -q.v.x, -q.v.y, -vx, -vy, q.u_minus, q.v_plus);
  clip_side(c, q.c.x - q.v.x, q.c.y - q.v.y, q.u.x, q.u.y, ux, uy, q.v_minus, q.u_minus);
  clip_side(c, q.c.x + q.u.x, q.c.y + q.u.y, q.v.x, q.v.y, vx, vy, q.u_plus, q.v_minus);
  if (!flat) rectangle_corners(c, inverse_det);
  return flat ? without_repeats(out, c.count, c.slack) : c.count;
}

}  // namespace rigor
