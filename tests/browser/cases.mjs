// The short tests: what everybody relies on.
import assert from 'node:assert/strict';

export async function first_frame_shows_the_bodies({ page, shown }) {
  assert.equal((await shown()).step, 0);
  assert.equal(await page.title(), 'stack · Rigor');
  const drawn = await page.evaluate(() => window.rigor.stage.renderer.info.render.triangles);
  assert.ok(drawn > 100, `${drawn} triangles`);
}

export async function one_step_is_one_step_and_pause_freezes({ page, shown, until }) {
  await page.keyboard.press('.');
  await until(() => window.rigor.shown.step === 1);
  assert.ok(Math.abs((await shown()).time - 0.01) < 1e-12);
  await page.keyboard.press(' ');
  await until(() => window.rigor.shown.step > 3 && window.rigor.model.state.playing);
  await page.click('#play');
  await until(() => window.rigor.shown.playing === false);
  const frozen = await shown();
  await page.keyboard.press('v');  // asks for another picture of the same state
  await until((number) => window.rigor.shown.number > number, frozen.number);
  const after = await shown();
  assert.equal(after.step, frozen.step);
  assert.deepEqual(after.hashes, frozen.hashes);
}

export async function changing_the_method_changes_it_in_the_engine({ page, ask, until }) {
  await page.getByRole('tab', { name: 'Method' }).click();  // folded in a small window
  await page.locator('.method select').first().selectOption('garstenauer');
  await until(() => window.rigor.model.methods[0].preset === 'garstenauer');
  const saved = JSON.parse((await ask('save')).text);
  assert.equal(saved.method, 'garstenauer');
}

/// Where the ball of the scene is, in the window and in the world.
function ball_on_screen(page) {
  return page.evaluate(() => {
    const { stage, model } = window.rigor;
    const body = [...model.bodies.values()].find((b) => b.name === 'ball');
    const p = stage.views[0].bodies.position(body.index);
    const start = p.clone();
    stage.camera.updateMatrixWorld();
    p.project(stage.camera);
    const box = stage.canvas.getBoundingClientRect();
    return { index: body.index, x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height, start: start.toArray() };
  });
}

export async function dragging_a_body_moves_it({ page, ask, until }) {
  await ask('gravity', { value: [0, 0, 0] });  // it waits in the air until the mouse has come
  await page.evaluate(() => window.rigor.panels.fold());
  const ball = await ball_on_screen(page);
  await page.keyboard.press(' ');
  await page.mouse.move(ball.x, ball.y);
  await page.mouse.down();
  await page.mouse.move(ball.x + 30, ball.y - 40, { steps: 3 });
  await until(() => window.rigor.model.frame.status.pulls?.length === 1);
  await until(({ index, start }) => window.rigor.stage.views[0].bodies.position(index).x > start[0] + 0.05, ball);
  await page.mouse.up();
  await until(() => !window.rigor.model.frame.status.pulls);
  assert.equal(await page.evaluate(() => window.rigor.model.selected), ball.index);
}

export async function a_body_that_is_moved_while_paused_is_not_said_to_be_pulled({ page, until }) {
  await page.evaluate(() => window.rigor.panels.fold());
  const ball = await ball_on_screen(page);
  await page.mouse.move(ball.x, ball.y);
  await page.mouse.down();
  await page.mouse.move(ball.x + 30, ball.y - 20, { steps: 3 });
  await until(() => window.rigor.toolbar.detail.textContent === 'moved with the mouse');
  await page.mouse.up();
  await until(() => window.rigor.toolbar.detail.textContent === 'step 0');
  assert.equal(await page.evaluate(() => window.rigor.tip.hidden), false, 'the hint stays after a drag');
  await page.evaluate(() => window.rigor.hideTip());
  await page.reload();
  await until(() => window.rigor?.tip?.hidden === true);
}

export async function every_button_has_words({ page }) {
  const mute = await page.evaluate(() => [...document.querySelectorAll('button')]
    .filter((b) => !b.textContent.trim() && !(b.title && b.getAttribute('aria-label'))).map((b) => b.outerHTML));
  assert.deepEqual(mute, []);
}

export async function rewind_restores_the_hash({ page, ask, shown, until }) {
  await ask('step', { count: 10 });
  await until(() => window.rigor.shown.step === 10);
  const { hashes } = await shown();
  await ask('step', { count: 15 });
  await until(() => window.rigor.shown.step === 25);
  assert.notDeepEqual((await shown()).hashes, hashes);
  await page.evaluate(() => window.rigor.toolbar.timeline.seek(10));
  await until(() => window.rigor.shown.step === 10);
  assert.deepEqual((await shown()).hashes, hashes);
}

export async function side_by_side_runs_two_methods({ ask, shown, until }) {
  await ask('compare', { methods: [0, 'free-flight'] });
  await ask('step', { count: 20 });
  await until(() => window.rigor.shown.step === 20 && window.rigor.stage.views.length === 2);
  const { hashes } = await shown();
  assert.equal(hashes.length, 2);
  assert.notEqual(hashes[0], hashes[1]);
}

export async function a_bad_scene_file_shows_the_loaders_sentence({ page, shown }) {
  const before = await shown();
  await page.evaluate(() => window.rigor.loadFile(new File(['{"rigor": 1, "world": {"bodies": [{"shape": {"box": [1, 1, -1]}}]}}'], 'wrong.json')));
  const toast = page.locator('.toast.bad');
  await toast.waitFor();
  assert.match(await toast.textContent(), /wrong: world\.bodies\[0\]\.shape\.box/);
  assert.deepEqual((await shown()).hashes, before.hashes);
}

export async function a_dropped_connection_recovers({ page, ask, until }) {
  await ask('step', { count: 7 });
  const session = await page.evaluate(() => window.rigor.model.hello.session);
  await page.evaluate(() => {
    window.rigor.shown = null;
    window.rigor.connection.socket.close();
  });
  await until(() => window.rigor.shown?.step === 7);
  assert.equal(await page.evaluate(() => window.rigor.model.hello.session), session);
}

/// The floor of a model is a plane that its shape turns, not its body.
export async function the_floor_of_a_model_lies(_, { startProgram, browser }) {
  const server = await startProgram(new URL('../data/humanoid.xml', import.meta.url).pathname);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}?plain`, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.rigor?.shown && window.rigor.model.state);
  const normals = await page.evaluate(() => {
    const planes = window.rigor.stage.views[0].effects.extra.filter((item) => item.plane !== undefined);
    return planes.map(({ mesh }) => mesh.position.clone().set(0, 1, 0).applyQuaternion(mesh.quaternion).toArray());
  });
  await context.close();
  assert.equal(await server.stop(), 0);
  assert.equal(normals.length, 1);
  assert.ok(Math.abs(normals[0][2] - 1) < 1e-6, `the normal of the floor is ${normals[0]}`);
}
