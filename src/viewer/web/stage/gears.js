// Gears as toothed wheels and racks. A gear keeps q₁ + ratio q₂ constant: two hinges are wheels whose radii r₁ : r₂ = 1 : |ratio| fill the distance of
// their axles, a hinge and a slider are a pinion and a rack. Teeth are cut so that they mesh when the scene begins; because their
// numbers go with the radii, they mesh ever after.
import * as THREE from 'three';

const HEIGHT = 0.42;        // of a tooth, as a part of its pitch
const [FEWEST, MOST] = [10, 30];  // teeth of the first wheel
const TOOTH = [[-0.3, -1], [-0.16, 1], [0.16, 1], [0.3, -1]];  // its outline: [part of the pitch, below or above the pitch line]

/// Teeth of the first wheel such that the second one, `ratio` times as large, has a whole number as nearly as possible.
export function teethOf(ratio) {
  const fewest = Math.max(FEWEST, Math.ceil(FEWEST / ratio)), miss = (n) => Math.abs(n * ratio - Math.round(n * ratio));
  let best = fewest;
  for (let n = fewest; n <= Math.max(MOST, fewest); ++n) if (miss(n) < miss(best) - 1e-9) best = n;
  return [best, Math.max(1, Math.round(best * ratio))];
}

/// A ring about x, m, with a tooth at the angle `phase`.
function wheelGeometry(radius, teeth, phase) {
  const shape = new THREE.Shape(), height = (HEIGHT * 2 * Math.PI * radius) / teeth;
  for (let i = 0; i < teeth; ++i)
    for (const [part, side] of TOOTH) {
      const angle = ((i + part) / teeth) * 2 * Math.PI + phase, r = radius + 0.5 * side * height;
      shape[i === 0 && part === TOOTH[0][0] ? 'moveTo' : 'lineTo'](r * Math.cos(angle), r * Math.sin(angle));
    }
  shape.holes.push(new THREE.Path().absarc(0, 0, Math.max(radius - 2.2 * height, 0.3 * radius), 0, 2 * Math.PI, true));
  return new THREE.ExtrudeGeometry(shape, { depth: 1.4 * height, bevelEnabled: false, curveSegments: 48 }).translate(0, 0, -0.7 * height).rotateY(Math.PI / 2);
}
/// The angle of a direction about x, as wheelGeometry() counts it.
const angleOf = (direction) => Math.atan2(direction.y, -direction.z);

/// A bar along x whose teeth point along y, with a gap at the origin of the pitch line.
function rackGeometry(pitch, count) {
  const shape = new THREE.Shape(), height = HEIGHT * pitch, half = count * pitch;
  shape.moveTo(-half, -2.2 * height);
  for (let i = -count; i < count; ++i) for (const [part, side] of TOOTH) shape.lineTo((i + 0.5 + part) * pitch, 0.5 * side * height);
  shape.lineTo(half, -2.2 * height);
  return new THREE.ExtrudeGeometry(shape, { depth: 1.4 * height, bevelEnabled: false }).translate(0, 0, -0.7 * height);
}

export class Gears {
  constructor(group, material) {
    Object.assign(this, { group, material });
    this.one = new THREE.Vector3(1, 1, 1);
    this.clear();
  }
  clear() {
    for (const { mesh } of this.parts ?? []) this.group.remove(mesh), mesh.geometry.dispose();
    this.parts = [];
    this.wheels = new Map();  // by number of the joint: those on its axle, { radius, teeth, phase }
  }

  /// `first` and `second` are joints of a Mechanism, placed in the world.
  add(first, second, ratio) {
    const turns = (joint) => joint.turns.length === 1 && joint.slides.length === 0;
    const slides = (joint) => joint.slides.length === 1 && joint.turns.length === 0;
    if (turns(first) && turns(second)) this.addWheels(first, second, Math.abs(ratio));
    else if (turns(first) && slides(second)) this.addRack(first, second, 1 / Math.abs(ratio));
    else if (slides(first) && turns(second)) this.addRack(second, first, Math.abs(ratio));
  }

  addWheels(first, second, ratio) {
    const between = second.fb.point.clone().sub(first.fb.point), axis = first.fb.x, front = Math.max(first.half, second.half);
    const across = between.clone().addScaledVector(axis, -between.dot(axis)), distance = across.length();
    if (!(distance > 0)) return;
    const r = distance / (1 + ratio), direction = across.divideScalar(distance);
    const wheel = this.wheelOf(first, r, teethOf(ratio)[0], direction, front), teeth = Math.max(1, Math.round(wheel.teeth * ratio));
    const side = second.fb.x.dot(axis) < 0 ? -1 : 1;  // both wheels are in front of the first body
    const turned = ((0.5 + side * this.shift(first, wheel, direction)) / teeth) * 2 * Math.PI;  // a gap meets the tooth
    this.addWheel(second, distance - r, teeth, angleIn(second.fb, direction.negate()) + turned, side * (wheel.along - between.dot(axis)));
  }
  addRack(pinion, rack, radius) {
    const s = rack.fb.x.clone(), axis = pinion.fb.x, away = rack.fb.point.clone().sub(pinion.fb.point);
    const out = away.clone().addScaledVector(axis, -away.dot(axis));
    out.addScaledVector(s, -out.dot(s)).normalize();
    if (!(out.length() > 0.5)) return;  // the rack passes through the axle: no side of it is known
    const wheel = this.wheelOf(pinion, radius, teethOf(1)[0], out, pinion.half), pitch = (2 * Math.PI * radius) / wheel.teeth;
    const forward = s.dot(axis.clone().cross(out)), up = out.clone().negate();
    const touch = pinion.fb.point.clone().addScaledVector(axis, wheel.along).addScaledVector(out, radius)
      .addScaledVector(s, -forward * pitch * this.shift(pinion, wheel, out));
    const world = new THREE.Matrix4().makeBasis(s, up, s.clone().cross(up)).setPosition(touch);
    const frame = new THREE.Matrix4().compose(rack.fb.point, rack.fb.turn, this.one);
    this.put(rack.fb, rackGeometry(pitch, Math.max(4, Math.ceil((1.1 * rack.reach) / pitch))), frame.invert().multiply(world));
  }

  /// The distance from this direction back to the nearest tooth of a wheel, 0 to 1 pitch.
  shift({ fb }, { phase, teeth }, direction) {
    const pitches = ((angleIn(fb, direction) - phase) / (2 * Math.PI)) * teeth;
    return pitches - Math.floor(pitches + 1e-9);
  }
  /// The wheel of this size on the joint's axle; a new one has a tooth in this direction.
  wheelOf(joint, radius, teeth, direction, along) {
    const own = this.wheels.get(joint.index) ?? [], known = own.find((wheel) => Math.abs(wheel.radius - radius) < 0.01 * radius);
    return known ?? this.addWheel(joint, radius, teeth, angleIn(joint.fb, direction), along + 0.3 * radius * own.length);
  }
  addWheel(joint, radius, teeth, phase, along) {
    const wheel = { radius, teeth, phase, along };
    this.wheels.set(joint.index, [...(this.wheels.get(joint.index) ?? []), wheel]);
    this.put(joint.fb, wheelGeometry(radius, teeth, phase), new THREE.Matrix4().makeTranslation(along, 0, 0));
    return wheel;
  }

  put(frame, geometry, local) {
    const mesh = new THREE.Mesh(geometry, this.material);
    Object.assign(mesh, { matrixAutoUpdate: false, frustumCulled: false, castShadow: true, receiveShadow: true });
    this.group.add(mesh);
    this.parts.push({ mesh, frame, local });
  }
  /// Call this after the frames of the joints were placed.
  update() {
    for (const { mesh, frame, local } of this.parts) mesh.matrix.compose(frame.point, frame.turn, this.one).multiply(local);
  }
}

/// The angle of a direction of the world about the x axis of a frame.
function angleIn(frame, direction) {
  return angleOf(direction.clone().applyQuaternion(frame.turn.clone().invert()));
}
