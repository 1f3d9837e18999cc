// The selected body's edges, and the line between the mouse and the body that it holds.
import * as THREE from 'three';

export class Selection {
  constructor() {
    this.group = new THREE.Group();
    this.index = -1;
    this.edges = [];
    this.material = new THREE.LineBasicMaterial({ color: '#d9782b', transparent: true, depthTest: false, toneMapped: false });
    this.rope = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), this.material);
    this.knob = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: '#d9782b', depthTest: false, toneMapped: false }));
    for (const part of [this.rope, this.knob]) {
      part.frustumCulled = false;
      part.visible = false;
      part.renderOrder = 12;
      this.group.add(part);
    }
  }

  select(index, shape) {
    this.group.remove(...this.edges);
    this.index = index;
    this.edges = (shape?.parts ?? []).filter(Boolean).map((part) => {
      const lines = new THREE.LineSegments(new THREE.EdgesGeometry(part.geometry, 28), this.material);
      lines.matrixAutoUpdate = false;
      lines.frustumCulled = false;
      lines.renderOrder = 11;
      lines.userData.local = part.matrix;
      this.group.add(lines);
      return lines;
    });
  }

  update(bodies, pulls, radius) {
    const there = this.index >= 0 && bodies.items[this.index]?.flag > 0;
    if (there) {
      const pose = new THREE.Matrix4().compose(bodies.position(this.index), bodies.quaternion(this.index), new THREE.Vector3(1, 1, 1));
      for (const lines of this.edges) lines.matrix.multiplyMatrices(pose, lines.userData.local);
    }
    for (const lines of this.edges) lines.visible = there;
    const pull = pulls?.[0];
    this.rope.visible = this.knob.visible = Boolean(pull);
    if (!pull) return;
    this.rope.geometry.setFromPoints([new THREE.Vector3(...pull.from), new THREE.Vector3(...pull.to)]);
    this.knob.position.set(...pull.to);
    this.knob.scale.setScalar(radius * 0.014);
  }
}
