// What the tutorials ask a reader to do in the viewer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/// Every step of docs/tutorials/machine.md, with the mouse and the keyboard.
export async function the_seesaw_of_the_tutorial_can_be_built({ page, ask, until }, { program }) {
  await page.setViewportSize({ width: 1400, height: 900 });
  await ask('load', { name: 'my-seesaw', text: '{ "rigor": 1, "name": "my-seesaw" }' });
  await until(() => window.rigor.model.scene.name === 'my-seesaw' && window.rigor.shown?.step === 0 && !window.rigor.fresh);
  await page.getByRole('tab', { name: 'Bodies' }).click();
  const form = page.locator('.inspector').first();
  const type = async (label, text) => {
    await form.getByLabel(label, { exact: true }).fill(text);
    await form.getByLabel(label, { exact: true }).press('Tab');
  };
  const vector = async (label, values) => {
    for (const [k, value] of values.entries()) await type(`${label} ${'xyz'[k]}`, String(value));
  };
  const settled = () => until(() => window.rigor.connection.waiting.size === 0);
  const addBox = async (name, size, position) => {
    const before = await page.evaluate(() => window.rigor.model.bodies.size);
    await page.locator('.spawn').getByRole('button', { name: 'box' }).click();
    await until((count) => window.rigor.model.bodies.size > count, before);
    await page.locator('.list .item').last().click();  // a click on its name in the list selects it like a click on the box
    await form.getByLabel('name', { exact: true }).waitFor();
    await type('name', name);
    await vector('size', size);
    await vector('position', position);
    await settled();
  };
  await addBox('beam', [3, 0.1, 0.6], [0, 0.6, 0]);
  await page.getByLabel('Kind of joint').selectOption('hinge');
  await page.getByLabel('Axis of the joint').selectOption('z');
  await page.getByLabel('The other body').selectOption('world');
  await page.locator('.row.add button').first().click();
  const joint = page.locator('.inspector.joint').first();
  await joint.getByLabel('anchor x', { exact: true }).waitFor();
  for (const [k, value] of [0, 0.6, 0].entries()) {
    await joint.getByLabel(`anchor ${'xyz'[k]}`, { exact: true }).fill(String(value));
    await joint.getByLabel(`anchor ${'xyz'[k]}`, { exact: true }).press('Tab');
  }
  await settled();
  await addBox('left', [0.4, 0.4, 0.4], [-1.2, 0.9, 0]);
  await addBox('right', [0.6, 0.6, 0.6], [1.2, 3, 0]);
  const text = (await ask('save')).text, world = JSON.parse(text).world;
  assert.deepEqual(world.bodies.map((b) => b.name), ['beam', 'left', 'right']);
  assert.deepEqual(world.bodies[0].shape, { box: [3, 0.1, 0.6] });
  const file = join(mkdtempSync(join(tmpdir(), 'rigor-')), 'my-seesaw.json');
  writeFileSync(file, text);
  execFileSync(program, ['check', file]);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(' ');
  await until(() => window.rigor.shown.time > 0.8);
  await ask('pause');
  const tilt = await page.evaluate(() => {
    const { model, stage } = window.rigor, beam = [...model.bodies.values()].find((b) => b.name === 'beam');
    return 2 * Math.asin(Math.abs(stage.views[0].bodies.quaternion(beam.index).z));
  });
  assert.ok(tilt > 0.02, `the beam has turned by ${tilt} rad`);
}
