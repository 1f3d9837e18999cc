// Thin lines with a colour for each: boxes, arcs.
import * as THREE from 'three';

class Lines {
  constructor(group, options = {}) {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, toneMapped: false, ...options }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 10;
    group.add(this.lines);
  }
  hide() {
    this.lines.visible = false;
  }
  show(positions, colors) {
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry()
      .setAttribute('position', new THREE.BufferAttribute(positions, 3))
      .setAttribute('color', new THREE.BufferAttribute(colors, 3));
    this.lines.visible = true;
  }
}

const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];  // corners; bit k: the upper one of axis k

export class Boxes extends Lines {
  constructor(group) {
    super(group, { opacity: 0.8 });
  }
  /// `data`: lower, upper, value of each box.
  set(count, data, colorOf) {
    const size = count * EDGES.length * 3, positions = new Float32Array(size), colors = new Float32Array(size);
    for (let i = 0, at = 0; i < count; ++i) {
      const box = 7 * i, color = colorOf(data[box + 6]);
      for (const corner of EDGES) {
        color.toArray(colors, at);
        for (let axis = 0; axis < 3; ++axis) positions[at++] = data[box + axis + (corner & (1 << axis) ? 3 : 0)];
      }
    }
    this.show(positions, colors);
  }
}

export class Segments extends Lines {
  constructor(group) {
    super(group, { depthTest: false });
  }
  /// `data`: origin, vector, value of each line.
  set(count, data, colorOf) {
    const positions = new Float32Array(count * 6), colors = new Float32Array(count * 6);
    for (let i = 0; i < count; ++i) {
      const line = 7 * i, color = colorOf(data[line + 6]);
      for (let axis = 0; axis < 3; ++axis) {
        positions[6 * i + axis] = data[line + axis];
        positions[6 * i + 3 + axis] = data[line + axis] + data[line + 3 + axis];
      }
      color.toArray(colors, 6 * i);
      color.toArray(colors, 6 * i + 3);
    }
    this.show(positions, colors);
  }
}
