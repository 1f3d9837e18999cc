// What can be taken home: recordings, replays; and what cannot be brought along.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

async function saveDownload(page, action) {
  const waiting = page.waitForEvent('download');
  await action();
  const download = await waiting, path = join(mkdtempSync(join(tmpdir(), 'rigor-')), download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

export async function a_recorded_run_replays_bit_for_bit({ page, ask, until }, { program }) {
  await ask('step', { count: 5 });
  const button = page.getByLabel(/Record the run/);
  await button.click();
  await until(() => window.rigor.model.state.recording);
  await ask('step', { count: 30 });
  const path = await saveDownload(page, () => button.click());
  assert.match(path, /stack\.rrec$/);
  const summary = JSON.parse(execFileSync(program, ['replay', path, '--verify', '--json']));
  assert.equal(summary.last_step, 30);
}

export async function a_hand_ends_a_recording_and_the_file_comes({ page, ask, until }) {
  await ask('record', { on: true });
  await ask('step', { count: 4 });
  const path = await saveDownload(page, () => ask('gravity', { value: [0, -1, 0] }));
  assert.equal(readFileSync(path).subarray(1, 5).toString(), 'RREC');
  await until(() => !window.rigor.model.state.recording);
  await page.locator('.toast', { hasText: 'recording ended' }).waitFor();
}

export async function a_replay_plays_without_the_program({ page, ask, until }, { browser }) {
  const button = page.getByLabel(/Record a replay/);
  await button.click();
  for (let i = 1; i <= 3; ++i) {
    await ask('step', { count: 2 });
    await until((step) => window.rigor.shown.step === step, 2 * i);
  }
  const path = await saveDownload(page, () => button.click());
  const context = await browser.newContext(), alone = await context.newPage();
  await alone.goto(`file://${path}?plain`, { waitUntil: 'commit' });
  // It opens at the start and waits; nothing offers what it would have to refuse.
  await alone.waitForFunction(() => window.rigor?.shown, null, { timeout: 120000 });
  assert.equal((await alone.evaluate(() => window.rigor.shown)).playing, false);
  assert.ok((await alone.evaluate(() => window.rigor.shown.step)) < 6);
  for (const refused of ['.panels', '.tools [aria-label^="Save the scene"]', '.tools [aria-label^="Record"]', '.scene-name'])
    assert.equal(await alone.locator(refused).filter({ visible: true }).count(), 0, refused);
  await alone.locator('#play').click();
  await alone.waitForFunction(() => window.rigor.shown.step === 6, null, { timeout: 120000 });
  assert.equal(await alone.title(), 'stack · Rigor');
  await context.close();
}

export async function a_run_of_the_command_line_plays_in_the_browser(_, { browser, program, scene }) {
  const path = join(mkdtempSync(join(tmpdir(), 'rigor-')), 'run.html');
  execFileSync(program, ['run', scene, '--seconds', '0.5', '--quiet', '--replay', path]);
  const context = await browser.newContext(), alone = await context.newPage(), errors = [];
  alone.on('pageerror', (error) => errors.push(error.message));
  await alone.goto(`file://${path}?plain`, { waitUntil: 'commit' });
  await alone.waitForFunction(() => window.rigor?.shown?.step === 0, null, { timeout: 120000 });
  await alone.keyboard.press('p');
  await alone.locator('#play').click();
  await alone.waitForFunction(() => window.rigor.shown.time > 0.45 && !window.rigor.shown.playing, null, { timeout: 120000 });
  assert.ok((await alone.evaluate(() => window.rigor.plots.series.times.length)) >= 14);
  await alone.keyboard.press('b');  // would throw a ball
  assert.equal(await alone.locator('.toast').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
}

export async function undo_brings_a_body_back({ page, ask, until }) {
  const box = await page.evaluate(() => [...window.rigor.model.bodies.values()].find((b) => !b.fixed && !b.ground).index);
  const undo = page.getByLabel(/^Undo/);
  assert.equal(await undo.isDisabled(), true);
  await ask('remove', { body: box });
  await until((i) => window.rigor.model.frame.runs[0].flags[i] === 0, box);
  await until(() => window.rigor.model.state.undos === 1);
  await undo.click();
  await until((i) => window.rigor.model.frame.runs[0].flags[i] > 0, box);
  await page.keyboard.press('Control+y');
  await until((i) => window.rigor.model.frame.runs[0].flags[i] === 0, box);
}

export async function joints_and_forces_are_added_and_deleted_in_the_panel({ page, until }) {
  const box = await page.evaluate(() => [...window.rigor.model.bodies.values()].find((b) => !b.fixed && !b.ground).index);
  await page.evaluate((i) => {
    window.rigor.panels.show(window.rigor.bodyPanel);
    window.rigor.model.select(i);
  }, box);
  await page.getByLabel('Kind of joint').selectOption('rope');
  await page.locator('.row.add button').first().click();
  await until(() => window.rigor.model.joints.some((j) => j.name === 'rope 1'));
  await page.locator('.inspector.joint', { hasText: 'rope 1' }).getByText('delete').click();
  await until(() => window.rigor.model.joints.length === 0);
  await page.getByLabel('Kind of force').selectOption('spring');
  await page.locator('.row.add button').nth(1).click();
  await until(() => window.rigor.model.forces.some((f) => f.name === 'spring 1'));
  const stiffness = page.locator('.inspector.joint', { hasText: 'spring 1' }).getByLabel('stiffness', { exact: true });
  await stiffness.fill('80');
  await stiffness.press('Enter');
  await until(() => window.rigor.model.forces.find((f) => f.name === 'spring 1')?.parameters.stiffness === 80);
  await page.locator('.inspector.joint', { hasText: 'spring 1' }).getByText('delete').click();
  await until(() => !window.rigor.model.forces.some((f) => f.name === 'spring 1'));
}

export async function robot_descriptions_are_named_for_what_they_are({ page, shown }) {
  const before = await shown();
  await page.evaluate(() => window.rigor.loadFile(new File(['<?xml version="1.0"?><robot name="arm"/>'], 'arm.urdf')));
  const toast = page.locator('.toast.bad');
  await toast.waitFor();
  assert.match(await toast.textContent(), /arm\.urdf: this is a URDF file/);
  assert.deepEqual((await shown()).hashes, before.hashes);
}

export async function the_residual_falls_over_the_iterations({ page, ask, until }) {
  await ask('step', { count: 4 });
  await page.keyboard.press('p');
  await until(() => window.rigor.plots.residuals.runs?.[0].residuals?.length > 5);
  const list = await page.evaluate(() => window.rigor.plots.residuals.runs[0].residuals);
  assert.ok(list.at(-1) < list[0]);
}

export async function it_stops_by_itself_on_deep_penetration({ page, ask, until }) {
  await ask('rules', { penetration: true, depth: 1e-7 });
  await page.keyboard.press(' ');
  await until(() => window.rigor.shown.step > 0 && window.rigor.shown.playing === false);
  await page.locator('.toast.bad', { hasText: 'overlap' }).waitFor();
}

/// --method and --set of the command line are those of every verb: a mistake is one sentence, and a recording has the method it was made with.
export async function the_viewer_refuses_a_method_that_does_not_exist(_, { program }) {
  for (const [words, sentence] of [[['pendulum', '--set', 'integrator=nothing'], /unknown integrator 'nothing'/], [['pendulum', '--method', 'nothing'], /nothing/], [['run.rrec', '--set', 'integrator=rk4'], /a recording is played as it was made/]]) {
    const { status, stderr } = spawnSync(program, ['view', ...words, '--no-open'], { encoding: 'utf8', timeout: 60000 });
    assert.equal(status, 2, stderr);
    assert.match(stderr, sentence);
    assert.equal(stderr.trim().split('\n').length, 1);
  }
}
