// The binary picture of a session; src/viewer/frame.h describes it.
const MAGIC = 0x32474952;  // 'RIG2'
const WIDTH = { 1: 28, 2: 1, 3: 16, 4: 28, 5: 28, 6: 44, 8: 1, 9: 8 };  // bytes per item
const KIND = { 3: 'points', 4: 'vectors', 5: 'boxes', 6: 'ellipsoids' };

export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('this is no frame of this version');
  const frame = {
    number: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    step: view.getFloat64(16, true),
    runs: Array.from({ length: view.getUint32(24, true) }, () => ({ poses: null, flags: null, layers: [], values: new Map() })),
    playing: (view.getUint32(28, true) & 1) === 1,
    samples: null,
    status: {},
  };
  let at = 32;
  while (at < buffer.byteLength) {
    const kind = view.getUint32(at, true), run = view.getUint32(at + 4, true);
    const count = view.getUint32(at + 8, true), layer = view.getUint32(at + 12, true);
    at += 16;
    const size = (kind === 7 ? 8 * layer : WIDTH[kind]) * count;
    readSection(frame, buffer, at, { kind, run, count, layer });
    at += Math.ceil(size / 8) * 8;
  }
  return frame;
}

function readSection(frame, buffer, at, { kind, run, count, layer }) {
  const floats = () => new Float32Array(buffer, at, (WIDTH[kind] / 4) * count);
  if (kind === 1) frame.runs[run].poses = floats();
  else if (kind === 2) frame.runs[run].flags = new Uint8Array(buffer, at, count);
  else if (kind in KIND) frame.runs[run].layers.push({ layer, kind: KIND[kind], count, data: floats() });
  else if (kind === 7) frame.samples = { count, width: layer, data: new Float64Array(buffer, at, layer * count) };
  else if (kind === 9) frame.runs[run].values.set(layer, bodyValues(buffer, at, count));
  else if (kind === 8) frame.status = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at, count)));
}

/// A number per body: index → value.
function bodyValues(buffer, at, count) {
  const indices = new Uint32Array(buffer, at, 2 * count), values = new Float32Array(buffer, at, 2 * count);
  const result = new Map();
  for (let i = 0; i < count; ++i) result.set(indices[2 * i], values[2 * i + 1]);
  return result;
}
