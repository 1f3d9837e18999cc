// What the debug layers of a frame look like: arrows, dots, boxes, ellipsoids. Everything is drawn over the bodies, never hidden.
import * as THREE from 'three';
import { AXES, depthColor, LAYER_COLORS, NOW, SLIPPING } from './colors.js';
import { Arrows, Instances } from './instances.js';
import { Boxes, Segments } from './lines.js';

const dot = new THREE.SphereGeometry(1, 14, 10);
const FORGET = 0.985;  // what is left of the longest vector after a frame
const ball = new THREE.SphereGeometry(1, 32, 20);

export class Overlays {
  /// `layers`: the descriptions of the hello message. `scale` is shared by all views: { factor, threshold, radius, longest }.
  constructor(layers, scale) {
    this.group = new THREE.Group();
    this.info = new Map(layers.map((l) => [l.id, l]));
    this.scale = scale;
    this.parts = new Map();
    this.scales = new Map();  // unit → { perUnit, color } of the arrows that are drawn
  }

  part(id, make) {
    if (!this.parts.has(id)) this.parts.set(id, make());
    return this.parts.get(id);
  }

  update(layers) {
    for (const part of this.parts.values()) part.hide();
    this.scales.clear();
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

  /// Metres per unit: the longest recent vector is about a fifth of the scene, times the user's factor. One that was
  /// longer is forgotten little by little, so that the forces of an impact do not hide those of rest for good.
  lengthOf(info, data, count) {
    if (!info.unit) return this.scale.radius * 0.12;
    let longest = FORGET * (this.scale.longest.get(info.unit) ?? 0);
    for (let i = 0; i < count; ++i) longest = Math.max(longest, Math.hypot(data[7 * i + 3], data[7 * i + 4], data[7 * i + 5]));
    this.scale.longest.set(info.unit, longest);
    return longest > 0 ? (this.scale.radius * 0.45 * this.scale.factor) / longest : 0;
  }

  vectors(info, { count, data }) {
    if (info.name === 'joint-limits') return this.limits(info, count, data);
    const arrows = this.part(info.name, () => new Arrows(this.group));
    const perUnit = this.lengthOf(info, data, count);
    if (info.unit) this.scales.set(info.unit, { perUnit, color: LAYER_COLORS[info.name] ?? '#3f7fb5' });
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

  /// What limits leave free, and where the joint is.
  limits(info, count, data) {
    const free = new THREE.Color(LAYER_COLORS[info.name]), now = new THREE.Color(NOW);
    this.part(info.name, () => new Segments(this.group)).set(count, data, (value) => (value > 0 ? now : free));
  }

  boxes(info, { count, data }) {
    const usual = new THREE.Color(LAYER_COLORS[info.name]);
    const colorOf = info.name === 'tree' ? depthColor : () => usual;
    this.part(info.name, () => new Boxes(this.group)).set(count, data, colorOf);
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
