// What the page keeps when it is loaded again, and when the program ends and is started anew.
import assert from 'node:assert/strict';

const BALL = { name: 'mine', text: JSON.stringify({ rigor: 1, name: 'mine', world: { bodies: [{ name: 'ball', shape: { sphere: 0.2 }, position: [0, 1, 0] }] } }) };
const BOX = { definition: { name: 'late', shape: { box: [0.2, 0.2, 0.2] }, position: [1, 1, 0] } };
const loaded = (page) => page.waitForFunction(() => window.rigor?.shown && window.rigor.model.state && window.rigor.model.bodies.size);
const hasBody = (name) => [...window.rigor.model.bodies.values()].some((b) => b.name === name);

export async function a_scene_from_elsewhere_survives_loading_the_page_again({ page, ask, until }) {
  await ask('open', { scene: 'pendulum' });
  await until(() => location.hash.includes('scene=pendulum'));
  await ask('load', BALL);
  await until(() => window.rigor.model.scene.name === 'mine' && location.hash === '');
  await page.reload({ waitUntil: 'commit' });
  await loaded(page);
  assert.equal(await page.evaluate(() => window.rigor.model.scene.name), 'mine');
}

export async function changes_by_hand_survive_loading_the_page_again({ page, ask, until }) {
  await ask('open', { scene: 'pendulum' });
  await until(() => location.hash.includes('scene=pendulum'));
  await ask('spawn', BOX);
  await until(hasBody, 'late');
  await page.reload({ waitUntil: 'commit' });
  await loaded(page);
  assert.equal(await page.evaluate(hasBody, 'late'), true);
  await page.evaluate(() => window.rigor.openScene('open', { scene: 'seesaw' }));
  await page.locator('.toast', { hasText: 'not saved' }).getByText('Open it again').click();
  await until(hasBody, 'late');
}

export async function a_link_in_the_address_of_an_open_page_is_followed({ page, until }) {
  await page.evaluate(() => { location.hash = '#scene=pendulum&step=4'; });
  await until(() => window.rigor.model.scene.name === 'pendulum' && window.rigor.shown.step === 4);
}

/// The program ends; one that is started at the same address knows nothing of the page, which offers what was built in it.
export async function the_page_comes_back_to_a_program_started_anew(_, { startProgram, browser, scene }) {
  let server = await startProgram(scene);
  const port = new URL(server.url).port, context = await browser.newContext(), page = await context.newPage();
  await page.goto(`${server.url}?plain`, { waitUntil: 'commit' });
  await loaded(page);
  await page.evaluate((box) => window.rigor.connection.ask('spawn', box), BOX);
  await page.waitForFunction(() => window.rigor.kept);
  assert.equal(await server.stop(), 0);
  await page.locator('.toast.bad', { hasText: 'connection to the program broke' }).waitFor();
  server = await startProgram(scene, '--port', port);
  await page.locator('.toast', { hasText: 'started anew' }).waitFor();
  assert.equal(await page.locator('.toast.bad').count(), 0);
  await page.locator('.toast', { hasText: 'not saved' }).getByText('Open it again').click();
  await page.waitForFunction(hasBody, 'late');
  await context.close();
  assert.equal(await server.stop(), 0);
}
