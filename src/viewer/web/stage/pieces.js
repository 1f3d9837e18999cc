// Solid things in one instanced mesh, as many as a picture needs: begin(), put() for each, end(). Nothing is made per picture
// once there is room for all.
import * as THREE from 'three';

const Y = new THREE.Vector3(0, 1, 0);

export class Pieces {
  /// The geometry is of unit size, along y.
  constructor(group, geometry, color, options = {}) {
    this.group = group;
    this.geometry = geometry;
    this.material = new THREE.MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.25, ...options });
    this.matrix = new THREE.Matrix4();
    this.turn = new THREE.Quaternion();
    this.along = new THREE.Vector3();
    this.middle = new THREE.Vector3();
    this.size = new THREE.Vector3();
    this.count = 0;
    this.grow(16);
  }
  grow(capacity) {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.count = 0;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    if (this.mesh) {
      mesh.instanceMatrix.array.set(this.mesh.instanceMatrix.array);
      this.group.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = mesh;
    this.group.add(mesh);
  }
  begin() {
    this.count = 0;
  }
  putMatrix(matrix) {
    if (this.count === this.mesh.instanceMatrix.count) this.grow(this.count * 2);
    this.mesh.setMatrixAt(this.count++, matrix);
  }
  put(position, quaternion, x, y, z) {
    this.putMatrix(this.matrix.compose(position, quaternion, this.size.set(x, y, z)));
  }
  /// From one point to another.
  between(from, to, radius) {
    this.along.subVectors(to, from);
    const length = this.along.length();
    if (!(length > 0)) return;
    this.turn.setFromUnitVectors(Y, this.along.divideScalar(length));
    this.put(this.middle.addVectors(from, to).multiplyScalar(0.5), this.turn, radius, length, radius);
  }
  ball(position, radius) {
    this.put(position, this.turn.identity(), radius, radius, radius);
  }
  /// Along a direction of unit length, with its middle at a point.
  rod(position, direction, radius, length) {
    this.turn.setFromUnitVectors(Y, direction);
    this.put(position, this.turn, radius, length, radius);
  }
  end() {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;  // an empty mesh would still be prepared for drawing, and again for shadows
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

class Helix extends THREE.Curve {
  getPoint(t, target = new THREE.Vector3()) {
    const ends = 0.08, s = Math.min(1, Math.max(0, (t - ends) / (1 - 2 * ends))), angle = s * TURNS * 2 * Math.PI;
    const r = Math.min(1, t / ends, (1 - t) / ends);  // begins and ends on the axis
    return target.set(r * Math.cos(angle), 14 * (t - 0.5), r * Math.sin(angle));
  }
}
const TURNS = 9;

export const cylinder = new THREE.CylinderGeometry(1, 1, 1, 16);
export const ball = new THREE.SphereGeometry(1, 12, 8);
export const ring = new THREE.TorusGeometry(1, 0.16, 8, 28).rotateX(Math.PI / 2);
export const support = new THREE.ConeGeometry(1, 1.5, 4).translate(0, 0.75, 0).rotateX(Math.PI).translate(0, 1.5, 0);  // its tip at the origin
/// A spring of length one and radius one; the wire is a tenth of that as long as the spring is fourteen radii long.
export const coil = new THREE.TubeGeometry(new Helix(), TURNS * 18, 0.13, 6).scale(1, 1 / 14, 1);
