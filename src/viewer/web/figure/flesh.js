// A person around the limbs of a doll that stands straight: y up, z to the front, as simple solids that melt into each other.
import * as THREE from 'three';

export const COLORS = { skin: '#d9a987', hair: '#4a3628', shirt: '#5f86ab', trousers: '#4d5666', shoe: '#2f343b' };
/// What others of a crowd wear, and how many entries farther the next person's is.
export const WARDROBE = {
  skin: ['#d9a987', '#8d5f43', '#e5bd9c', '#b98560', '#6b4630'], hair: ['#4a3628', '#22201f', '#8a6a45', '#5e3826'],
  shirt: ['#5f86ab', '#c2714f', '#6f9a72', '#d0a24c', '#8a7bab', '#b8bec6', '#4f9496', '#a85563'], trousers: ['#4d5666', '#6b5f50', '#3b4a63'], shoe: ['#2f343b'],
};
export const STEPS = { skin: 3, hair: 3, shirt: 1, trousers: 2, shoe: 1 };

const v = (x, y, z) => new THREE.Vector3(x, y, z);

/// A capsule whose radius changes from one end to the other; `flat` squeezes it along z.
function limb(bone, a, b, ra, rb, paint, flat = 1) {
  return { bone, a, b, ra, rb, flat, paint: typeof paint === 'function' ? paint : () => paint };
}
function ball(bone, center, radius, paint, flat = 1) {
  return limb(bone, center, center, radius, radius, paint, flat);
}

function torso(named, out) {
  const pelvis = named.get('pelvis'), chest = named.get('chest'), waist = chest.anchor;
  const hips = ['left', 'right'].map((side) => named.get(`${side} thigh`).anchor);
  const shoulders = ['left', 'right'].map((side) => named.get(`${side} upper arm`).anchor);
  const wide = pelvis.half.x, deep = chest.half.z;
  out.push(limb('pelvis', hips[0], hips[1], wide * 0.42, wide * 0.42, 'trousers'));
  out.push(limb('pelvis', v(0, hips[0].y + wide * 0.22, 0), v(0, waist.y, 0), wide * 0.9, wide * 0.76, 'trousers', 0.82));
  for (const hip of hips) out.push(ball('pelvis', v(hip.x * 0.7, hip.y + wide * 0.05, -wide * 0.26), wide * 0.46, 'trousers'));
  const top = (shoulders[0].y + shoulders[1].y) / 2, width = chest.half.x;
  out.push(limb('chest', v(0, waist.y, 0), v(0, waist.y + (top - waist.y) * 0.35, 0), width * 0.66, width * 0.74, 'shirt', 0.8));
  out.push(limb('chest', v(-width * 0.2, top - deep * 1.0, deep * 0.05), v(width * 0.2, top - deep * 1.0, deep * 0.05), width * 0.66, width * 0.66, 'shirt', 0.85));
  out.push(limb('chest', shoulders[0].clone().multiplyScalar(0.82).setY(top), shoulders[1].clone().multiplyScalar(0.82).setY(top),
    width * 0.34, width * 0.34, 'shirt', 0.95));
}

function head(named, out) {
  const { center, half, anchor } = named.get('head'), r = half.x;
  // Hair covers the top and the back, down to the neck.
  const paint = (p) => (p.y - center.y > r * 0.38 || p.z - center.z < -r * 0.15 - (center.y - p.y) * 0.2 ? 'hair' : 'skin');
  out.push(limb('chest', v(0, anchor.y - r * 0.7, -r * 0.1), v(0, anchor.y, -r * 0.08), r * 0.46, r * 0.42, 'skin'));
  out.push(limb('head', v(0, anchor.y, -r * 0.08), v(0, center.y - r * 0.3, -r * 0.05), r * 0.42, r * 0.46, 'skin'));
  out.push(limb('head', v(0, center.y + r * 0.18, -r * 0.1), v(0, center.y + r * 0.12, r * 0.08), r * 0.84, r * 0.78, paint));
  out.push(limb('head', v(0, center.y - r * 0.15, r * 0.16), v(0, center.y - r * 0.56, r * 0.38), r * 0.62, r * 0.36, 'skin'));  // jaw
  out.push(ball('head', v(0, center.y - r * 0.1, r * 0.84), r * 0.12, 'skin'));  // nose
}

function arm(named, side, out) {
  const upper = named.get(`${side} upper arm`), fore = named.get(`${side} forearm`);
  const along = fore.anchor.clone().sub(upper.anchor).normalize();
  const thick = Math.min(upper.half.y, upper.half.z), thin = Math.min(fore.half.y, fore.half.z);
  const wrist = fore.center.clone().addScaledVector(along, Math.abs(along.dot(fore.half)) * 0.72 || 0.1);
  const sleeve = (p) => (p.clone().sub(upper.anchor).dot(along) < upper.half.length() * 0.95 ? 'shirt' : 'skin');
  out.push(ball(upper.limb, upper.anchor, thick * 1.22, 'shirt'));
  out.push(limb(upper.limb, upper.anchor, fore.anchor, thick * 1.05, thick * 0.82, sleeve));
  out.push(limb(fore.limb, fore.anchor, wrist, thin * 1.02, thin * 0.68, 'skin'));
  const palm = wrist.clone().addScaledVector(along, thin * 1.5), tip = wrist.clone().addScaledVector(along, thin * 3.3);
  out.push(limb(fore.limb, palm, tip, thin * 0.78, thin * 0.52, 'skin'));
  const thumb = wrist.clone().addScaledVector(along, thin * 0.8);
  out.push(limb(fore.limb, thumb, thumb.clone().addScaledVector(along, thin * 1.3).add(v(0, 0, thin * 1.1)), thin * 0.36, thin * 0.3, 'skin'));
}

function leg(named, side, out) {
  const thigh = named.get(`${side} thigh`), shin = named.get(`${side} shin`), foot = named.get(`${side} foot`);
  const thick = Math.min(thigh.half.x, thigh.half.z), thin = Math.min(shin.half.x, shin.half.z);
  const ankle = foot?.anchor ?? shin.center.clone().add(v(0, -shin.half.y * 0.9, 0));
  out.push(limb(thigh.limb, thigh.anchor.clone().setX(thigh.anchor.x * 0.9), shin.anchor, thick * 1.06, thick * 0.8, 'trousers'));
  out.push(limb(shin.limb, shin.anchor, ankle, thin * 1.04, thin * 0.72, 'trousers'));
  const calf = shin.anchor.clone().lerp(ankle, 0.3).add(v(0, 0, -thin * 0.28));
  out.push(limb(shin.limb, calf, calf.clone().lerp(ankle, 0.3), thin * 0.92, thin * 0.7, 'trousers'));
  const bone = foot?.limb ?? shin.limb, size = thin * 0.76;
  const sole = foot ? foot.center.y - foot.half.y : ankle.y - thin * 0.6;
  const heel = v(ankle.x, sole + size, ankle.z - thin * 0.35);
  const toes = v(ankle.x, sole + size * 0.74, foot ? foot.center.z + foot.half.z - size : ankle.z + thin * 2.6);
  out.push(limb(bone, ankle, heel, thin * 0.7, size, 'shoe'));
  out.push(limb(bone, heel, toes, size, size * 0.74, 'shoe'));
}

/// All solids of a figure.
export function fleshOf(named) {
  const solids = [];
  torso(named, solids);
  head(named, solids);
  for (const side of ['left', 'right']) {
    arm(named, side, solids);
    leg(named, side, solids);
  }
  return solids;
}

/// How far a point is outside a solid; negative inside.
export function distance(solid, x, y, z) {
  const { a, b, ra, rb, flat } = solid;
  const abx = b.x - a.x, aby = b.y - a.y, abz = (b.z - a.z) / flat;
  const px = x - a.x, py = y - a.y, pz = (z - a.z) / flat;
  const square = abx * abx + aby * aby + abz * abz;
  const t = square > 0 ? Math.min(1, Math.max(0, (px * abx + py * aby + pz * abz) / square)) : 0;
  return (Math.hypot(px - t * abx, py - t * aby, pz - t * abz) - (ra + t * (rb - ra))) * (flat < 1 ? (1 + flat) / 2 : 1);
}
