// Many equal things in one mesh: dots, shells, arrows.
import * as THREE from 'three';

const Y = new THREE.Vector3(0, 1, 0);
const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0);
const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);

/// An instanced mesh that grows.
export class Instances {
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

export class Arrows {
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
