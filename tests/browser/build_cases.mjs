// A machine of one's own: from an empty floor, with every kind of wrong input on the way.
import assert from 'node:assert/strict';

const toast = (page, text) => page.locator('.toast', { hasText: text }).first().waitFor();
const names = (page) => page.evaluate(() => [...window.rigor.model.bodies.values()].filter((b) => !b.ground).map((b) => b.name));

async function startEmpty({ page, until }) {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.locator('.scene-name').click();
  await page.getByRole('button', { name: 'New empty scene' }).click();
  await until(() => window.rigor.model.scene.name === 'my-machine' && !window.rigor.fresh && window.rigor.shown?.step === 0);
}
/// A new body is selected, so that its form opens.
async function add({ page, until }, kind) {
  const before = (await names(page)).length;
  await page.locator('.spawn').getByRole('button', { name: kind, exact: true }).click();
  await until((count) => window.rigor.model.bodies.size > count + 1 && window.rigor.model.selected === [...window.rigor.model.bodies.keys()].at(-1), before);
  await page.locator('.inspector input.name').waitFor();
}
const form = (page) => page.locator('.inspector').first();
async function type(page, label, text, where = form(page)) {
  const field = where.getByLabel(label, { exact: true });
  await field.click({ clickCount: 3 });
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => window.rigor.connection.waiting.size === 0);
  return field;
}

export async function a_driven_wheel_is_built_from_an_empty_scene({ page, ask, until }) {
  await startEmpty({ page, until });
  await add({ page, until }, 'box');
  for (const [label, text] of [['name', 'base'], ['size x', '2'], ['size y', '0.2'], ['size z', '1'], ['position x', '0'], ['position y', '0.1'], ['position z', '0']]) await type(page, label, text);
  await page.getByRole('button', { name: 'fix', exact: true }).click();
  await add({ page, until }, 'cylinder');
  for (const [label, text] of [['name', 'wheel'], ['radius', '0.5'], ['height', '0.1'], ['position x', '0'], ['position y', '1.2'], ['position z', '0'], ['turned x', '90']]) await type(page, label, text);
  await page.getByLabel('Kind of joint').selectOption('hinge');
  await page.getByLabel('Axis of the joint').selectOption('z');
  await page.getByLabel('The other body').selectOption('base');
  await page.locator('.row.add button').first().click();
  const joint = page.locator('.inspector.joint').first();
  await joint.getByLabel('anchor y', { exact: true }).waitFor();
  await type(page, 'anchor y', '1.2', joint);
  await joint.getByLabel('motor', { exact: true }).selectOption('velocity');
  await type(page, 'motor target', '5', joint);
  await type(page, 'motor force', '200', joint);
  const { text } = await ask('save');
  await ask('load', { name: 'again', text });
  await until(() => window.rigor.model.scene.fresh && window.rigor.model.joints.length === 1 && !window.rigor.fresh);
  await ask('step', { count: 60 });
  await until(() => window.rigor.shown.step === 60);
  await page.evaluate(() => window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => b.name === 'wheel').index));
  await until(() => Math.abs(window.rigor.model.frame.status.inspected?.[0]?.angular_velocity[2] - 5) < 0.05);
}

/// Each wrong input gets a sentence and leaves what was there.
export async function wrong_numbers_and_names_are_refused_in_a_sentence({ page, until }) {
  await startEmpty({ page, until });
  await add({ page, until }, 'box');
  await add({ page, until }, 'sphere');
  assert.deepEqual(await names(page), ['box 1', 'sphere 1']);
  const before = await form(page).getByLabel('radius', { exact: true }).inputValue();
  for (const [label, text, sentence] of [['radius', '0', 'expected a positive number, got 0'], ['radius', '-1', 'got -1'], ['radius', '1e30', 'got 1e+30'], ['radius', 'e', 'radius: expected a number.'], ['radius', '', 'radius: expected a number.'],
    ['mass', '0', 'mass: expected a positive number'], ['position x', '', 'position: expected three numbers.'], ['position x', '1e200', 'position: expected three numbers from'],
    ['restitution', '2', 'expected a number from 0 to 1'], ['name', '', 'A name needs at least one character.'], ['name', 'box 1', 'there is a body named']]) {
    await page.evaluate(() => window.rigor.toasts.clear());
    await type(page, label, text);
    await toast(page, sentence);
  }
  await until((radius) => document.querySelector('.inspector input[aria-label=radius]').value === radius, before);
  assert.equal(await form(page).getByLabel('name', { exact: true }).inputValue(), 'sphere 1');
  await page.getByRole('tab', { name: 'Method' }).click();
  const knob = (i) => page.locator('.first-knobs .controller').nth(i).locator('input').last();
  for (const [i, text, sentence] of [[1, '0', 'time step: expected a positive number'], [1, 'abc', 'time step: expected a number'], [2, '999999', 'became'], [2, '2.5', 'expected a whole number']]) {
    await page.evaluate(() => window.rigor.toasts.clear());
    await knob(i).click({ clickCount: 3 });
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
    await toast(page, sentence);
  }
  await page.locator('.count').fill('-3');
  await page.locator('.count').press('Tab');
  await toast(page, 'whole number of steps');
  assert.equal(await page.locator('.count').inputValue(), '10');
}

/// Nothing that was built is lost by opening another scene, and nothing of it stays in the panels.
export async function a_scene_that_was_built_can_be_opened_again({ page, until }) {
  await startEmpty({ page, until });
  await add({ page, until }, 'cone');
  await page.locator('.scene-name').click();
  await page.locator('.scene-search').fill('dominoes');
  await page.locator('.card:visible').click();
  await until(() => window.rigor.model.scene.name === 'dominoes');
  await toast(page, 'my-machine had changes by hand');
  assert.equal(await page.locator('.inspector input.name').count(), 0);
  await page.getByRole('button', { name: 'Open it again' }).click();
  await until(() => window.rigor.model.scene.name === 'my-machine' && [...window.rigor.model.bodies.values()].some((b) => b.name === 'cone 1'));
}

export async function deleting_a_body_takes_its_joints_and_undo_brings_both_back({ page, ask, until }) {
  await startEmpty({ page, until });
  await add({ page, until }, 'box');
  await page.locator('.row.add button').first().click();
  await until(() => window.rigor.model.joints.length === 1);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Delete');
  await until(() => window.rigor.model.joints.length === 0);
  await page.keyboard.press('z');
  await until(() => window.rigor.model.joints.length === 1);
  const world = JSON.parse((await ask('save')).text).world;
  assert.deepEqual([world.bodies.length, world.joints.length], [1, 1]);
}

/// Many clicks at once neither stop the page nor lose the scene.
export async function rapid_clicks_are_all_answered({ page, until, shown }) {
  await startEmpty({ page, until });
  await page.evaluate(() => {
    for (let i = 0; i < 40; ++i) for (const what of ['#play', '.spawn button', '[title^="Undo"]', '[title^="One step ("]']) document.querySelector(what).click();
  });
  await until(() => window.rigor.connection.waiting.size === 0);
  await add({ page, until }, 'capsule');
  assert.ok((await shown()).step >= 0);
}

/// The panel is wider while methods are compared; it still covers no view.
export async function the_panel_covers_no_view_of_a_comparison({ page, ask, until }) {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.evaluate(() => window.rigor.panels.show(window.rigor.panels.named('Compare')));
  await ask('compare', { methods: [0, 'garstenauer', 'tgs'] });
  await until(() => window.rigor.stage.views.length === 3);
  await until(() => window.rigor.stage.rectangles().every((r) => r.x + r.width <= document.querySelector('.panels').getBoundingClientRect().left + 1));
}

export async function new_bodies_have_numbers_that_people_type({ page, ask, until }) {
  await page.evaluate(() => window.rigor.actions.spawn('box', true));
  await until(() => window.rigor.model.selected >= 0 && window.rigor.model.bodies.get(window.rigor.model.selected).name === 'box 1');
  const { shape, position } = JSON.parse((await ask('save')).text).world.bodies.find((b) => b.name === 'box 1');
  for (const number of [...shape.box, ...position]) assert.ok(String(Math.abs(number)).replace(/^0\.0*|\./g, '').length <= 3, `${number}`);
}

/// Fields show four digits; changing one number leaves the others as they are.
export async function numbers_that_are_not_typed_keep_their_digits({ page, ask, until }) {
  await ask('load', { name: 'fine', text: JSON.stringify({ rigor: 1, name: 'fine', world: { bodies: [{ name: 'ball', shape: { sphere: 0.2 }, position: [0.123456789, 1, 0] }] } }) });
  await until(() => window.rigor.model.scene.name === 'fine' && window.rigor.shown && !window.rigor.fresh);
  await page.evaluate(() => {
    window.rigor.panels.show(window.rigor.bodyPanel);
    window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => b.name === 'ball').index);
  });
  const height = page.getByLabel('position y', { exact: true });
  await until(() => document.querySelector('[aria-label="position x"]')?.value.startsWith('0.123'));
  await height.fill('2');
  await height.press('Enter');
  await until(() => window.rigor.connection.waiting.size === 0);
  assert.deepEqual(JSON.parse((await ask('save')).text).world.bodies.find((b) => b.name === 'ball').position, [0.123456789, 2, 0]);
}

/// Far from the origin, too, they appear where the view shows them: not 5 m away because of too few digits.
export async function new_bodies_far_from_the_origin_appear_in_the_middle_of_the_view({ page, ask, until }) {
  const world = { bodies: [{ name: 'far', shape: { box: [1, 1, 1] }, position: [12345.6, 0.5, -54321.2] }] };
  await ask('load', { name: 'far away', text: JSON.stringify({ rigor: 1, world }) });
  await until(() => window.rigor.model.scene.name === 'far away' && !window.rigor.fresh);
  await page.evaluate(() => window.rigor.actions.spawn('box', true));
  await until(() => window.rigor.model.selected >= 0 && window.rigor.model.bodies.get(window.rigor.model.selected).name === 'box 1');
  const { shape, position } = JSON.parse((await ask('save')).text).world.bodies.find((b) => b.name === 'box 1');
  const unit = shape.box[0] / 10;
  assert.ok(Math.abs(position[0] - 12345.6) < 3 && Math.abs(position[2] + 54321.2) < 3, `${position}`);
  for (const x of position) assert.ok(Math.abs(x / unit - Math.round(x / unit)) < 1e-6 && String(x).length <= 8, `${x}`);
}

/// The hint of the empty floor is none of the machine that is built on it.
export async function what_is_built_on_the_empty_floor_does_not_inherit_its_hint({ page, ask, until }) {
  await startEmpty({ page, until });
  assert.match(await page.locator('.description').textContent(), /An empty floor/);
  await add({ page, until }, 'box');
  const saved = JSON.parse((await ask('save')).text);
  assert.equal(saved.description ?? '', '');
  assert.equal(saved.name, 'my-machine');
}

/// A body that is moved or enlarged in its form stays in view, also a fixed one; not if the user has moved the camera.
export async function a_body_that_is_changed_by_hand_stays_in_view({ page, until }) {
  await startEmpty({ page, until });
  await add({ page, until }, 'box');
  const isInView = () => page.evaluate(() => {
    const { rigor } = window, { bodies } = rigor.stage.views[0];
    return rigor.outOfView(bodies, 1, [], [bodies.items[rigor.model.selected]]).length === 0;
  });
  const height = (y) => until((expected) => Math.abs(window.rigor.stage.views[0].bodies.position(window.rigor.model.selected).y - expected) < 1e-6, y);
  await type(page, 'position y', '9');
  await height(9);
  assert.ok(await isInView());
  await page.getByRole('button', { name: 'fix', exact: true }).click();
  await until(() => window.rigor.model.bodies.get(window.rigor.model.selected)?.fixed);
  await type(page, 'size x', '30');
  await until(() => window.rigor.stage.views[0].bodies.items[window.rigor.model.selected].reach > 15);
  await page.waitForFunction(() => window.rigor.connection.waiting.size === 0);
  assert.ok(await isInView());
  await page.mouse.move(300, 700);
  await page.mouse.wheel(0, -400);
  await until(() => !window.rigor.stage.framed);
  await type(page, 'position y', '90');
  await height(90);
  assert.ok(!(await isInView()));
}

/// What `f` shows includes the fixed bodies that carry the machine, as the first look does.
export async function everything_includes_the_fixed_bodies_nearby({ page, ask, until }) {
  const bodies = [{ name: 'mast', shape: { cylinder: { radius: 0.2, height: 4 } }, position: [0, 2, 0], fixed: true },
    { name: 'jib', shape: { box: [5, 0.2, 0.3] }, position: [1.5, 4.15, 0] }, { name: 'far', shape: { box: [1, 1, 1] }, position: [300, 0, 0], fixed: true }];
  await page.setViewportSize({ width: 1400, height: 900 });
  await ask('load', { name: 'mast', text: JSON.stringify({ rigor: 1, name: 'mast', world: { gravity: [0, 0, 0], bodies } }) });
  await until(() => window.rigor.model.scene.name === 'mast' && window.rigor.shown && !window.rigor.fresh);
  const hidden = await page.evaluate(() => {
    const { rigor } = window, { bodies } = rigor.stage.views[0];
    rigor.model.scene.motion = null;  // as in a scene that was built by hand
    rigor.frameAll();
    return rigor.outOfView(bodies, 1, [], bodies.items.filter((item) => item && !item.body.ground)).map((index) => rigor.model.bodies.get(index).name);
  });
  assert.deepEqual(hidden, ['far']);
}

/// A crane: the jib turns where it lies on the mast, the trolley slides where it hangs below the jib.
export async function a_joint_between_two_bodies_begins_where_they_meet({ page, ask, until }) {
  const bodies = [{ name: 'mast', shape: { cylinder: { radius: 0.2, height: 4 } }, position: [0, 2, 0], fixed: true },
    { name: 'jib', shape: { box: [5, 0.2, 0.3] }, position: [1.5, 4.15, 0] }, { name: 'trolley', shape: { box: [0.3, 0.2, 0.3] }, position: [3, 3.94, 0] }];
  await page.setViewportSize({ width: 1400, height: 900 });
  await ask('load', { name: 'crane', text: JSON.stringify({ rigor: 1, name: 'crane', world: { bodies } }) });
  await until(() => window.rigor.model.scene.name === 'crane' && window.rigor.shown && !window.rigor.fresh);
  await page.evaluate(() => window.rigor.panels.show(window.rigor.bodyPanel));
  for (const [kind, axis, one, other, expected] of [['hinge', 'y', 'jib', 'mast', [0, 4.025, 0]], ['slider', 'x', 'trolley', 'jib', [3, 4.045, 0]]]) {
    await page.evaluate((name) => window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => b.name === name).index), one);
    await page.getByLabel('Kind of joint').selectOption(kind);
    await page.getByLabel('Axis of the joint').selectOption(axis);
    await page.getByLabel('The other body').selectOption(other);
    await page.locator('.row.add button').first().click();
    await until((name) => window.rigor.model.joints.some((j) => j.name === name), `${kind} 1`);
    const joint = await page.evaluate((name) => window.rigor.model.joints.find((j) => j.name === name).index, `${kind} 1`);
    const { anchors } = await ask('joint', { joint });
    anchors[0].point.forEach((x, k) => assert.ok(Math.abs(x - expected[k]) < 1e-9, `${kind}: ${anchors[0].point}`));
  }
}
