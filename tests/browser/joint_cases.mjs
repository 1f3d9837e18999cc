// Joints in the inspector.
import assert from 'node:assert/strict';

const DOOR = JSON.stringify({ rigor: 1, name: 'door', world: {
  bodies: [{ name: 'leaf', shape: { box: [1, 2, 0.1] }, position: [0.5, 2, 0] }],
  joints: [{ type: 'hinge', name: 'pin', a: 'world', b: 'leaf', anchor: [0, 2, 0], axis: [0, 1, 0] }] } });

async function openDoor({ page, until, ask }) {
  await ask('load', { name: 'door', text: DOOR });
  await until(() => window.rigor.model.scene.name === 'door' && window.rigor.model.joints.length === 1 && window.rigor.shown);
  await page.evaluate(() => window.rigor.panels.show(window.rigor.bodyPanel));
  await page.getByRole('button', { name: 'pin' }).click();
  await page.locator('.inspector.joint header').waitFor();
}
const saved = async (ask) => JSON.parse((await ask('save')).text).world.joints[0];

export async function limits_motors_and_strength_are_edited_in_the_engine(view) {
  const { page, ask } = view;
  await openDoor(view);
  const form = page.locator('.inspector.joint');
  const enter = async (label, text) => {
    await form.getByLabel(label, { exact: true }).fill(text);
    await form.getByLabel(label, { exact: true }).press('Tab');
  };
  await enter('lower', '-0.25');
  await enter('upper', '1.5');
  await enter('break force', '900');
  await form.getByLabel('motor', { exact: true }).selectOption('velocity');
  await view.until(() => window.rigor.connection.waiting.size === 0);
  const joint = await saved(ask);
  assert.equal(joint.lower, -0.25);
  assert.equal(joint.upper, 1.5);
  assert.equal(joint.break_force, 900);
  assert.equal(joint.motor, 'velocity');
  await enter('upper', '');
  await view.until(() => window.rigor.connection.waiting.size === 0);
  assert.equal((await saved(ask)).upper, undefined);
}

export async function a_wrong_limit_is_refused_in_a_sentence_and_shown_as_it_was(view) {
  const { page, ask } = view;
  await openDoor(view);
  await ask('joint', { joint: 0, parameters: { lower: 0, upper: 1 } });
  const upper = page.locator('.inspector.joint').getByLabel('upper', { exact: true });
  await view.until(() => document.querySelector('.inspector.joint [aria-label=upper]').value === '1');
  await upper.fill('-3');
  await upper.press('Tab');
  const toast = page.locator('.toast.bad');
  await toast.waitFor();
  assert.match(await toast.textContent(), /joint 'pin'/);
  await view.until(() => document.querySelector('.inspector.joint [aria-label=upper]').value === '1');
  assert.equal((await saved(ask)).upper, 1);
}

export async function a_joint_is_switched_off_and_on(view) {
  const { page, ask, until } = view;
  await openDoor(view);
  const box = page.getByLabel('pin holds');
  await box.uncheck();
  await until(() => window.rigor.model.joints[0].active === false);
  assert.equal((await saved(ask)).active, false);
  await page.getByLabel('pin holds').check();
  await until(() => window.rigor.model.joints[0].active === true);
}

/// Ends are given in the coordinates of their bodies, which are away from the origin.
export async function a_rope_between_two_bodies_ends_at_them({ page, ask, until }) {
  const body = (name, position) => ({ name, shape: { sphere: 0.1 }, position });
  await ask('load', { name: 'two', text: JSON.stringify({ rigor: 1, name: 'two', world: { bodies: [body('one', [1, 3, 0]), body('other', [1, 2, 2])] } }) });
  await until(() => window.rigor.model.scene.name === 'two' && window.rigor.shown && !window.rigor.fresh);
  await page.evaluate(() => {
    window.rigor.panels.show(window.rigor.bodyPanel);
    window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => b.name === 'other').index);
  });
  await page.getByLabel('Kind of joint').selectOption('rope');
  await page.getByLabel('The other body').selectOption('one');
  await page.locator('.row.add button').first().click();
  await page.locator('.inspector.joint', { hasText: 'rope 1' }).waitFor();
  const { anchors, parameters } = await ask('joint', { joint: await page.evaluate(() => window.rigor.model.joints[0].index) });
  assert.deepEqual(anchors.map((a) => a.point), [[1, 3, 0], [1, 2, 2]]);
  assert.ok(Math.abs(parameters.find((p) => p.name === 'upper').value - Math.sqrt(5)) < 1e-9);
}

/// Angle and forces are those of the present state, whether or not a body is selected.
export async function the_figures_of_a_joint_follow_the_scene_without_a_selected_body(view) {
  const { page, ask, until } = view;
  await openDoor(view);
  assert.equal(await page.evaluate(() => window.rigor.model.selected), -1);
  await until(() => document.querySelector('.inspector.joint .field .value').textContent.startsWith('0°'));
  await ask('joint', { joint: 0, parameters: { motor: 'velocity', motor_target: 1, motor_force: 1000 } });
  await ask('step', { count: 30 });
  await until(() => parseFloat(document.querySelector('.inspector.joint .field .value').textContent) > 10);
}

/// The axis of a joint is typed as a direction of the world; the anchor stays.
export async function the_axis_of_a_hinge_is_typed_and_undone(view) {
  const { page, ask, until } = view;
  await openDoor(view);
  const before = (await ask('joint', { joint: 0 })).anchors;
  const enter = async (name, text) => {
    await page.locator('.inspector.joint').getByLabel(name, { exact: true }).fill(text);
    await page.locator('.inspector.joint').getByLabel(name, { exact: true }).press('Tab');
    await until(() => window.rigor.connection.waiting.size === 0);
  };
  await enter('axis z', '1');
  await enter('axis y', '0');
  await page.evaluate(() => document.activeElement?.blur());  // the cursor was in the last field, which shows the new number when it leaves
  await until(() => ['x', 'y', 'z'].map((k) => document.querySelector(`.inspector.joint [aria-label="axis ${k}"]`).value).join() === '0,0,1');
  const turned = await ask('joint', { joint: 0 });
  turned.axis.forEach((x, k) => assert.ok(Math.abs(x - [0, 0, 1][k]) < 1e-9, `${turned.axis}`));
  turned.anchors[0].point.forEach((x, k) => assert.ok(Math.abs(x - before[0].point[k]) < 1e-9));
  await enter('axis z', '0');
  await page.locator('.toast.bad', { hasText: 'an axis needs a direction' }).waitFor();
  await ask('undo');
  await ask('undo');
  assert.deepEqual((await ask('joint', { joint: 0 })).axis.map((x) => Math.round(1e9 * x) / 1e9 + 0), [0, 1, 0]);
}
