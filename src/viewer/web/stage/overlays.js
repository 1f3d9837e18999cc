// What the debug layers of a frame look like: arrows, dots, boxes, ellipsoids. Everything is drawn over the bodies, never hidden.
import * as THREE from 'three';
import { AXES, LAYER_COLORS, SLIPPING } from './colors.js';

const Y = new THREE.Vector3(0, 1, 0);
const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0);
const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
const dot = new THREE.SphereGeometry(1, 14, 10);
const ball = new THREE.SphereGeometry(1, 32, 20);

/// An instanced mesh that grows.
class Instances {
  constructor(group, geometry, options = {}) {
    this.group = group;
    this.geometry = geometry;
    this.material = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.92, depthTest: false, toneMapped: false, ...options });
    this.mesh = null;
  }
  begin(count) {
    if (!this.mesh || this.mesh.instanceMatrix.count < count) {
      if (this.mesh) this.group.remove(this.mesh), this.mesh.dispose();
      this.mesh = new THREE.InstancedMesh(this.geometry, this.material, Math.max(32, count * 2));
      this.mesh.setColorAt(0, new THREE.Color());
      this.mesh.frustumCulled = false;
      this.mesh.renderOrder = 10;
      this.group.add(this.mesh);
    }
    this.mesh.count = count;
  }
  set(i, matrix, color) {
    this.mesh.setMatrixAt(i, matrix);
    this.mesh.setColorAt(i, color);
  }
  end() {
    this.mesh.instanceMatrix.needsUpdate = this.mesh.instanceColor.needsUpdate = true;
  }
  hide() {
    if (this.mesh) this.mesh.count = 0;
  }
}

export class Overlays {
  /// `layers`: the descriptions of the hello message. `scale` is shared by all views: { factor, threshold, radius, longest }.
  constructor(layers, scale) {
    this.group = new THREE.Group();
    this.info = new Map(layers.map((l) => [l.id, l]));
    this.scale = scale;
    this.parts = new Map();
  }

  part(id, make) {
    if (!this.parts.has(id)) this.parts.set(id, make());
    return this.parts.get(id);
  }

  update(layers) {
    for (const part of this.parts.values()) part.hide();
    for (const layer of layers) this[layer.kind](this.info.get(layer.layer), layer);
  }

  points(info, { count, data }) {
    const dots = this.part(info.name, () => new Instances(this.group, dot));
    const near = new THREE.Color('#4f8fc4'), deep = new THREE.Color(LAYER_COLORS[info.name]);
    const size = this.scale.radius * 0.008, matrix = new THREE.Matrix4();
    dots.begin(count);
    for (let i = 0; i < count; ++i) {
      const k = 4 * i;
      matrix.makeScale(size, size, size).setPosition(data[k], data[k + 1], data[k + 2]);
      dots.set(i, matrix, info.unit === 'm' && data[k + 3] > 0 ? near : deep);
    }
    dots.end();
  }

  /// Metres per unit: the longest vector seen in a scene is a third of it, times what the user asks for.
  lengthOf(info, data, count) {
    if (!info.unit) return this.scale.radius * 0.12;
    let longest = this.scale.longest.get(info.unit) ?? 0;
    for (let i = 0; i < count; ++i) longest = Math.max(longest, Math.hypot(data[7 * i + 3], data[7 * i + 4], data[7 * i + 5]));
    this.scale.longest.set(info.unit, longest);
    return longest > 0 ? (this.scale.radius * 0.45 * this.scale.factor) / longest : 0;
  }

  vectors(info, { count, data }) {
    const arrows = this.part(info.name, () => new Arrows(this.group));
    const perUnit = this.lengthOf(info, data, count);
    const usual = new THREE.Color(LAYER_COLORS[info.name] ?? '#3f7fb5'), slipping = new THREE.Color(SLIPPING);
    const axes = AXES.map((text) => new THREE.Color(text));
    const colorOf = (value) => (info.name === 'joint-frames' ? axes[value] : info.name === 'friction-forces' && value >= 0.999 ? slipping : usual);
    arrows.begin(count, this.scale.radius);
    for (let i = 0; i < count; ++i) {
      const k = 7 * i;
      arrows.set(i, data, k, perUnit, colorOf(data[k + 6]), this.scale.threshold);
    }
    arrows.end();
  }

  boxes(info, { count, data }) {
    const lines = this.part(info.name, () => new Boxes(this.group, LAYER_COLORS[info.name]));
    lines.set(count, data);
  }

  ellipsoids(info, { count, data }) {
    const shells = this.part(info.name, () => new Instances(this.group, ball, { opacity: 0.35 }));
    const color = new THREE.Color(LAYER_COLORS[info.name]), matrix = new THREE.Matrix4();
    const p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3();
    shells.begin(count);
    for (let i = 0; i < count; ++i) {
      const k = 11 * i;
      matrix.compose(p.fromArray(data, k), q.set(data[k + 4], data[k + 5], data[k + 6], data[k + 3]), s.fromArray(data, k + 7));
      shells.set(i, matrix, color);
    }
    shells.end();
  }
}

class Arrows {
  constructor(group) {
    this.shafts = new Instances(group, shaft);
    this.heads = new Instances(group, head);
    this.matrix = new THREE.Matrix4();
    [this.origin, this.vector, this.size] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    this.turn = new THREE.Quaternion();
  }
  begin(count, radius) {
    this.width = radius * 0.0065;
    this.shafts.begin(count);
    this.heads.begin(count);
  }
  set(i, data, k, perUnit, color, threshold) {
    this.origin.fromArray(data, k);
    this.vector.fromArray(data, k + 3).multiplyScalar(perUnit);
    const length = this.vector.length(), hidden = !(length > threshold * this.width * 4);
    const headLength = Math.min(this.width * 5.5, 0.45 * length), width = hidden ? 0 : this.width;
    if (length > 0) this.turn.setFromUnitVectors(Y, this.vector.clone().divideScalar(length));
    this.matrix.compose(this.origin, this.turn, this.size.set(width, hidden ? 0 : length - headLength, width));
    this.shafts.set(i, this.matrix, color);
    this.origin.addScaledVector(this.vector, length > 0 ? 1 - headLength / length : 0);
    this.matrix.compose(this.origin, this.turn, this.size.set(width * 1.9, hidden ? 0 : headLength, width * 1.9));
    this.heads.set(i, this.matrix, color);
  }
  end() {
    this.shafts.end();
    this.heads.end();
  }
  hide() {
    this.shafts.hide();
    this.heads.hide();
  }
}

const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];

class Boxes {
  constructor(group, color) {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.8, toneMapped: false }));
    this.lines.frustumCulled = false;
    group.add(this.lines);
  }
  set(count, data) {
    const positions = new Float32Array(count * EDGES.length * 3);
    for (let i = 0, at = 0; i < count; ++i)
      for (const corner of EDGES)
        for (let axis = 0; axis < 3; ++axis) positions[at++] = data[6 * i + axis + (corner & (1 << axis) ? 3 : 0)];
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(positions, 3));
    this.lines.visible = true;
  }
  hide() {
    this.lines.visible = false;
  }
}
