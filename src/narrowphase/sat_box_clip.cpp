// The common part of a parallelogram and a rectangle.
//
// Its corners are the corners of the parallelogram inside of the rectangle, the places where sides of the parallelogram
// enter and leave the rectangle (Liang and Barsky 1984, "A new concept and method for line clipping"), and the corners
// of the rectangle inside of the parallelogram. Codes of the sides that a corner is outside of (Cohen and Sutherland)
// tell which of the divisions are needed: mostly two of sixteen.
//
// The codes belong to a rectangle that is larger by a slack, so that coincident equal faces keep their keys; cuts
// are computed with the rectangle itself. Corners of the rectangle get their height from the plane of the
// parallelogram.
#include "narrowphase/sat_box_clip.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

enum : unsigned { kXPlus = 1, kXMinus = 2, kYPlus = 4, kYMinus = 8 };

struct Corner {
  double x, y, h;
  unsigned code;  // the sides of the larger rectangle that it is outside of
};

struct Output {
  PlanarPoint* points;
  int count;
  double envelope;

  void add(double x, double y, double h, std::uint32_t source1, std::uint32_t source2) {
    points[count] = {x, y, h, feature_key(source1, source2)};
    count += h <= envelope ? 1 : 0;
  }
};

Corner corner_at(double x, double y, double h, double limit_x, double limit_y) {
  const unsigned code = (x > limit_x ? kXPlus : 0u) | (x < -limit_x ? kXMinus : 0u) | (y > limit_y ? kYPlus : 0u) |
                        (y < -limit_y ? kYMinus : 0u);
  return {x, y, h, code};
}

/// Where the side p q, whose end p is outside by the given code, comes in: parameter from p and source of what it
/// crosses.
struct Cut {
  double t = 0;
  std::uint32_t source = 0;
};

Cut entry(const Corner& p, const Corner& q, const ClipRectangle& r) {
  Cut cut;
  if (p.code & (kXPlus | kXMinus)) {
    const bool plus = (p.code & kXPlus) != 0;
    cut = {((plus ? r.half_x : -r.half_x) - p.x) / (q.x - p.x), plus ? r.x_plus : r.x_minus};
  }
  if (p.code & (kYPlus | kYMinus)) {
    const bool plus = (p.code & kYPlus) != 0;
    const double t = ((plus ? r.half_y : -r.half_y) - p.y) / (q.y - p.y);
    if (t > cut.t) cut = {t, plus ? r.y_plus : r.y_minus};
  }
  return cut;
}

/// Points of the side p q but for its end q. `own` names the side, `before` the one that ends in p.
void clip_side(const Corner& p, const Corner& q, const ClipRectangle& r, std::uint32_t own, std::uint32_t before,
               Output& out) {
  if (p.code == 0) out.add(p.x, p.y, p.h, before, own);
  if ((p.code | q.code) == 0 || (p.code & q.code) != 0) return;
  const Cut in = entry(p, q, r), back = entry(q, p, r);
  const double t0 = in.t, t1 = 1.0 - back.t;
  if (!(t0 <= t1 + 1e-12)) return;
  const double dx = q.x - p.x, dy = q.y - p.y, dh = q.h - p.h;
  if (p.code != 0) out.add(p.x + t0 * dx, p.y + t0 * dy, p.h + t0 * dh, own, in.source);
  if (q.code != 0 && t1 > t0) out.add(p.x + t1 * dx, p.y + t1 * dy, p.h + t1 * dh, own, back.source);
}

/// The corners of the larger rectangle in the parallelogram: p = c + alpha u + beta v with |alpha|, |beta| <= 1. Where
/// no corner of the parallelogram is beyond a side, no corner of the rectangle on that side is inside. `any` are the
/// sides.
void rectangle_corners(const Parallelogram& q, const ClipRectangle& r, double limit_x, double limit_y, unsigned any,
                       Output& out) {
  const double det = q.u.x * q.v.y - q.u.y * q.v.x, limit = std::abs(det);
  if (limit <= 1e-12 * (q.u.x * q.u.x + q.u.y * q.u.y + q.v.x * q.v.x + q.v.y * q.v.y)) return;  // the edge of a card
  const auto corner = [&](double sign_x, double sign_y, std::uint32_t x_side, std::uint32_t y_side) {
    const double x = sign_x * limit_x - q.c.x, y = sign_y * limit_y - q.c.y;
    const double alpha = x * q.v.y - y * q.v.x, beta = q.u.x * y - q.u.y * x;
    if (std::abs(alpha) > limit || std::abs(beta) > limit) return;
    out.add(sign_x * r.half_x, sign_y * r.half_y, q.c.h + (alpha * q.u.h + beta * q.v.h) / det, x_side, y_side);
  };
  const bool xp = (any & kXPlus) != 0, xm = (any & kXMinus) != 0, yp = (any & kYPlus) != 0, ym = (any & kYMinus) != 0;
  if (xp && yp) corner(1, 1, r.x_plus, r.y_plus);
  if (xm && yp) corner(-1, 1, r.x_minus, r.y_plus);
  if (xm && ym) corner(-1, -1, r.x_minus, r.y_minus);
  if (xp && ym) corner(1, -1, r.x_plus, r.y_minus);
}

/// The two long sides of a card's edge, incident or reference, give everything twice.
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

int clip_parallelogram(const Parallelogram& q, const ClipRectangle& r, double envelope, PlanarPoint* points) {
  const double u = std::abs(q.u.x) + std::abs(q.u.y), v = std::abs(q.v.x) + std::abs(q.v.y);
  const double slack = clip_slack(r.half_x + r.half_y, u + v);
  const double limit_x = r.half_x + slack, limit_y = r.half_y + slack;
  const Projected s{q.u.x + q.v.x, q.u.y + q.v.y, q.u.h + q.v.h}, d{q.u.x - q.v.x, q.u.y - q.v.y, q.u.h - q.v.h};
  const Corner pp = corner_at(q.c.x + s.x, q.c.y + s.y, q.c.h + s.h, limit_x, limit_y);
  const Corner mp = corner_at(q.c.x - d.x, q.c.y - d.y, q.c.h - d.h, limit_x, limit_y);
  const Corner mm = corner_at(q.c.x - s.x, q.c.y - s.y, q.c.h - s.h, limit_x, limit_y);
  const Corner pm = corner_at(q.c.x + d.x, q.c.y + d.y, q.c.h + d.h, limit_x, limit_y);
  Output out{points, 0, envelope};
  const unsigned any = pp.code | mp.code | mm.code | pm.code;
  if (any == 0) {
    out.add(pp.x, pp.y, pp.h, q.u_plus, q.v_plus);
    out.add(mp.x, mp.y, mp.h, q.v_plus, q.u_minus);
    out.add(mm.x, mm.y, mm.h, q.u_minus, q.v_minus);
    out.add(pm.x, pm.y, pm.h, q.v_minus, q.u_plus);
  } else {
    clip_side(pp, mp, r, q.v_plus, q.u_plus, out);
    clip_side(mp, mm, r, q.u_minus, q.v_plus, out);
    clip_side(mm, pm, r, q.v_minus, q.u_minus, out);
    clip_side(pm, pp, r, q.u_plus, q.v_minus, out);
    rectangle_corners(q, r, limit_x, limit_y, any, out);
  }
  return std::min({u, v, r.half_x, r.half_y}) <= slack ? without_repeats(points, out.count, slack) : out.count;
}

}  // namespace rigor
