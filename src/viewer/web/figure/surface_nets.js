// The surface where a function on a grid is zero, as triangles: naive surface nets (Gibson 1998). One vertex in every cell that
// the surface passes through, at the mean of where it crosses the cell's edges; one quad across every edge that it crosses.

const CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// `values[i + size[0] (j + size[1] k)]` at origin + cell (i, j, k); inside where negative. Gives { positions, triangles }.
export function surfaceNets(values, size, origin, cell) {
  const [nx, ny, nz] = size, at = (i, j, k) => i + nx * (j + ny * k);
  const vertexOf = new Int32Array(values.length).fill(-1), positions = [], triangles = [];
  const offsets = CORNERS.map(([x, y, z]) => at(x, y, z)), corner = new Float64Array(8);
  for (let k = 0; k + 1 < nz; ++k)
    for (let j = 0; j + 1 < ny; ++j)
      for (let i = 0; i + 1 < nx; ++i) {
        const cellIndex = at(i, j, k);
        let inside = 0;
        for (let c = 0; c < 8; ++c) inside += values[cellIndex + offsets[c]] < 0 ? 1 : 0;
        if (inside === 0 || inside === 8) continue;
        for (let c = 0; c < 8; ++c) corner[c] = values[cellIndex + offsets[c]];
        const middle = meanCrossing(corner);
        vertexOf[cellIndex] = positions.length / 3;
        positions.push(origin[0] + cell * (i + middle[0]), origin[1] + cell * (j + middle[1]), origin[2] + cell * (k + middle[2]));
      }
  const quad = (flip, a, b, c, d) => (flip ? triangles.push(a, c, b, a, d, c) : triangles.push(a, b, c, a, c, d));
  for (let k = 1; k + 1 < nz; ++k)
    for (let j = 1; j + 1 < ny; ++j)
      for (let i = 1; i + 1 < nx; ++i) {
        const here = values[at(i, j, k)] < 0;
        const w = (x, y, z) => vertexOf[at(i - x, j - y, k - z)];
        if (here !== values[at(i + 1, j, k)] < 0) quad(!here, w(0, 1, 1), w(0, 0, 1), w(0, 0, 0), w(0, 1, 0));
        if (here !== values[at(i, j + 1, k)] < 0) quad(!here, w(1, 0, 1), w(1, 0, 0), w(0, 0, 0), w(0, 0, 1));
        if (here !== values[at(i, j, k + 1)] < 0) quad(!here, w(1, 1, 0), w(0, 1, 0), w(0, 0, 0), w(1, 0, 0));
      }
  return { positions: new Float32Array(positions), triangles };
}

function meanCrossing(corner) {
  const sum = [0, 0, 0];
  let count = 0;
  for (const [a, b] of EDGES) {
    if (corner[a] < 0 === corner[b] < 0) continue;
    const t = corner[a] / (corner[a] - corner[b]);
    for (let axis = 0; axis < 3; ++axis) sum[axis] += CORNERS[a][axis] + t * (CORNERS[b][axis] - CORNERS[a][axis]);
    ++count;
  }
  return sum.map((value) => value / count);
}
