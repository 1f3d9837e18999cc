// Geometry of the simple shapes. What can be scaled shares one geometry; the rest is made once per size.
import * as THREE from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

const MOST_ROUNDED = 48;  // sizes of boxes that get soft edges; beyond that all share a plain cube
const MARK = 0.7, EDGE = 0.5;  // how much darker marks and edges are than the body's colour
const cache = new Map();
let rounded = 0;

function cached(key, make) {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
}

/// Every geometry has a shade per vertex, which multiplies the body's colour.
function shaded(geometry, shadeOf) {
  const { count } = geometry.attributes.position, shades = new Float32Array(3 * count);
  for (let i = 0; i < count; ++i) shades.fill(shadeOf(i), 3 * i, 3 * i + 3);
  return geometry.setAttribute('color', new THREE.BufferAttribute(shades, 3));
}
/// Parts that are alternately light and dark, so that one can see how a round body turns.
const checkered = (parts) => mergeGeometries(parts.map(({ geometry, dark }) => shaded(geometry, () => (dark ? MARK : 1))));
const quarters = (make) => checkered([0, 1, 2, 3].map((k) => ({ geometry: make((k * Math.PI) / 2, Math.PI / 2), dark: k % 2 === 1 })));

function sphereGeometry() {
  const half = Math.PI / 2, parts = [];
  for (let k = 0; k < 4; ++k)
    for (let j = 0; j < 2; ++j) parts.push({ geometry: new THREE.SphereGeometry(1, 10, 12, k * half, half, j * half, half), dark: (k + j) % 2 === 1 });
  return checkered(parts);
}

function capsuleGeometry(radius, length) {
  const profile = [];
  for (let i = 0; i <= 20; ++i) {
    const angle = (i / 20 - 0.5) * Math.PI;
    profile.push(new THREE.Vector2(Math.max(radius * Math.cos(angle), 1e-9), radius * Math.sin(angle) + (i < 10.5 ? -length / 2 : length / 2)));
    if (i === 10) profile.push(new THREE.Vector2(radius, length / 2));
  }
  return quarters((from, angle) => new THREE.LatheGeometry(profile, 7, from, angle));
}

/// Edges are dark, so that blocks of one colour can be told apart.
function boxGeometry([x, y, z]) {
  const key = `box ${x} ${y} ${z}`;
  if (!cache.has(key) && rounded >= MOST_ROUNDED) return null;
  return cached(key, () => {
    ++rounded;
    const geometry = new RoundedBoxGeometry(x, y, z, 3, Math.min(x, y, z) * 0.035), { normal } = geometry.attributes;
    return shaded(geometry, (i) => (Math.max(Math.abs(normal.getX(i)), Math.abs(normal.getY(i)), Math.abs(normal.getZ(i))) > 0.999 ? 1 : EDGE));
  });
}

function polyhedron(part) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(part.vertices, 3));
  geometry.setIndex(part.triangles);
  const result = part.smooth ? geometry : geometry.toNonIndexed();
  result.computeVertexNormals();
  return shaded(result, () => 1);
}

const makers = {
  sphere: (p) => ({ geometry: cached('sphere', sphereGeometry), scale: [p.radius, p.radius, p.radius] }),
  box: (p) => {
    const geometry = boxGeometry(p.size);
    return geometry ? { geometry, scale: [1, 1, 1] } : { geometry: cached('box', () => shaded(new THREE.BoxGeometry(1, 1, 1), () => 1)), scale: p.size };
  },
  capsule: (p) => ({ geometry: cached(`capsule ${p.radius} ${p.length}`, () => capsuleGeometry(p.radius, p.length)), scale: [1, 1, 1] }),
  cylinder: (p) => ({
    geometry: cached('cylinder', () => quarters((from, angle) => new THREE.CylinderGeometry(1, 1, 1, 12, 1, false, from, angle))),
    scale: [p.radius, p.height, p.radius],
  }),
  cone: (p) => ({
    geometry: cached('cone', () => quarters((from, angle) => new THREE.ConeGeometry(1, 1, 12, 1, false, from, angle))),
    scale: [p.radius, p.height, p.radius],
  }),
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
  geometry.computeBoundingBox();
  const sphere = geometry.boundingSphere.clone().applyMatrix4(matrix);
  return { geometry, matrix, material: part.material, reach: sphere.center.length() + sphere.radius, double: part.kind === 'polyhedron' };
}

/// The frame of an infinite plane in the body frame, whose normal is its y axis; null for other parts.
export function planeFrame(part) {
  if (part.kind !== 'plane') return null;
  const [w, x, y, z] = part.orientation;
  return { position: part.position, turn: new THREE.Quaternion(x, y, z, w) };
}

/// The bounds of all parts in the body frame; null where there are none.
export function boxOf(parts) {
  const box = new THREE.Box3();
  for (const part of parts) if (part) box.union(part.geometry.boundingBox.clone().applyMatrix4(part.matrix));
  return box.isEmpty() ? null : box;
}
