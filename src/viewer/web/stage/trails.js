// Where bodies have been: the last positions of each, fading out.
import * as THREE from 'three';
import { bodyColor } from './colors.js';

const POINTS = 240, MOST_BODIES = 150;

export class Trails {
  constructor() {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9, toneMapped: false }));
    this.lines.frustumCulled = false;
    this.lines.visible = false;
    this.clear();
  }
  clear() {
    this.past = new Map();  // index → [x, y, z, …], oldest first
    this.step = -1;
  }

  /// `only`: the indices of bodies, or null for all that move.
  update(bodies, frame, only, theme) {
    if (frame.step < this.step) this.clear();
    if (frame.step === this.step) return;
    this.step = frame.step;
    let count = 0;
    for (const item of bodies.items) {
      if (!item || item.body.fixed || item.flag === 0 || (only && !only.has(item.body.index))) continue;
      if (++count > MOST_BODIES) break;
      const index = item.body.index;
      if (!this.past.has(index)) this.past.set(index, []);
      const line = this.past.get(index);
      line.push(...bodies.poses.subarray(7 * index, 7 * index + 3));
      if (line.length > 3 * POINTS) line.splice(0, 3);
    }
    if (only) for (const index of this.past.keys()) if (!only.has(index)) this.past.delete(index);
    this.draw(bodies, theme);
  }

  draw(bodies, theme) {
    const positions = [], colors = [], fade = new THREE.Color(theme.horizon), color = new THREE.Color();
    for (const [index, line] of this.past) {
      const own = bodyColor(bodies.items[index].body, bodies.items[index].body.material, theme), n = line.length / 3;
      for (let i = 0; i + 1 < n; ++i)
        for (const j of [i, i + 1]) {
          positions.push(line[3 * j], line[3 * j + 1], line[3 * j + 2]);
          color.copy(fade).lerp(own, (j + 1) / n);
          colors.push(color.r, color.g, color.b);
        }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry()
      .setAttribute('position', new THREE.Float32BufferAttribute(positions, 3))
      .setAttribute('color', new THREE.Float32BufferAttribute(colors, 3));
  }
}
