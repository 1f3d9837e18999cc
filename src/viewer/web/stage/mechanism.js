// Joints as the things they stand for: rods, ropes, springs, axles, rails, wires, gears, motors, and the supports that hold them.
import * as THREE from 'three';
import { Gears } from './gears.js';
import { ball, coil, cylinder, Pieces, ring, support } from './pieces.js';

const STEEL = '#8d979f', DARK = '#434c55', ROPE = '#b08d57', SPRING = '#5580ab', MOTOR = '#d9782b';
const UNHELD = new Set(['nothing', 'glue', 'wire']);  // kinds that no support and no arm hold
const SAG = 10;  // pieces of a rope that hangs loose

/// A point and axes fixed in a body, in world coordinates after place().
class Frame {
  constructor(body, values, at) {
    this.body = body;
    this.local = new THREE.Vector3(values[at], values[at + 1], values[at + 2]);
    this.localTurn = new THREE.Quaternion(values[at + 4], values[at + 5], values[at + 6], values[at + 3]);
    this.point = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.center = new THREE.Vector3();
    this.x = new THREE.Vector3();
  }
  place(poses) {
    const k = 7 * this.body;
    this.turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    this.center.set(poses[k], poses[k + 1], poses[k + 2]);
    this.point.copy(this.local).applyQuaternion(this.turn).add(this.center);
    this.turn.multiply(this.localTurn);
    this.x.set(1, 0, 0).applyQuaternion(this.turn);
  }
}

export class Mechanism {
  constructor() {
    this.group = new THREE.Group();
    const piece = (geometry, color, options) => new Pieces(this.group, geometry, color, options);
    this.rods = piece(cylinder, STEEL);
    this.axles = piece(cylinder, DARK);
    this.ropes = piece(cylinder, ROPE, { metalness: 0, roughness: 0.9 });
    this.coils = piece(coil, SPRING);
    this.balls = piece(ball, DARK);
    this.supports = piece(support, DARK, { flatShading: true });
    this.motors = piece(ring, MOTOR);
    this.marks = piece(ball, MOTOR);
    this.gaps = piece(cylinder, MOTOR, { transparent: true, opacity: 0.55 });
    this.all = [this.rods, this.axles, this.ropes, this.coils, this.balls, this.supports, this.motors, this.marks, this.gaps];
    this.gears = new Gears(this.group, this.rods.material);
    this.wires = [];
    this.joints = [];
    [this.p, this.q, this.v] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    this.matrix = new THREE.Matrix4();
    this.one = new THREE.Vector3(1, 1, 1);
  }

  /// `items` are those of Bodies, by index; `covered` are limbs of figures, whose joints are under the skin.
  set(joints, items, up, radius, covered = new Set()) {
    for (const { mesh } of this.wires) this.group.remove(mesh), mesh.geometry.dispose();
    this.wires = [];
    this.gears.clear();
    this.up = up;
    this.radius = radius;
    this.turnUp = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    this.byIndex = new Map();
    this.joints = joints.filter((j) => j.active && !j.broken && !(covered.has(j.a) && covered.has(j.b))).map((j) => this.describe(j, items));
    for (const joint of this.joints) this.byIndex.set(joint.index, joint);
    this.cut = false;  // true once the teeth of gears are made, which needs poses
  }

  describe(joint, items) {
    const a = new Frame(joint.a, joint.frames, 0), b = new Frame(joint.b, joint.frames, 7);
    const moving = [items[joint.a], items[joint.b]].filter((item) => item && !item.body.fixed);
    const reach = Math.min(...moving.map((item) => item.reach), this.radius);
    const size = Math.max(Math.min(0.016 * this.radius, 0.16 * reach), 0.0015 * this.radius);
    const free = joint.free ?? [], turns = free.filter((k) => k > 2), slides = free.filter((k) => k < 3);
    if (joint.path) this.addWire(joint, size);
    return { ...joint, fa: a, fb: b, size, reach, turns, slides,
      heldByWorld: !items[joint.a] || items[joint.a].body.ground, heldByWorldB: !items[joint.b] || items[joint.b].body.ground,
      armA: this.arm(items[joint.a], a), armB: this.arm(items[joint.b], b),
      half: this.axleHalf(moving, joint, a, b, size), kind: kindOf(joint, turns, slides) };
  }

  /// Whether a massless arm is to be seen between the joint and the body: the joint is outside the body.
  arm(item, frame) {
    if (!item || item.body.fixed || item.body.ground) return false;
    const box = item.box;
    return Boolean(box) && box.distanceToPoint(frame.local) > 0.02 * item.reach;
  }
  /// Half the length of an axle: it looks out at both sides of the thinner body.
  axleHalf(moving, joint, a, b, size) {
    let half = Infinity;
    for (const item of moving) {
      const frame = item.body.index === joint.a ? a : b, axis = new THREE.Vector3(1, 0, 0).applyQuaternion(frame.localTurn);
      if (!item.box || item.box.distanceToPoint(frame.local) > 0.02 * item.reach) continue;
      let far = 0;
      for (let corner = 0; corner < 8; ++corner) {
        this.p.set(corner & 1 ? item.box.max.x : item.box.min.x, corner & 2 ? item.box.max.y : item.box.min.y, corner & 4 ? item.box.max.z : item.box.min.z);
        far = Math.max(far, Math.abs(this.p.sub(frame.local).dot(axis)));
      }
      half = Math.min(half, far);
    }
    return (Number.isFinite(half) ? half * 1.04 : 3 * size) + 1.2 * size;
  }
  addWire(joint, size) {
    const curve = new THREE.CatmullRomCurve3(joint.path.map((p) => new THREE.Vector3(...p)), joint.closed, 'catmullrom', 0.5);
    const mesh = new THREE.Mesh(new THREE.TubeGeometry(curve, 16 * joint.path.length, 0.5 * size, 8, joint.closed), this.rods.material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    this.wires.push({ mesh, index: joint.index });
  }

  update(poses) {
    for (const piece of this.all) piece.begin();
    for (const joint of this.joints) {
      joint.fa.place(poses);
      joint.fb.place(poses);
      this[joint.kind](joint);
      if (!UNHELD.has(joint.kind)) this.hold(joint);
    }
    if (!this.cut) this.cutGears();
    this.gears.update();
    for (const { mesh, index } of this.wires) {
      const { fa } = this.byIndex.get(index);
      mesh.matrix.compose(fa.point, fa.turn, this.one);
    }
    for (const piece of this.all) piece.end();
  }

  /// A support where the world holds the joint, and arms to bodies that are away from it.
  hold({ fa, fb, size, heldByWorld, heldByWorldB, armA, armB }) {
    if (heldByWorld) this.supports.put(fa.point, this.turnUp, 1.6 * size, 1.6 * size, 1.6 * size);
    if (heldByWorldB) this.supports.put(fb.point, this.turnUp, 1.6 * size, 1.6 * size, 1.6 * size);
    if (armA) this.rods.between(fa.point, fa.center, 0.5 * size);
    if (armB) this.rods.between(fb.point, fb.center, 0.5 * size);
  }
  nothing() {}
  rod({ fa, fb, size }) {
    this.rods.between(fa.point, fb.point, 0.4 * size);
    this.balls.ball(fa.point, 0.7 * size);
  }
  spring({ fa, fb, size }) {
    this.coils.between(fa.point, fb.point, 1.5 * size);
  }
  /// A loose rope hangs through: a parabola of about its length.
  rope({ fa, fb, size, length }) {
    const distance = fa.point.distanceTo(fb.point), slack = length ? Math.max(0, length * length - distance * distance) : 0;
    const sag = Math.sqrt((3 / 16) * slack);
    this.p.copy(fa.point);
    for (let i = 1; i <= SAG; ++i) {
      const t = i / SAG;
      this.q.lerpVectors(fa.point, fb.point, t).addScaledVector(this.up, -4 * sag * t * (1 - t));
      this.ropes.between(this.p, this.q, 0.3 * size);
      this.p.copy(this.q);
    }
  }
  axle(joint) {
    const { fa, fb, size, half, motors } = joint;
    this.axles.rod(fb.point, fb.x, 0.6 * size, 2 * half);
    if (motors) this.motor(joint);
    this.gap(joint);
  }
  /// A ring about the axle, and a mark on it that turns with the second body.
  motor({ fb, size, half }) {
    this.p.copy(fb.point).addScaledVector(fb.x, half);
    this.motors.rod(this.p, fb.x, 2 * size, 2 * size);
    this.q.set(0, 2 * size, 0).applyQuaternion(fb.turn).add(this.p);
    this.marks.ball(this.q, 0.7 * size);
  }
  ball(joint) {
    this.balls.ball(joint.fb.point, joint.size);
    this.gap(joint);
  }
  rail(joint) {
    const { fa, fb, size, reach, springs } = joint;
    this.axles.rod(fa.point, fa.x, 0.45 * size, 2.4 * reach);
    if (springs) this.strut(joint);
    else this.balls.ball(fb.point, 0.9 * size);
  }
  /// A spring along the first axis: from the second body to a point of the first one a little way along.
  strut({ fa, fb, size, reach }) {
    const side = this.v.subVectors(fa.center, fa.point).dot(fa.x) < 0 ? -1 : 1;
    this.q.copy(fa.point).addScaledVector(fa.x, side * 1.3 * reach);
    this.coils.between(fb.point, this.q, Math.min(2.6 * size, 0.3 * reach));
  }
  /// A wheel on a spring, which turns about the last axis of the second body.
  wheel(joint) {
    const { fb, size, half } = joint;
    this.v.set(0, 0, 1).applyQuaternion(fb.turn);
    this.axles.rod(fb.point, this.v, 0.7 * size, 2 * half + 2 * size);
    this.strut(joint);
  }
  glue(joint) {
    this.gap(joint);
  }
  wire({ fb, size }) {
    this.balls.ball(fb.point, 1.4 * size);
  }
  cutGears() {
    this.cut = true;
    for (const { gear } of this.joints) {
      const first = this.byIndex.get(gear?.first), second = this.byIndex.get(gear?.second);
      if (first && second) this.gears.add(first, second, gear.ratio);
    }
  }
  /// Where a joint is open: a line from one anchor to the other.
  gap({ fa, fb, size, slides }) {
    if (slides.length === 0 && fa.point.distanceTo(fb.point) > Math.max(2 * size, 0.01 * this.radius)) this.gaps.between(fa.point, fb.point, 0.35 * size);
  }
}

function kindOf(joint, turns, slides) {
  if (joint.link) return joint.link;
  if (joint.gear) return 'nothing';  // Gears draws it
  if (joint.path) return 'wire';
  if (!joint.free) return 'nothing';
  if (slides.length === 0) return turns.length === 0 ? 'glue' : turns.length === 1 ? 'axle' : 'ball';
  if (slides.length === 1) return joint.type === 'car-wheel' ? 'wheel' : 'rail';
  return 'nothing';
}
