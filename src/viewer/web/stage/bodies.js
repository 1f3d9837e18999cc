// The bodies of one simulation: one instanced mesh per geometry, moved by the poses of each frame.
import * as THREE from 'three';
import { bodyColor, finishOf, islandColor } from './colors.js';
import { texturedPart, textureOf } from './textures.js';

export const ASLEEP = 3, INACTIVE = 5;  // flags of a frame: 1 + BodySet
const HIDDEN = new THREE.Matrix4().makeScale(0, 0, 0);
const MOST_WALLS = 64;  // fixed bodies that can become glass
const EMPTY = [0, 1].flatMap((y) => [-2, 2].flatMap((x) => [-2, 2].flatMap((z) => [x, 1.5 * y, z])));  // corners of what a camera sees of a scene without bodies, m
const MOST_SEEN = 60;  // moving bodies that are looked for behind walls

class Batch {
  constructor(geometry, material, group, covered) {
    Object.assign(this, { geometry, material, group, covered, count: 0, owners: [] });
    this.allocate(16);
  }
  allocate(capacity) {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.setColorAt(0, new THREE.Color());
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    if (this.mesh) {
      mesh.instanceMatrix.array.set(this.mesh.instanceMatrix.array);
      mesh.instanceColor.array.set(this.mesh.instanceColor.array);
      this.group.remove(this.mesh);
      this.mesh.dispose();
    }
    mesh.userData.owners = this.owners;
    mesh.visible = this.mesh?.visible ?? true;
    mesh.count = this.count;
    this.mesh = mesh;
    this.group.add(mesh);
  }
  add(owner) {
    if (this.count === this.mesh.instanceMatrix.count) this.allocate(this.count * 2);
    this.mesh.setMatrixAt(this.count, HIDDEN);  // until a frame says where it is: many bodies at the origin, around the camera, would be a slow picture
    this.owners.push(owner);
    this.mesh.count = this.count + 1;
    return this.count++;
  }
}

export class Bodies {
  constructor(theme, { ghost = false } = {}) {
    this.group = new THREE.Group();
    this.theme = theme;
    this.ghost = ghost;
    this.coveredVisible = true;
    this.textures = null;  // of the scene, by material
    this.clear();
  }

  clear() {
    this.group.clear();
    this.batches = new Map();
    this.items = [];  // by index of the body: { body, parts: [{ batch, at, matrix, material }], flag, island, covered }
    this.poses = null;
    this.walls = 0;
  }

  /// One mesh for all parts of a geometry; what a figure covers is apart, so that it can be hidden and still be picked.
  batch(geometry, open, covered, wall, map, finish) {
    const key = `${geometry.uuid} ${covered} ${wall} ${map?.uuid ?? ''} ${this.ghost ? '' : `${finish.metalness} ${finish.roughness}`}`;
    if (!this.batches.has(key)) {
      this.batches.set(key, new Batch(geometry, this.material(open, map, finish), this.group, covered));
      this.showCovered(this.coveredVisible);
    }
    return this.batches.get(key);
  }
  showCovered(visible) {
    this.coveredVisible = visible;
    for (const { mesh, covered } of this.batches.values()) mesh.visible = visible || !covered;
  }

  material(open, map, finish) {
    if (this.ghost) return new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.28, depthWrite: false });
    return new THREE.MeshStandardMaterial({ ...finish, vertexColors: true, map, side: open ? THREE.DoubleSide : THREE.FrontSide });
  }

  /// A body that is new, or one whose look has changed. `covered`: it is a limb of a figure.
  set(body, shape, covered = false) {
    const old = this.items[body.index];
    if (old) for (const part of old.parts) part.batch.mesh.setMatrixAt(part.at, HIDDEN), (part.batch.owners[part.at] = -1);
    const wall = body.fixed && !body.ground && !this.ghost && (old?.wall || this.walls < MOST_WALLS) ? String(body.index) : '';
    if (wall && !old?.wall) ++this.walls;
    const parts = shape.parts.filter(Boolean).map((part) => {
      const material = part.material ?? body.material, texture = this.ghost ? null : textureOf(this.textures, material);
      const { geometry, matrix } = texture ? texturedPart(part, texture) : part;
      const batch = this.batch(geometry, part.double, covered, wall, texture?.map ?? null, finishOf(material));
      return { batch, at: batch.add(body.index), matrix, material, tint: texture?.tint };
    });
    this.items[body.index] = { body, parts, flag: -1, island: null, covered, reach: shape.reach, box: shape.box, wall: Boolean(wall), glass: false };
  }

  /// `islands`: index → number for bodies that are coloured by it, or nothing.
  update(poses, flags, islands) {
    this.poses = poses;
    const pose = new THREE.Matrix4(), position = new THREE.Vector3(), one = new THREE.Vector3(1, 1, 1);
    const quaternion = new THREE.Quaternion(), result = new THREE.Matrix4();
    for (let i = 0; i < this.items.length; ++i) {
      const item = this.items[i];
      if (!item || item.parts.length === 0) continue;
      const flag = i < flags.length ? flags[i] : 0, island = islands?.get(i) ?? null;
      if (flag !== item.flag || island !== item.island) this.paint(item, flag, island);
      const k = 7 * i;
      if (flag === 0) pose.copy(HIDDEN);
      else pose.compose(position.set(poses[k], poses[k + 1], poses[k + 2]),
                        quaternion.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]), one);
      for (const part of item.parts)
        part.batch.mesh.setMatrixAt(part.at, flag === 0 ? HIDDEN : result.multiplyMatrices(pose, part.matrix));
    }
    for (const { mesh } of this.batches.values()) mesh.instanceMatrix.needsUpdate = true;
  }

  paint(item, flag, island) {
    Object.assign(item, { flag, island });
    for (const part of item.parts) {
      const color = new THREE.Color().copy(island === null ? (part.tint ? new THREE.Color(part.tint) : bodyColor(item.body, part.material, this.theme)) : islandColor(island, this.theme.dark));
      if (flag === ASLEEP || flag === INACTIVE) color.lerp(new THREE.Color(this.theme.asleep), flag === INACTIVE ? 0.9 : 0.65);
      part.batch.mesh.setColorAt(part.at, color);
      part.batch.mesh.instanceColor.needsUpdate = true;
    }
  }

  /// Fixed bodies between the camera and what moves become glass.
  clearSight(camera) {
    if (this.walls === 0) return;
    const movers = this.items.filter((item) => item && !item.body.fixed && item.parts.length && item.flag > 0);
    const every = Math.max(1, Math.ceil(movers.length / MOST_SEEN)), seen = movers.filter((_, i) => i % every === 0);
    const inverse = new THREE.Matrix4(), pose = new THREE.Matrix4(), ray = new THREE.Ray(), hit = new THREE.Vector3();
    for (const item of this.items) {
      if (!item?.wall || !item.box) continue;
      inverse.copy(pose.compose(this.position(item.body.index), this.quaternion(item.body.index), new THREE.Vector3(1, 1, 1))).invert();
      let hidden = 0;
      for (const mover of seen) {
        const to = this.position(mover.body.index).applyMatrix4(inverse);
        ray.origin.copy(camera.position).applyMatrix4(inverse);
        const distance = ray.origin.distanceTo(to);
        ray.direction.subVectors(to, ray.origin).divideScalar(distance);
        if (!item.box.containsPoint(ray.origin) && ray.intersectBox(item.box, hit) && hit.distanceTo(ray.origin) < distance - 0.5 * mover.reach) ++hidden;
      }
      const glass = hidden > (item.glass ? 0.04 : 0.12) * seen.length;
      if (glass !== item.glass) this.setGlass(item, glass);
    }
  }
  setGlass(item, glass) {
    item.glass = glass;
    for (const { batch } of item.parts) {
      Object.assign(batch.material, { transparent: glass, opacity: glass ? 0.13 : 1, depthWrite: !glass, needsUpdate: true });
      batch.mesh.castShadow = !glass;
    }
  }

  repaint(theme) {
    this.theme = theme;
    for (const item of this.items) if (item) this.paint(item, item.flag, item.island);
  }

  /// Nearest body on the ray: { index, point, distance }.
  pick(raycaster) {
    let best = null;
    for (const { mesh } of this.batches.values()) {
      mesh.boundingSphere = null;  // of the last picture
      for (const hit of raycaster.intersectObject(mesh)) {
        const index = mesh.userData.owners[hit.instanceId];
        if (index >= 0 && (!best || hit.distance < best.distance)) best = { index, point: hit.point, distance: hit.distance };
      }
    }
    return best;
  }

  position(index, target = new THREE.Vector3()) {
    return target.fromArray(this.poses ?? [0, 0, 0], this.poses ? 7 * index : 0);
  }
  quaternion(index, target = new THREE.Quaternion()) {
    const p = this.poses, k = 7 * index;
    return p ? target.set(p[k + 4], p[k + 5], p[k + 6], p[k + 3]) : target.identity();
  }

  /// The corners of a body's bounds, turned with it; its center if it has none.
  corners({ body, box }) {
    const middle = this.position(body.index);
    if (!box) return [middle];
    const turn = this.quaternion(body.index), { min, max } = box, list = [];
    for (let corner = 0; corner < 8; ++corner)
      list.push(new THREE.Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z).applyQuaternion(turn).add(middle));
    return list;
  }

  /// The corners of the bounds of everything that can move, or of everything if nothing can, as x, y, z, ….
  outline() {
    const points = [];
    for (const wanted of [(b) => !b.fixed, () => true]) {
      for (const item of this.items) {
        if (!item?.parts.length || !wanted(item.body) || !this.poses || item.flag === 0 || !item.box || item.reach > 1e6) continue;
        for (const { x, y, z } of this.corners(item)) points.push(x, y, z);
      }
      if (points.length) return points;
    }
    return EMPTY;
  }
  /// The corners of fixed bodies that are near these points and not much larger than what they span, as src/viewer/preview.cpp chooses them for the first look.
  surroundings(points) {
    const axes = [0, 1, 2], span = (list, k) => list.reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])], [Infinity, -Infinity]);
    const triples = Array.from({ length: points.length / 3 }, (_, i) => points.slice(3 * i, 3 * i + 3));
    const all = axes.map((k) => span(triples, k)), size = Math.hypot(...all.map(([low, high]) => high - low)), found = [];
    for (const item of this.items) {
      if (!item?.parts.length || !item.body.fixed || item.body.ground || !this.poses || item.flag === 0 || !item.box || item.reach > 1e6) continue;
      const corners = this.corners(item).map((p) => p.toArray()), own = axes.map((k) => span(corners, k));
      const isNear = own.every(([low, high], k) => low < all[k][1] + 0.25 * size && high > all[k][0] - 0.25 * size);
      if (isNear && Math.hypot(...own.map(([low, high]) => high - low)) < 1.6 * size) found.push(...corners.flat());
    }
    return found;
  }
}
