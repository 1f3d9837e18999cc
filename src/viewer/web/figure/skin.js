// The skin of a figure: the surface of its flesh, with a colour and up to four bones for every vertex.
import * as THREE from 'three';
import { COLORS, STEPS, WARDROBE, distance, fleshOf } from './flesh.js';
import { surfaceNets } from './surface_nets.js';

const MELT = 0.28;  // of a limb's radius: how far two solids melt into each other
const REACH = 0.4;  // of a limb's radius: over what a bone's influence falls to 1/e

/// Union of all solids on a grid with rounded seams (polynomial smooth minimum).
function sampleFlesh(solids, cell, melt) {
  const box = new THREE.Box3();
  for (const { a, b, ra, rb } of solids)
    for (const [p, r] of [[a, ra], [b, rb]]) box.union(new THREE.Box3(p.clone().subScalar(r), p.clone().addScalar(r)));
  box.expandByScalar(melt + 2 * cell);
  const origin = box.min.toArray(), size = box.getSize(new THREE.Vector3()).toArray().map((s) => Math.ceil(s / cell) + 1);
  const values = new Float32Array(size[0] * size[1] * size[2]).fill(1);
  for (const solid of solids) addSolid(values, size, origin, cell, solid, melt);
  return { values, size, origin };
}

function addSolid(values, size, origin, cell, solid, melt) {
  const { a, b, ra, rb } = solid, reach = Math.max(ra, rb) + melt + 2 * cell;
  const range = ['x', 'y', 'z'].map((axis, k) => [
    Math.max(0, Math.floor((Math.min(a[axis], b[axis]) - reach - origin[k]) / cell)),
    Math.min(size[k] - 1, Math.ceil((Math.max(a[axis], b[axis]) + reach - origin[k]) / cell))]);
  for (let k = range[2][0]; k <= range[2][1]; ++k)
    for (let j = range[1][0]; j <= range[1][1]; ++j)
      for (let i = range[0][0]; i <= range[0][1]; ++i) {
        const at = i + size[0] * (j + size[1] * k);
        const d = distance(solid, origin[0] + i * cell, origin[1] + j * cell, origin[2] + k * cell), old = values[at];
        const h = Math.max(melt - Math.abs(d - old), 0) / melt;
        values[at] = Math.min(d, old) - h * h * melt * 0.25;
      }
}

/// Bones of a vertex: the nearest one and its neighbours, by how near their flesh is.
function weigh(point, solids, bones, neighbours, reach) {
  const near = new Map();
  let best = null;
  for (const solid of solids) {
    const d = distance(solid, point.x, point.y, point.z);
    if (d < (near.get(solid.bone) ?? Infinity)) near.set(solid.bone, d);
    if (!best || d < best.d) best = { d, solid };
  }
  const candidates = [...near].filter(([bone]) => bone === best.solid.bone || neighbours.get(best.solid.bone).has(bone))
    .map(([bone, d]) => [bones.indexOf(bone), Math.exp((best.d - d) / reach)]).sort((a, b) => b[1] - a[1]).slice(0, 4);
  const sum = candidates.reduce((s, [, w]) => s + w, 0);
  return { solid: best.solid, indices: candidates.map(([bone]) => bone), weights: candidates.map(([, w]) => w / sum) };
}

/// Geometry with the attributes of a SkinnedMesh, whose bones are the limbs in their order.
export function makeSkin(named, cell) {
  const bones = [...named.keys()];
  const solids = fleshOf(named), radius = named.get('left upper arm').half.y;
  const { values, size, origin } = sampleFlesh(solids, cell, MELT * 2 * radius);
  const { positions, triangles } = surfaceNets(values, size, origin, cell);
  const neighbours = new Map(bones.map((bone) => [bone, new Set()]));
  for (const limb of named.values())
    if (limb.parent) neighbours.get(limb.limb).add(limb.parent.limb), neighbours.get(limb.parent.limb).add(limb.limb);

  const count = positions.length / 3, paints = new Array(count);
  const skinIndex = new Uint16Array(4 * count), skinWeight = new Float32Array(4 * count);
  const point = new THREE.Vector3();
  for (let i = 0; i < count; ++i) {
    const { solid, indices, weights } = weigh(point.fromArray(positions, 3 * i), solids, bones, neighbours, REACH * radius);
    paints[i] = solid.paint(point);
    skinIndex.set(indices, 4 * i);
    skinWeight.set(weights, 4 * i);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(skinIndex, 4));
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(skinWeight, 4));
  geometry.setIndex(triangles);
  geometry.computeVertexNormals();
  geometry.userData.paints = paints;
  return geometry;
}

/// The same skin with clothes, hair and complexion of its own: people of a crowd differ. The first one has those of COLORS.
export function dressed(skin, number) {
  const look = Object.fromEntries(Object.entries(COLORS).map(([name, usual]) => [name, number === 0 ? usual : WARDROBE[name][(number * STEPS[name]) % WARDROBE[name].length]]));
  const paints = new Map(Object.entries(look).map(([name, text]) => [name, new THREE.Color(text)])), colors = new Float32Array(3 * skin.userData.paints.length);
  skin.userData.paints.forEach((paint, i) => paints.get(paint).toArray(colors, 3 * i));
  const geometry = new THREE.BufferGeometry().setIndex(skin.index);
  for (const name of ['position', 'normal', 'skinIndex', 'skinWeight']) geometry.setAttribute(name, skin.attributes[name]);
  return geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
}
