// Force effects and running surfaces as things to be seen: springs, water, blasts, magnets, pushes, belts; and fixed planes.
import * as THREE from 'three';
import { Arrows } from './instances.js';
import { ball, coil, cylinder, Pieces } from './pieces.js';
import { planeMaterial, textureOf } from './textures.js';

const TINY = 0.012, MOST_TINY = 20;  // of the scene's radius: smaller bodies have a halo if they are few
const SPRING = '#5580ab', WATER = '#3f8fc0', BLAST = '#e4572e', NORTH = '#c4453a', SOUTH = '#3f6fb5', PUSH = '#d1495b', FIELD = '#7d8fa3';
const FIELD_LINES = 6;

const beltMaterial = () => new THREE.ShaderMaterial({
  transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
  uniforms: { velocity: { value: new THREE.Vector3() }, pitch: { value: 1 }, time: { value: 0 } },
  vertexShader: `varying vec3 at, n; void main() { at = position; n = normal; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
  fragmentShader: `varying vec3 at, n; uniform vec3 velocity; uniform float pitch, time;
    void main() {
      float speed = length(velocity);
      vec3 along = velocity / speed;
      if (abs(dot(normalize(n), along)) > 0.5) discard;
      vec3 across = normalize(cross(n, along));
      float s = (dot(at, along) - speed * time + 0.35 * abs(dot(at, across))) / pitch;
      if (fract(s) > 0.35) discard;
      gl_FragColor = vec4(0.08, 0.1, 0.13, 0.45);
    }`,
});

export class Effects {
  constructor() {
    this.group = new THREE.Group();
    this.coils = new Pieces(this.group, coil, SPRING);
    this.norths = new Pieces(this.group, cylinder, NORTH);
    this.souths = new Pieces(this.group, cylinder, SOUTH);
    this.beacons = new Pieces(this.group, ball, '#ffffff', { transparent: true, opacity: 0.4, depthWrite: false });
    this.hooks = new Pieces(this.group, ball, '#434c55');
    this.pieces = [this.coils, this.norths, this.souths, this.hooks, this.beacons];
    this.arrows = new Arrows(this.group);
    this.extra = [];  // meshes of this scene: { mesh, body?, end?, belt? }
    this.springs = [];
    this.magnets = [];
    this.tiny = [];
    this.pushes = [];
    [this.p, this.q, this.v] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    this.turn = new THREE.Quaternion();
    this.data = new Float32Array(6);
    this.one = new THREE.Vector3(1, 1, 1);
    this.push = new THREE.Color(PUSH);
  }

  set(forces, bodies, shapes, items, { up, radius, center }, textures) {
    for (const { mesh } of this.extra) this.group.remove(mesh), mesh.geometry.dispose(), mesh.material.dispose();
    this.extra = [];
    Object.assign(this, { radius, up });
    const active = forces.filter((f) => f.active), of = (type) => active.filter((f) => f.type === type);
    this.springs = of('spring').map((f) => ({ a: f.bodies[0], b: f.bodies[1], pa: f.parameters.point_a ?? [0, 0, 0], pb: f.parameters.point_b ?? [0, 0, 0],
      free: !items[f.bodies[0]] || items[f.bodies[0]].body.fixed, size: this.wire(f, items) }));
    const affected = (f) => f.bodies ?? [...bodies.keys()].filter((i) => !f.except.includes(i));
    this.magnets = of('magnets').flatMap((f) => affected(f).filter((i) => items[i] && !items[i].body.fixed)
      .map((i) => ({ index: i, moment: new THREE.Vector3(...(f.parameters.moment ?? [0, 1, 0])).normalize(), reach: items[i].reach })));
    this.pushes = of('point-force').flatMap((f) => affected(f).filter((i) => items[i] && !items[i].body.fixed).map((i) => ({ index: i, end: f.end ?? Infinity,
      force: f.parameters.force ?? [0, 0, 0], point: f.parameters.point ?? [0, 0, 0], turns: Boolean(f.parameters.in_body_frame) })));
    const movers = items.filter((item) => item && !item.body.fixed && item.parts.length);
    this.tiny = movers.length > MOST_TINY ? [] : movers.filter((item) => item.reach < TINY * radius)
      .map(({ body, parts: [{ batch, at }] }) => ({ index: body.index, color: batch.mesh.instanceColor ? new THREE.Color().fromArray(batch.mesh.instanceColor.array, 3 * at) : new THREE.Color() }));
    for (const f of of('magnets')) this.addField(f.parameters.field ?? [0, 0, 0], affected(f).map((i) => items[i]?.body).filter((b) => b && !b.fixed), center);
    for (const f of of('buoyancy')) this.addWater(f.parameters, center);
    for (const f of of('explosion')) this.addBlast(f);
    for (const body of bodies.values()) {
      if (body.surface) this.addBelt(body, shapes.get(body.shape));
      const texture = textureOf(textures, body.material);
      if (body.fixed && (!body.ground || texture)) this.addPlanes(body, shapes.get(body.shape), center, texture);
    }
  }
  /// The radius of a spring's coil: smaller than what hangs on it.
  wire(force, items) {
    const reach = Math.min(...force.bodies.map((i) => (items[i] && !items[i].body.fixed ? items[i].reach : Infinity)));
    return Math.min(0.05 * this.radius, Number.isFinite(reach) ? 0.4 * reach : Infinity);
  }
  add(mesh, more = {}) {
    mesh.frustumCulled = false;
    this.group.add(mesh);
    this.extra.push({ mesh, ...more });
    return mesh;
  }
  /// A uniform field: parallel arrows behind the bodies, across the direction in which the scene is wider.
  addField(field, affected, center) {
    const along = new THREE.Vector3(...field);
    if (along.length() === 0 || affected.length === 0) return;
    along.normalize();
    const across = new THREE.Vector3().crossVectors(along, Math.abs(along.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0)).normalize();
    const behind = new THREE.Vector3().crossVectors(across, along), r = this.radius, turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
    const material = new THREE.MeshBasicMaterial({ color: FIELD, transparent: true, opacity: 0.35, depthWrite: false });
    for (let i = 0; i < FIELD_LINES; ++i) {
      const at = center.clone().addScaledVector(across, ((2 * i + 1) / FIELD_LINES - 1) * 0.7 * r).addScaledVector(behind, -0.2 * r);
      for (const [geometry, offset] of [[new THREE.CylinderGeometry(0.004 * r, 0.004 * r, 1.4 * r, 8), -0.04 * r], [new THREE.ConeGeometry(0.02 * r, 0.08 * r, 16), 0.7 * r]]) {
        const mesh = this.add(new THREE.Mesh(geometry, material.clone()), { field: true });
        mesh.quaternion.copy(turn);
        mesh.position.copy(at).addScaledVector(along, offset);
      }
    }
  }
  addWater({ normal = [0, 1, 0], level = 0 }, center) {
    const up = new THREE.Vector3(...normal).normalize(), size = 3 * this.radius;
    const material = new THREE.MeshStandardMaterial({ color: WATER, transparent: true, opacity: 0.42, roughness: 0.12, metalness: 0.1, side: THREE.DoubleSide, depthWrite: false });
    const mesh = this.add(new THREE.Mesh(new THREE.CircleGeometry(size, 64), material));
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    mesh.position.copy(center).addScaledVector(up, level - up.dot(center));
    mesh.renderOrder = 2;
    const edge = this.add(new THREE.Mesh(new THREE.RingGeometry(0.995 * size, size, 96), new THREE.MeshBasicMaterial({ color: WATER, side: THREE.DoubleSide })));
    edge.quaternion.copy(mesh.quaternion);
    edge.position.copy(mesh.position);
  }
  addBlast({ parameters: { center = [0, 0, 0], radius = 10 }, end }) {
    const material = new THREE.MeshBasicMaterial({ color: BLAST, transparent: true, opacity: 0.12, depthWrite: false });
    for (const [r, opacity] of [[Math.min(radius, 3 * this.radius), 0.1], [0.05 * this.radius, 0.9]]) {
      const own = material.clone();
      own.opacity = opacity;
      this.add(new THREE.Mesh(new THREE.SphereGeometry(r, 40, 24), own), { end: end ?? Infinity }).position.set(...center);
    }
  }
  /// Stripes that run with the surface, over every part.
  addBelt(body, shape) {
    for (const part of shape.parts.filter(Boolean)) {
      const geometry = part.geometry.clone().applyMatrix4(part.matrix), material = beltMaterial();
      geometry.computeVertexNormals();
      material.uniforms.velocity.value.set(...body.surface);
      material.uniforms.pitch.value = Math.max(0.12 * this.radius, 1e-3);
      const mesh = this.add(new THREE.Mesh(geometry, material), { body: body.index, belt: true });
      mesh.matrixAutoUpdate = false;
    }
  }
  /// An infinite plane that is not the ground, such as a slope: as much of it as the scene is large.
  addPlanes(body, shape, center, texture) {
    if (shape.parts.some(Boolean)) return;
    for (const frame of shape.planes) this.addPlane(body, frame, center, texture);
  }
  addPlane(body, frame, center, texture) {
    const size = (texture ? 12 : 4) * this.radius, thickness = 0.12 * this.radius;
    const material = texture ? planeMaterial(texture, size) : new THREE.MeshStandardMaterial({ color: '#b4bac1', roughness: 0.8 });
    const geometry = new THREE.BoxGeometry(size, thickness, size).translate(0, -thickness / 2, 0);
    const mesh = this.add(new THREE.Mesh(geometry, material), { plane: body.index, frame, center: center.clone() });
    mesh.receiveShadow = true;
    if (texture) return;
    const grid = new THREE.GridHelper(size, 20, '#7a8794', '#97a2ad');
    grid.position.y = 0.002 * this.radius;
    mesh.add(grid);
  }

  point(target, poses, body, local) {
    const k = 7 * body;
    this.turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    return target.set(local[0], local[1], local[2]).applyQuaternion(this.turn).add(this.v.set(poses[k], poses[k + 1], poses[k + 2]));
  }

  update(poses, time) {
    for (const piece of this.pieces) piece.begin();
    for (const { index } of this.tiny) this.beacons.ball(this.point(this.p, poses, index, ORIGIN), 1.6 * TINY * this.radius);
    this.tiny.forEach(({ color }, i) => this.beacons.mesh.setColorAt(i, color));
    for (const { a, b, pa, pb, free, size } of this.springs) {
      this.point(this.p, poses, a, pa);
      this.point(this.q, poses, b, pb);
      this.coils.between(this.p, this.q, size);
      if (free) this.hooks.ball(this.p, 0.8 * size);
    }
    for (const { index, moment, reach } of this.magnets) {
      this.point(this.p, poses, index, ORIGIN);
      this.v.copy(moment).applyQuaternion(this.turn);
      this.q.copy(this.p).addScaledVector(this.v, 0.9 * reach);
      this.norths.rod(this.q, this.v, 0.22 * reach, 0.45 * reach);
      this.q.copy(this.p).addScaledVector(this.v, -0.9 * reach);
      this.souths.rod(this.q, this.v, 0.22 * reach, 0.45 * reach);
    }
    for (const piece of this.pieces) piece.end();
    if (this.tiny.length) this.beacons.mesh.instanceColor.needsUpdate = true;
    this.drawPushes(poses, time);
    for (const item of this.extra) this.place(item, poses, time);
  }
  /// Forces at points of bodies: the largest is a third of the scene long.
  drawPushes(poses, time) {
    const shown = this.pushes;
    if (shown.length === 0) return this.arrows.hide();
    const most = Math.max(...shown.map((p) => Math.hypot(...p.force)), 1e-12);
    this.arrows.begin(shown.length, this.radius);
    shown.forEach((push, i) => {
      this.point(this.p, poses, push.index, push.point);
      this.q.set(...push.force);
      if (push.turns) this.q.applyQuaternion(this.turn);
      this.p.toArray(this.data, 0);
      this.q.toArray(this.data, 3);
      this.arrows.set(i, this.data, 0, time < push.end ? (0.3 * this.radius) / most : 0, this.push, 0);
    });
    this.arrows.end();
  }
  place({ mesh, body, belt, end, plane, frame, center }, poses, time) {
    if (end !== undefined) mesh.visible = time < end;
    if (belt) {
      this.point(this.p, poses, body, ORIGIN);
      mesh.matrix.compose(this.p, this.turn, this.one);
      mesh.material.uniforms.time.value = time;
    }
    if (plane !== undefined) {
      this.point(this.p, poses, plane, frame.position);
      mesh.quaternion.copy(this.turn).multiply(frame.turn);
      this.q.set(0, 1, 0).applyQuaternion(mesh.quaternion);
      mesh.position.copy(center).addScaledVector(this.q, this.q.dot(this.p) - this.q.dot(center));
      if (mesh.material.userData.moveTo) {
        this.q.copy(mesh.position).sub(this.p).applyQuaternion(this.turn.copy(mesh.quaternion).invert());
        mesh.material.userData.moveTo(this.q.x, this.q.z);
      }
    }
  }
}
const ORIGIN = [0, 0, 0];
