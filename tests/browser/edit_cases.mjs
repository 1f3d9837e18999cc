// Changes by hand: name and shape of a body, the anchor of a joint, each with undo.
import assert from 'node:assert/strict';

const LAMP = JSON.stringify({ rigor: 1, name: 'lamp', world: {
  bodies: [{ name: 'shade', shape: { box: [0.5, 0.3, 0.5] }, position: [0, 1, 0] }],
  joints: [{ type: 'rope', name: 'cord', a: 'world', b: 'shade', anchor_a: [0, 2.5, 0], anchor_b: [0, 0.15, 0], upper: 2 },
    { type: 'ball', name: 'pin', a: 'world', b: 'shade', anchor: [0.6, 1, 0] }] } });

async function openLamp({ page, ask, until }) {
  await ask('load', { name: 'lamp', text: LAMP });
  await until(() => window.rigor.model.scene.name === 'lamp' && window.rigor.model.joints.length === 2 && window.rigor.shown?.step === 0 && !window.rigor.fresh);
  await page.evaluate(() => {
    const { rigor } = window;
    rigor.panels.show(rigor.bodyPanel);
    rigor.model.select([...rigor.model.bodies.values()].find((b) => b.name === 'shade').index);
  });
  await page.locator('.inspector input.name').waitFor();
}
const saved = async (ask) => JSON.parse((await ask('save')).text).world;

export async function a_body_gets_another_name_and_shape_and_its_own_ones_back({ page, ask, until }) {
  await openLamp({ page, ask, until });
  const form = page.locator('.inspector').first(), mass = () => page.evaluate(() => window.rigor.model.frame.status.inspected[0].mass);
  const before = await mass();
  await form.getByLabel('name', { exact: true }).fill('moon');
  await form.getByLabel('name', { exact: true }).press('Enter');
  await until(() => [...window.rigor.model.bodies.values()].some((b) => b.name === 'moon'));
  await form.getByLabel('shape', { exact: true }).selectOption('sphere');
  await form.getByLabel('radius', { exact: true }).waitFor();
  await form.getByLabel('radius', { exact: true }).fill('0.2');
  await form.getByLabel('radius', { exact: true }).press('Tab');
  await until(() => window.rigor.model.frame.status.inspected[0].size === 0.2);
  const [moon] = (await saved(ask)).bodies;
  assert.equal(moon.name, 'moon');
  assert.deepEqual(moon.shape, { sphere: 0.2 });
  assert.ok(Math.abs((await mass()) / before - (4 / 3) * Math.PI * 0.2 ** 3 / 0.075) < 1e-9, 'the mass follows from the volume');
  const reach = () => page.evaluate(() => window.rigor.stage.views[0].bodies.items[window.rigor.model.selected].reach);
  assert.ok(Math.abs((await reach()) - 0.2) < 1e-6, 'it is drawn as large as it is');
  for (let i = 0; i < 3; ++i) await ask('undo');
  await until(() => [...window.rigor.model.bodies.values()].some((b) => b.name === 'shade'));
  const [shade] = (await saved(ask)).bodies;
  assert.deepEqual([shade.name, shade.shape], ['shade', { box: [0.5, 0.3, 0.5] }]);
}

export async function a_name_that_is_taken_is_refused_in_a_sentence({ page, ask, until }) {
  await openLamp({ page, ask, until });
  await page.locator('.inspector input.name').fill('ground');
  await page.locator('.inspector input.name').press('Enter');
  await page.locator('.toast.bad', { hasText: 'ground' }).waitFor();
  await until(() => document.querySelector('.inspector input.name').value === 'shade');
}

/// Where a ball of the selected joint is in the window.
const handle = (page, end) => page.evaluate((which) => {
  const { handles, stage } = window.rigor, p = handles.balls.find((b) => b.userData.end === which).position.clone();
  stage.aim(stage.rectangles()[0]);
  stage.camera.updateMatrixWorld();
  p.project(stage.camera);
  const box = stage.canvas.getBoundingClientRect();
  return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
}, end);
const anchors = (page) => page.evaluate(() => {
  const { handles, stage } = window.rigor;
  return Object.fromEntries(handles.balls.filter((b) => b.visible).map((b) => [b.userData.end, handles.place(stage.views[0].bodies, b.userData.end).toArray()]));
});

async function drag(view, joint, end, dx, dy) {
  const { page, until } = view;
  await page.setViewportSize({ width: 1400, height: 900 });  // where the panel does not lie over the scene
  await openLamp(view);
  await page.locator('button.item', { hasText: joint }).click();
  await until(() => window.rigor.handles.balls.some((b) => b.visible) && window.rigor.stage.renderer.domElement.width === 1400);
  const before = await anchors(page), at = await handle(page, end);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + dx, at.y + dy, { steps: 4 });
  await until(() => window.rigor.handles.held);
  await page.mouse.up();
  await until(() => window.rigor.model.state.undos === 1);
  await until(([which, was]) => window.rigor.handles.place(window.rigor.stage.views[0].bodies, which).toArray().some((v, k) => Math.abs(v - was[k]) > 0.05), [end, before[end]]);
  return { before, after: await anchors(page) };
}

export async function the_end_of_a_rope_is_dragged_and_brought_back(view) {
  const { page, ask, until } = view;
  const { before, after } = await drag(view, 'cord', 'a', 120, 0);
  assert.ok(after.a[0] > before.a[0] + 0.1, `${before.a} ${after.a}`);
  assert.deepEqual(after.b, before.b);
  const cord = (await saved(ask)).joints.find((j) => j.name === 'cord');
  assert.ok(Math.abs(cord.frame_a.position[0] - after.a[0]) < 1e-6, JSON.stringify(cord));
  await page.keyboard.press('Control+z');
  await until((was) => Math.abs(window.rigor.handles.place(window.rigor.stage.views[0].bodies, 'a').x - was) < 1e-9, before.a[0]);
}

/// Both frames of a ball joint move alike: it stays closed, and the body stays where it is.
export async function the_anchor_of_a_ball_joint_is_dragged_and_the_joint_stays_closed(view) {
  const { ask, page } = view;
  const { before, after } = await drag(view, 'pin', 'b', 0, -100);
  assert.ok(after.b[1] > before.b[1] + 0.1, `${before.b} ${after.b}`);
  assert.deepEqual(Object.keys(after), ['b']);
  await ask('step', { count: 1 });
  await view.until(() => window.rigor.shown.step === 1);
  const error = await page.evaluate(() => window.rigor.model.frame.status.inspected[0].joints.find((j) => j.name === 'pin').error);
  assert.ok(error < 1e-3, `${error} m`);
}

export async function wheels_racks_ropes_and_wires_are_drawn({ page, ask, until }) {
  await ask('open', { scene: 'gears-and-ropes' });
  await until(() => window.rigor.model.scene.name === 'gears-and-ropes' && !window.rigor.fresh && window.rigor.shown.step === 0);
  const seen = await page.evaluate(() => {
    const { mechanism } = window.rigor.stage.views[0];
    return { wheels: [...mechanism.gears.wheels.values()].map((list) => list.map((w) => w.teeth)), parts: mechanism.gears.parts.length, ropes: mechanism.ropes.mesh.count, wires: mechanism.wires.length };
  });
  assert.deepEqual(seen.wheels, [[10], [20]]);
  assert.equal(seen.parts, 3);  // and the rack
  assert.equal(seen.ropes, 20);  // pieces of two ropes
  assert.equal(seen.wires, 1);
}

export async function a_material_is_added_given_changed_and_deleted({ page, ask, until }) {
  await openLamp({ page, ask, until });
  const mass = () => page.evaluate(() => window.rigor.model.frame.status.inspected[0].mass);
  const before = await mass();
  await page.getByLabel('Name of the new material').fill('lead');
  await page.getByLabel('Name of the new material').press('Enter');
  const form = page.locator('.inspector.joint', { hasText: 'lead' });
  await form.getByLabel('density', { exact: true }).fill('11340');
  await form.getByLabel('density', { exact: true }).press('Tab');
  await until(() => window.rigor.model.materials[0]?.density === 11340);
  await page.locator('.inspector').first().getByLabel('material', { exact: true }).selectOption('lead');
  await until((was) => window.rigor.model.frame.status.inspected[0].mass > 11 * was, before);
  assert.ok(Math.abs((await mass()) / before - 11.34) < 1e-9, 'the mass follows from the density');
  await form.getByLabel('density', { exact: true }).fill('5670');
  await form.getByLabel('density', { exact: true }).press('Tab');
  await until((was) => window.rigor.model.frame.status.inspected[0].mass < 6 * was, before);
  await form.getByText('delete').click();
  await page.locator('.toast.bad', { hasText: '\'shade\' is made of it' }).waitFor();
  assert.equal((await saved(ask)).bodies[0].material, 'lead');
  for (let i = 0; i < 4; ++i) await ask('undo');
  await until(() => window.rigor.model.materials.length === 0);
  await until((was) => Math.abs(window.rigor.model.frame.status.inspected[0].mass / was - 1) < 1e-9, before);  // undo brings the old material back
}

/// Numbers that are typed one after the other all count, also where the answers come late: what was before them does not come back.
export async function numbers_that_are_typed_quickly_all_count({ page, ask, until }) {
  await ask('load', { name: 'slow', text: JSON.stringify({ rigor: 1, name: 'slow', world: { bodies: [{ name: 'box', shape: { box: [1, 1, 1] }, position: [0, 3, 0] }] } }) });
  await until(() => window.rigor.model.scene.name === 'slow' && window.rigor.shown && !window.rigor.fresh);
  await page.evaluate(() => {
    window.rigor.panels.show(window.rigor.bodyPanel);
    window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => b.name === 'box').index);
  });
  await page.getByLabel('size x', { exact: true }).waitFor();
  await until(() => document.querySelector('[aria-label="size x"]').value === '1');
  await page.evaluate(() => {  // a slow connection: the answers wait, and frames in between show the state before
    const { rigor } = window, receive = rigor.connection.receive.bind(rigor.connection), late = [];
    rigor.connection.receive = (data) => (late.push(data), undefined);
    const type = (label, text) => {
      const input = document.querySelector(`[aria-label="${label}"]`);
      input.value = text;
      input.dispatchEvent(new Event('change'));
      rigor.bodyPanel.last = 0;
      rigor.bodyPanel.update({ ...rigor.model.frame, playing: false });
    };
    type('size x', '2');
    type('size y', '3');
    type('size z', '4');
    rigor.connection.receive = receive;
    late.forEach(receive);
  });
  await until(() => window.rigor.connection.waiting.size === 0);
  assert.deepEqual(JSON.parse((await ask('save')).text).world.bodies[0].shape, { box: [2, 3, 4] });
}
