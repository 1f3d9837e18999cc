// The longer tests, behind --all.
import assert from 'node:assert/strict';

export async function two_browsers_do_not_disturb_each_other({ ask, shown, until }, { openPage }) {
  const other = await openPage();
  await ask('step', { count: 4 });
  await until(() => window.rigor.shown.step === 4);
  assert.equal((await other.shown()).step, 0);
  await other.close();
  await ask('step');
  await until(() => window.rigor.shown.step === 5);
  assert.equal((await shown()).step, 5);
}

export async function every_overlay_draws({ page, ask, until }) {
  await ask('step', { count: 80 });
  await page.evaluate(() => window.rigor.model.hello.layers.forEach((l) => window.rigor.model.setLayer(l.name, true)));
  await until(() => window.rigor.model.frame.runs[0].layers.length >= 6);
  const kinds = await page.evaluate(() => window.rigor.model.frame.runs[0].layers.map((l) => l.kind));
  for (const kind of ['points', 'vectors', 'boxes', 'ellipsoids']) assert.ok(kinds.includes(kind), kind);
}

export async function every_built_in_scene_opens_and_steps({ page, ask, until }) {
  for (const { name } of await page.evaluate(() => window.rigor.model.hello.scenes)) {
    await ask('open', { scene: name });
    await ask('step', { count: 2 });
    await until((wanted) => window.rigor.model.scene.name === wanted && window.rigor.shown.step === 2, name);
  }
}

export async function bodies_can_be_added_edited_and_deleted({ page, ask, until }) {
  const { body } = await ask('spawn', { definition: { name: 'new', shape: { cone: { radius: 0.3, height: 0.5 } }, position: [0, 5, 0] } });
  await until((index) => window.rigor.model.frame.runs[0].flags[index] > 0, body);
  await page.evaluate((index) => window.rigor.model.select(index), body);
  await until((index) => window.rigor.model.frame.status.inspected?.[0].index === index, body);
  await ask('edit', { body, mass: 4, position: [1, 6, 0] });
  await until((index) => Math.abs(window.rigor.model.frame.status.inspected?.[0].mass - 4) < 1e-9 && window.rigor.model.frame.runs[0].poses[7 * index] === 1, body);
  await page.keyboard.press('Delete');
  await until((index) => window.rigor.model.frame.runs[0].flags[index] === 0, body);
}

export async function plots_follow_the_run_and_export({ page, ask, until }) {
  await page.keyboard.press('p');
  await ask('step', { count: 30 });
  await until(() => window.rigor.plots.series.steps.length === 31);
  const csv = await page.evaluate(() => window.rigor.plots.series.csv(window.rigor.model.hello.channels, 1));
  assert.equal(csv.trim().split('\n').length, 32);
  assert.ok((await page.locator('.chart canvas').count()) >= 5);
}

export async function help_lists_every_key({ page }) {
  await page.keyboard.press('?');
  assert.ok(await page.locator('.dialog:not([hidden]) kbd').count() > 20);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.dialog:not([hidden])').count(), 0);
}

export async function the_program_coming_back_is_noticed({ page }, { startProgram, scene, browser }) {
  const server = await startProgram(scene);
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(`${server.url}?plain`, { waitUntil: 'commit' });
  await other.waitForFunction(() => window.rigor?.shown, null, { timeout: 120000 });
  assert.equal(await server.stop(), 0);
  await other.waitForFunction(() => !document.querySelector('.status').classList.contains('good'));
  await context.close();
  assert.ok(await page.title());
}
