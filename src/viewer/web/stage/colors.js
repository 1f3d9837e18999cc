// A calm palette that people with colour-blindness can tell apart, for both themes.
import { Color } from 'three';

export const PALETTE = ['#6089ad', '#d2a15f', '#6d9c80', '#bd7664', '#877fa8', '#5b9799', '#b58699', '#949b66'];
export const RUN_COLORS = ['#3f7fb5', '#d9822b', '#4c9a6a', '#a8629f'];

const MATERIALS = {
  wood: '#c9a677', oak: '#b99468', steel: '#a4b0bc', iron: '#88929c', lead: '#6b7480', brick: '#b8735c', stone: '#b9b1a2',
  concrete: '#aaa8a2', ice: '#a9cfe0', rubber: '#5d6a79', glass: '#9cc7c4', gold: '#d2a845', brass: '#c7a457',
  copper: '#bd7a54', aluminium: '#b3bac2', cork: '#b5895a', card: '#d8cdb8', plastic: '#5b8db8', water: '#5f9fc4',
  skin: '#d3a184', cloth: '#7d8fae', ivory: '#dcc896', magnet: '#9aa5b1',
};

/// How a material shines: metals reflect what is around, glass and ice have sharp highlights, the rest is dull.
const METAL = { metalness: 0.35, roughness: 0.36, envMapIntensity: 2 }, GLOSSY = { metalness: 0, roughness: 0.16, envMapIntensity: 1.5 };
const FINISHES = { steel: METAL, iron: METAL, aluminium: METAL, gold: METAL, brass: METAL, copper: METAL, glass: GLOSSY, ice: GLOSSY, plastic: { metalness: 0, roughness: 0.35 }, rubber: { metalness: 0, roughness: 0.9 } };
const DULL = { metalness: 0.04, roughness: 0.6 };
/// The first word of a material's name counts: "steel #b0b5ba" is steel.
export const finishOf = (material = '') => FINISHES[material.split(' ')[0]] ?? DULL;

export const THEMES = {
  light: { dark: false, sky: '#dfe7ee', horizon: '#f3f1ec', floor: '#eceae5', grid: '#8a97a5', fixed: '#b4bac1', asleep: '#9aa3ad', shadow: 0.3,
           sun: 2.5, ambient: 0.8, environment: 0.36, accent: '#d9782b' },
  dark: { dark: true, sky: '#161b22', horizon: '#232a33', floor: '#1d232b', grid: '#5c6a79', fixed: '#5b646e', asleep: '#505862', shadow: 0.55,
          sun: 2.3, ambient: 0.6, environment: 0.28, accent: '#f0a050' },
};

/// Colours of overlay layers, by name.
export const LAYER_COLORS = {
  'contact-points': '#d1495b', 'contact-normals': '#3f7fb5', 'normal-forces': '#c4453a', 'friction-forces': '#e0a050',
  velocities: '#2f9e6e', 'angular-velocities': '#8b6fc0', forces: '#d1495b', torques: '#b5568f', bounds: '#7c8b99',
  'centers-of-mass': '#3a8fb7', inertias: '#4a9fa3', 'joint-frames': '#d1495b', 'joint-errors': '#e4572e', 'joint-forces': '#b5568f',
  'joint-limits': '#d98a2b', islands: '#6d9c80', tree: '#3f7fb5',
  'effect-forces': '#4c9a6a', 'effect-torques': '#8b6fc0',
};
export const AXES = ['#d1495b', '#4c9a6a', '#3f7fb5'];
export const SLIPPING = '#e4572e';
export const NOW = '#2f7fd0';  // where a limited joint is

const cache = new Map();
const color = (text) => {
  if (!cache.has(text)) cache.set(text, new Color(text));
  return cache.get(text);
};

/// The colour of a box in the broad phase's tree: from blue at the root to orange at the leaves.
const DEPTHS = ['#24507a', '#2f7fa8', '#3f9c8f', '#7aa655', '#c2a13c', '#d9822b'];
export const depthColor = (depth) => color(DEPTHS[Math.min(depth, DEPTHS.length - 1)]);

/// Neighbouring numbers get hues that are far apart: steps of the golden angle.
export function islandColor(number, dark) {
  const key = `island ${number} ${dark}`;
  if (!cache.has(key)) cache.set(key, new Color().setHSL((number * 0.618034) % 1, 0.5, dark ? 0.5 : 0.6));
  return cache.get(key);
}

/// Neighbours of one material differ a little, so that one sees where one ends and the next begins.
const shades = new Map();
function shade(base, index) {
  const key = `${base.getHexString()} ${index % 7}`;
  if (!shades.has(key)) shades.set(key, base.clone().offsetHSL((((index * 5) % 7) - 3) * 0.006, 0, (((index * 3) % 7) - 3) * 0.026));
  return shades.get(key);
}

/// By material: its own colour when its name ends in one, as "steel #b0b5ba" does; bodies of the unnamed material differ from their neighbours instead, and what stands fast is calm.
export function bodyColor(body, material, theme) {
  if (MATERIALS[material]) return shade(color(MATERIALS[material]), body.fixed ? 3 : body.index);
  const own = /#[0-9a-f]{6}$/.exec(material);
  if (own) return color(own[0]);
  if (body.fixed) return color(theme.fixed);
  if (material === 'default') return color(PALETTE[body.index % PALETTE.length]);
  let hash = 7;
  for (const c of material) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return shade(color(PALETTE[hash % PALETTE.length]), body.index);
}
