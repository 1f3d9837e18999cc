// The shape of a body: its kind and its sizes, m. Other shapes (hulls, meshes, composites) are named, and can be replaced by one of these.
import { choiceField, numberField, textField, vectorField } from './fields.js';

export const SHAPES = ['box', 'sphere', 'capsule', 'cylinder', 'cone'];

/// Width, height and depth of a shape as scene files write it; capsules, cylinders and cones stand along y.
export function extent(kind, size) {
  if (kind === 'box') return size;
  if (kind === 'sphere') return [2 * size, 2 * size, 2 * size];
  const height = kind === 'capsule' ? size.length + 2 * size.radius : size.height;
  return [2 * size.radius, height, 2 * size.radius];
}
/// A shape of another kind that is about as large.
export function shapeLike(kind, [x, y, z]) {
  const radius = (x + z) / 4;
  if (kind === 'box') return { box: [x, y, z] };
  if (kind === 'sphere') return { sphere: Math.cbrt(x * y * z) / 2 };
  if (kind === 'capsule') return { capsule: { radius, length: Math.max(y - 2 * radius, 0.2 * radius) } };
  return { [kind]: { radius, height: y } };
}

/// The program reports the kind as `shape` and its numbers as `size`, null unless the kind is one of SHAPES; `now()` is its latest report.
export function fieldsOfShape({ shape, size }, now, set) {
  const known = size !== null && SHAPES.includes(shape);
  if (shape === 'plane' || shape === 'none') return [textField('shape', (d) => d.shape)];
  const choice = choiceField('shape', 'Another kind keeps about the same size; the mass follows from density and volume', known ? SHAPES : [shape, ...SHAPES], (d) => d.shape,
    (kind) => kind !== shape && set(shapeLike(kind, known ? extent(shape, now().size) : [1, 1, 1])));
  if (!known) return [choice];
  if (shape === 'box') return [choice, vectorField('size', 'm', (d) => d.size ?? [0, 0, 0], (box) => set({ box }))];
  if (shape === 'sphere') return [choice, numberField('radius', 'm', (d) => d.size, (sphere) => set({ sphere }))];
  const along = shape === 'capsule' ? 'length' : 'height';
  return [choice, ...['radius', along].map((key) => numberField(key, 'm', (d) => d.size?.[key], (value) => set({ [shape]: { ...now().size, [key]: value } })))];
}
