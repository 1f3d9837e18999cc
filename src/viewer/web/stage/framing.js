// Where a camera must stand so that given points are in the free part of the window, as large as possible.
import * as THREE from 'three';

const MARGIN = 0.9;  // of the free rectangle that is used

/// Direction from the scene to the camera: across the widest side of what moves, a little from above. `points` are x, y, z, ….
export function viewDirection(points, up) {
  const side = new THREE.Vector3(1, 0, 0);
  if (Math.abs(up.x) > 0.9) side.set(0, 0, 1);
  const forward = new THREE.Vector3().crossVectors(side, up).normalize();
  side.crossVectors(up, forward);
  const [e, f, h] = [side, forward, up].map((axis) => extent(points, axis));
  const p = new THREE.Vector3(), n = points.length / 3;
  let [mx, my, xx, xy, yy] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; ++i) (mx += p.fromArray(points, 3 * i).dot(side) / n), (my += p.dot(forward) / n);
  for (let i = 0; i < n; ++i) {
    const x = p.fromArray(points, 3 * i).dot(side) - mx, y = p.dot(forward) - my;
    (xx += x * x), (xy += x * y), (yy += y * y);
  }
  // The angle of the longer axis of the spread in the horizontal plane.
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy), wide = 0.5 * (xx + yy + Math.hypot(xx - yy, 2 * xy)), narrow = xx + yy - wide;
  const flatness = wide > 0 ? Math.sqrt(Math.max(0, narrow) / wide) : 1;
  let across = new THREE.Vector3().copy(forward), along = new THREE.Vector3().copy(side);
  if (flatness < 0.75) {
    along.copy(side).multiplyScalar(Math.cos(angle)).addScaledVector(forward, Math.sin(angle));
    across.crossVectors(along, up).normalize();
    if (across.dot(forward) < -1e-9) across.negate();
    along.crossVectors(up, across);
  }
  const width = Math.max(e, f), low = h < 0.3 * width * flatness, plane = flatness < 0.3;
  return across.multiplyScalar(0.88).addScaledVector(along, plane ? 0.25 : 0.42).addScaledVector(up, low ? 0.72 : plane ? 0.22 : 0.36).normalize();
}

/// The least and the greatest coordinate of the points along an axis.
export function bounds(points, axis) {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < points.length; i += 3) {
    const s = points[i] * axis.x + points[i + 1] * axis.y + points[i + 2] * axis.z;
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  return [low, high];
}
function extent(points, axis) {
  const [low, high] = bounds(points, axis);
  return Math.max(0, high - low);
}

const DIRECTIONS = 162, MOST_POINTS = 2 * DIRECTIONS;
const spiral = Array.from({ length: DIRECTIONS }, (_, i) => {  // from pole to pole, all about equally far apart, as in src/viewer/preview.cpp
  const y = 1 - (2 * i + 1) / DIRECTIONS, r = Math.sqrt(1 - y * y), angle = i * Math.PI * (3 - Math.sqrt(5));
  return [r * Math.cos(angle), y, r * Math.sin(angle)];
});
/// The points that are outermost in one of many directions, where there are more than a camera needs. Their hull is smaller by less than 2 %, which MARGIN covers.
export function outermost(points) {
  if (points.length <= 3 * MOST_POINTS) return points;
  const kept = new Set();
  for (const [dx, dy, dz] of spiral) {
    let best = 0, reach = -Infinity;
    for (let i = 0; i < points.length; i += 3) {
      const s = points[i] * dx + points[i + 1] * dy + points[i + 2] * dz;
      if (s > reach) (reach = s), (best = i);
    }
    kept.add(best);
  }
  return [...kept].flatMap((i) => [points[i], points[i + 1], points[i + 2]]);
}

/// The nearest place in this direction from which all points are inside the free rectangle: { position, target, radius }.
/// In the camera's axes a point (x, y, z) is inside when |x − cx| ≤ tx (cz − z) and |y − cy| ≤ ty (cz − z), which is a linear
/// problem with a solution in closed form.
export function fit(points, direction, up, { tx, ty }) {
  const right = new THREE.Vector3().crossVectors(up, direction).normalize(), above = new THREE.Vector3().crossVectors(direction, right);
  const most = { left: -Infinity, right: -Infinity, low: -Infinity, high: -Infinity, near: -Infinity, far: Infinity };
  const a = tx * MARGIN, b = ty * MARGIN;
  for (let i = 0; i < points.length; i += 3) {
    const dot = (axis) => points[i] * axis.x + points[i + 1] * axis.y + points[i + 2] * axis.z;
    const x = dot(right), y = dot(above), z = dot(direction);
    most.right = Math.max(most.right, x + a * z);
    most.left = Math.max(most.left, -x + a * z);
    most.high = Math.max(most.high, y + b * z);
    most.low = Math.max(most.low, -y + b * z);
    most.near = Math.max(most.near, z);
    most.far = Math.min(most.far, z);
  }
  const radius = Math.max(0.5 * Math.hypot(extent(points, right), extent(points, above), most.near - most.far), 1e-4);
  const cz = Math.max((most.right + most.left) / (2 * a), (most.high + most.low) / (2 * b), most.near + 0.3 * radius);
  const middle = 0.5 * (most.near + most.far);
  const at = (z) => new THREE.Vector3().addScaledVector(right, (most.right - most.left) / 2).addScaledVector(above, (most.high - most.low) / 2).addScaledVector(direction, z);
  return { position: at(cz), target: at(middle), radius };
}
