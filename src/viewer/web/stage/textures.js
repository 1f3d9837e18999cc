// Textures of materials: patterns are painted, pictures decoded. A part with a texture gets a geometry of its own, with texture coordinates.
import * as THREE from 'three';

const SIZE = 256;     // px of a pattern's side
const RANDOM = 0.01;  // share of the pixels that a random mark covers

const painted = new Map();   // by description: the texture and its coordinates, for the life of the page
const pictures = new Map();  // by base64: textures with different tints share a picture

/// The texture of a material; null if the scene has none for it.
export function textureOf(textures, material) {
  const given = textures && Object.hasOwn(textures, material) ? textures[material] : undefined;
  if (!given) return null;
  const { image_of: owner, ...own } = given;
  const description = owner === undefined ? given : { ...own, image: textures[owner].image };
  const key = JSON.stringify(description);
  if (!painted.has(key)) painted.set(key, { key, map: makeMap(description), tint: description.tint ?? '#ffffff', ...coordinates(description) });
  return painted.get(key);
}

const coordinates = ({ on_each_side = false, repeat = [1, 1], per_metre = false }) => ({ eachSide: on_each_side, repeat, perMetre: per_metre });

function makeMap(description) {
  const map = description.pattern === 'image' ? picture(description.image) : new THREE.CanvasTexture(paint(description));
  map.wrapS = map.wrapT = THREE.RepeatWrapping;
  map.colorSpace = THREE.SRGBColorSpace;
  map.anisotropy = 8;
  return map;
}
function picture(base64) {
  if (!pictures.has(base64)) pictures.set(base64, decoded(base64));
  return pictures.get(base64);
}
function decoded(base64) {
  const texture = new THREE.Texture(), image = new Image();
  image.onload = () => {
    texture.needsUpdate = true;
    window.rigor?.stage.invalidate();
  };
  image.src = `data:image/${base64.startsWith('iVBOR') ? 'png' : 'jpeg'};base64,${base64}`;
  texture.image = image;
  return texture;
}

function paint({ pattern = 'flat', color = '#cccccc', second_color = '#808080', mark = 'none', mark_color = '#000000' }) {
  const canvas = document.createElement('canvas'), half = SIZE / 2;
  canvas.width = canvas.height = SIZE;
  const pen = canvas.getContext('2d');
  pen.fillStyle = color;
  if (pattern === 'gradient') {
    pen.fillStyle = pen.createLinearGradient(0, 0, 0, SIZE);
    pen.fillStyle.addColorStop(0, color);
    pen.fillStyle.addColorStop(1, second_color);
  }
  pen.fillRect(0, 0, SIZE, SIZE);
  if (pattern === 'checker') {
    pen.fillStyle = second_color;
    pen.fillRect(half, 0, half, half);
    pen.fillRect(0, half, half, half);
  }
  pen.fillStyle = pen.strokeStyle = mark_color;
  pen.lineWidth = SIZE / 128;
  if (mark === 'edge') pen.strokeRect(0, 0, SIZE, SIZE);
  if (mark === 'cross') pen.fillRect(half - 1, 0, 2, SIZE), pen.fillRect(0, half - 1, SIZE, 2);
  if (mark === 'random') {
    let seed = 1;
    const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647;  // the same dots on every page
    for (let i = 0; i < RANDOM * SIZE * SIZE; ++i) pen.fillRect(Math.floor(SIZE * next()), Math.floor(SIZE * next()), 1, 1);
  }
  return canvas;
}

const made = new WeakMap();  // by geometry: { key → textured geometry }

/// A part's geometry at its true size with texture coordinates, and its matrix without a scale.
export function texturedPart({ geometry, matrix }, texture) {
  const position = new THREE.Vector3(), turn = new THREE.Quaternion(), scale = new THREE.Vector3();
  matrix.decompose(position, turn, scale);
  const known = made.get(geometry) ?? made.set(geometry, new Map()).get(geometry), key = `${texture.key} ${scale.toArray()}`;
  if (!known.has(key)) known.set(key, withCoordinates(geometry, scale, texture));
  return { geometry: known.get(key), matrix: new THREE.Matrix4().compose(position, turn, new THREE.Vector3(1, 1, 1)) };
}

function withCoordinates(geometry, scale, { eachSide, repeat, perMetre }) {
  const result = (geometry.index ? geometry.toNonIndexed() : geometry.clone()).scale(scale.x, scale.y, scale.z);
  result.computeBoundingBox();
  const { position } = result.attributes, { min } = result.boundingBox, size = result.boundingBox.getSize(new THREE.Vector3());
  const uv = new Float32Array(2 * position.count), corners = [0, 1, 2].map(() => new THREE.Vector3()), normal = new THREE.Vector3();
  const along = (point, axis) => (perMetre ? point.getComponent(axis) : (point.getComponent(axis) - min.getComponent(axis)) / Math.max(size.getComponent(axis), 1e-12));
  for (let i = 0; i < position.count; i += 3) {
    corners.forEach((corner, k) => corner.fromBufferAttribute(position, i + k));
    let [u, v] = [0, 1];
    if (eachSide) {
      normal.crossVectors(corners[1].clone().sub(corners[0]), corners[2].clone().sub(corners[0]));
      const [x, y, z] = normal.toArray().map(Math.abs);
      if (x >= y && x >= z) [u, v] = [1, 2];
      else if (y >= z) [u, v] = [0, 2];
    }
    corners.forEach((corner, k) => uv.set([along(corner, u) * repeat[0], along(corner, v) * repeat[1]], 2 * (i + k)));
  }
  result.setAttribute('uv', new THREE.BufferAttribute(uv, 2));
  return result.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * position.count).fill(1), 3));
}

/// The material of a square of a plane with sides `size`, whose texture stays with the plane when the square moves.
export function planeMaterial(texture, size) {
  const map = texture.map.clone();
  map.repeat.set(size * texture.repeat[0], size * texture.repeat[1]);
  map.needsUpdate = true;
  const material = new THREE.MeshStandardMaterial({ color: texture.tint, map, roughness: 0.8 });
  /// `x`, `z`: the middle of the square in the plane.
  material.userData.moveTo = (x, z) => map.offset.set((x - 0.5 * size) * texture.repeat[0], (-z - 0.5 * size) * texture.repeat[1]);
  return material;
}
