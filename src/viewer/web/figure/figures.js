// People in place of dolls: one skinned mesh per doll, its bones are the doll's bodies (Garstenauer 2006, 8.5).
import * as THREE from 'three';
import { ASLEEP } from '../stage/bodies.js';
import { dressed, makeSkin } from './skin.js';

const FINE = 0.28, COARSE = 0.52;  // cells of the skin's grid, relative to half an arm's thickness
const FEW = 6;                     // figures that get the fine one
const LOOKS = 24;                  // of a crowd; the next person looks like the first one again

const cache = new Map();  // equal dolls share their skin
function skinOf(named, fineness, number) {
  const cell = fineness * named.get('left upper arm').half.y;
  const numbers = [...named.values()].flatMap((l) => [...l.center.toArray(), ...l.half.toArray(), ...(l.anchor?.toArray() ?? [])]);
  const key = `${cell} ${numbers.map((n) => n.toFixed(3)).join(' ')}`;
  if (!cache.has(key)) cache.set(key, { skin: makeSkin(named, cell), looks: [] });
  const { skin, looks } = cache.get(key);
  return (looks[number % LOOKS] ??= dressed(skin, number % LOOKS));
}

class Figure {
  constructor({ limbs }, fineness, number) {
    this.indices = [...limbs.values()].map((l) => l.index);
    this.bones = this.indices.map(() => new THREE.Bone());
    const inverses = [...limbs.values()].map((l) => l.bind.clone().invert());
    this.material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.72, metalness: 0 });
    this.mesh = new THREE.SkinnedMesh(skinOf(limbs, fineness, number), this.material);
    this.mesh.bindMode = THREE.DetachedBindMode;
    this.mesh.bind(new THREE.Skeleton(this.bones, inverses), new THREE.Matrix4());
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => {};  // the bodies beneath are what is picked
  }

  update(bodies, theme) {
    this.bones.forEach((bone, i) => {
      const index = this.indices[i];
      bone.matrixWorld.compose(bodies.position(index, bone.position), bodies.quaternion(index, bone.quaternion), bone.scale);
    });
    this.material.color.set('#ffffff');
    if (bodies.items[this.indices[0]]?.flag === ASLEEP) this.material.color.lerp(new THREE.Color(theme.asleep), 0.5);
  }
  dispose() {
    this.mesh.skeleton.dispose();
    this.material.dispose();
  }
}

export class Figures {
  constructor() {
    this.group = new THREE.Group();
    this.list = [];
  }
  /// `found`: as findFigures() gives them.
  set(found) {
    for (const figure of this.list) figure.dispose();
    this.list = found.map((figure, number) => new Figure(figure, found.length > FEW ? COARSE : FINE, number));
    this.group.clear();
    for (const { mesh } of this.list) this.group.add(mesh);
  }
  update(bodies, theme) {
    for (const figure of this.list) figure.update(bodies, theme);
  }
}
