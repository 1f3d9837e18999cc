// Geometry of the simple shapes. What can be scaled shares one geometry; the rest is made once per size.
import * as THREE from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';

const MOST_ROUNDED = 48;  // sizes of boxes that get soft edges; beyond that all share a plain cube
const cache = new Map();
let rounded = 0;

function cached(key, make) {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
}

function boxGeometry([x, y, z]) {
  const key = `box ${x} ${y} ${z}`;
  if (!cache.has(key) && rounded >= MOST_ROUNDED) return null;
  return cached(key, () => {
    ++rounded;
    return new RoundedBoxGeometry(x, y, z, 3, Math.min(x, y, z) * 0.035);
  });
}

function polyhedron(part) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(part.vertices, 3));
  geometry.setIndex(part.triangles);
  const result = part.smooth ? geometry : geometry.toNonIndexed();
  result.computeVertexNormals();
  return result;
}

const makers = {
  sphere: (p) => ({ geometry: cached('sphere', () => new THREE.SphereGeometry(1, 40, 24)), scale: [p.radius, p.radius, p.radius] }),
  box: (p) => {
    const geometry = boxGeometry(p.size);
    return geometry ? { geometry, scale: [1, 1, 1] } : { geometry: cached('box', () => new THREE.BoxGeometry(1, 1, 1)), scale: p.size };
  },
  capsule: (p) => ({
    geometry: cached(`capsule ${p.radius} ${p.length}`, () => new THREE.CapsuleGeometry(p.radius, p.length, 10, 28)),
    scale: [1, 1, 1],
  }),
  cylinder: (p) => ({
    geometry: cached('cylinder', () => new THREE.CylinderGeometry(1, 1, 1, 48)),
    scale: [p.radius, p.height, p.radius],
  }),
  cone: (p) => ({ geometry: cached('cone', () => new THREE.ConeGeometry(1, 1, 48)), scale: [p.radius, p.height, p.radius] }),
  polyhedron: (p) => ({ geometry: polyhedron(p), scale: [1, 1, 1] }),
};

/// A part as the server describes it → geometry, its matrix in the body frame, its reach. Null for the infinite plane.
export function makePart(part) {
  const maker = makers[part.kind];
  if (!maker) return null;
  const { geometry, scale } = maker(part);
  const [w, x, y, z] = part.orientation;
  const matrix = new THREE.Matrix4().compose(
    new THREE.Vector3(...part.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(...scale));
  geometry.computeBoundingSphere();
  const sphere = geometry.boundingSphere.clone().applyMatrix4(matrix);
  return { geometry, matrix, material: part.material, reach: sphere.center.length() + sphere.radius, double: part.kind === 'polyhedron' };
}
