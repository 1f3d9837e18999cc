// node run.mjs PROGRAM: glTF files that `rigor convert` and `rigor run --record` write have no errors and no warnings for the Khronos validator. It does not know the
// drafts of the physics extensions: what it says about those alone is let pass, as an information.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';

const validator = createRequire(import.meta.url)('gltf-validator');
const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'rigor-gltf-'));
const data = new URL('../data/', import.meta.url).pathname;

/// Name of the file, and the arguments that write it.
const cases = [
  ['seesaw.glb', (out) => ['convert', 'seesaw', out]],
  ['seesaw.gltf', (out) => ['convert', 'seesaw', out]],
  ['arm.glb', (out) => ['convert', join(data, 'pick_and_place.urdf'), out]],
  ['humanoid.gltf', (out) => ['convert', join(data, 'humanoid.xml'), out]],
  ['run.glb', (out) => ['run', 'dzhanibekov', '--seconds', '1', '--quiet', '--record', out]],
  ['fall.glb', (out) => ['run', join(data, 'humanoid.xml'), '--seconds', '0.5', '--every', '5', '--quiet', '--record', out]],
];

let passed = 0, failed = 0;
for (const [name, make] of cases) {
  const file = join(folder, name);
  try {
    execFileSync(program, make(file), { stdio: ['ignore', 'ignore', 'ignore'] });
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: name, maxIssues: 50 });
    const { numErrors, numWarnings, messages } = report.issues;
    if (numErrors + numWarnings > 0) throw new Error(JSON.stringify(messages.filter((m) => m.severity < 2).slice(0, 5)));
    ++passed;
    console.log(`ok      ${name}: ${report.info.drawCallCount} draw calls, ${report.info.animationCount} animations`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
rmSync(folder, { recursive: true });
console.log(`gltf: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
