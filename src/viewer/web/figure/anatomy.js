// Which bodies make up a doll, and how they lie when it stands straight: what its joints say, whatever it is doing now.
import * as THREE from 'three';

const NEEDED = ['pelvis', 'chest', 'head', 'left upper arm', 'left forearm', 'right upper arm', 'right forearm',
  'left thigh', 'left shin', 'right thigh', 'right shin'];
const OPTIONAL = ['left foot', 'right foot'];

/// Bodies whose names end in those of limbs, by what stands before: prefix → limb → index.
function groupByPrefix(bodies) {
  const groups = new Map();
  for (const { name, index } of bodies) {
    const limb = [...NEEDED, ...OPTIONAL].find((l) => name.endsWith(l));
    if (!limb) continue;
    const prefix = name.slice(0, -limb.length);
    if (!groups.has(prefix)) groups.set(prefix, new Map());
    groups.get(prefix).set(limb, index);
  }
  return groups;
}

function transform(numbers, at) {
  const [x, y, z, qw, qx, qy, qz] = numbers.slice(at, at + 7);
  return new THREE.Matrix4().compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(qx, qy, qz, qw), new THREE.Vector3(1, 1, 1));
}

/// From the pelvis outward: the two frames of a joint coincide, so b = a · frame_a · frame_b⁻¹.
function straighten(group, joints) {
  const limbs = new Map([...group].map(([limb, index]) => [index, { limb, index }]));
  const pelvis = limbs.get(group.get('pelvis'));
  Object.assign(pelvis, { bind: new THREE.Matrix4(), parent: null, anchor: null });
  const own = joints.filter((j) => j.active && !j.broken && limbs.has(j.a) && limbs.has(j.b));
  for (const waiting = [pelvis]; waiting.length > 0;) {
    const near = waiting.pop();
    for (const joint of own) {
      const isA = joint.a === near.index;
      const far = limbs.get(isA ? joint.b : joint.a);
      if ((!isA && joint.b !== near.index) || far.bind) continue;
      const nearFrame = transform(joint.frames, isA ? 0 : 7), farFrame = transform(joint.frames, isA ? 7 : 0);
      const meeting = near.bind.clone().multiply(nearFrame);
      Object.assign(far, { bind: meeting.clone().multiply(farFrame.invert()), parent: near,
        anchor: new THREE.Vector3().setFromMatrixPosition(meeting) });
      waiting.push(far);
    }
  }
  return limbs;
}

/// Half sizes of a limb's shape in its own frame.
function halfSizes(shape) {
  const box = new THREE.Box3();
  for (const part of shape.parts.filter(Boolean)) {
    if (!part.geometry.boundingBox) part.geometry.computeBoundingBox();
    box.union(part.geometry.boundingBox.clone().applyMatrix4(part.matrix));
  }
  return box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
}

/// The limbs of one doll: name → { limb, index, bind (in the frame of the pelvis), parent, anchor, center, half, length }; null
/// when something is missing. `half` is along the axes of the pelvis, to within the nearest one.
function limbsOf(group, joints, bodies, shapes) {
  if (!NEEDED.every((limb) => group.has(limb))) return null;
  const limbs = straighten(group, joints);
  if (![...limbs.values()].every((l) => l.bind)) return null;
  const named = new Map();
  for (const limb of limbs.values()) {
    const half = halfSizes(shapes.get(bodies.get(limb.index).shape)), e = limb.bind.elements;
    limb.center = new THREE.Vector3().setFromMatrixPosition(limb.bind);
    limb.half = new THREE.Vector3(...[0, 1, 2].map((k) => Math.abs(e[k]) * half.x + Math.abs(e[4 + k]) * half.y + Math.abs(e[8 + k]) * half.z));
    named.set(limb.limb, limb);
  }
  return named;
}

/// All dolls of a scene. A body that was deleted took its joints with it, which leaves no doll.
export function findFigures({ bodies, shapes, joints }) {
  const figures = [];
  for (const [name, group] of groupByPrefix(bodies.values())) {
    const limbs = limbsOf(group, joints, bodies, shapes);
    if (limbs) figures.push({ name, limbs });
  }
  return figures;
}
