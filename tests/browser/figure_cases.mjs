// What is drawn over the bodies or in their place: figures, islands, trees.
import assert from 'node:assert/strict';

async function open({ ask, until }, scene, steps) {
  await ask('open', { scene });
  if (steps) await ask('step', { count: steps });
  await until(([name, count]) => window.rigor.model.scene.name === name && window.rigor.shown.step === count, [scene, steps]);
}

export async function a_ragdoll_wears_a_skin_that_its_bodies_move(view) {
  const { page } = view;
  await open(view, 'ragdoll', 60);
  const seen = await page.evaluate(() => {
    const { stage, model, views } = window.rigor, [{ bodies, figures }] = stage.views;
    stage.draw();
    const { mesh } = figures.list[0], point = stage.camera.position.clone();
    const named = (name) => [...model.bodies.values()].find((b) => b.name === name).index;
    // The highest point of the skin as it was made belongs to the head, and is now where the head is.
    const { position } = mesh.geometry.attributes;
    let top = 0;
    for (let i = 0; i < position.count; ++i) if (position.getY(i) > position.getY(top)) top = i;
    mesh.skeleton.update();
    mesh.getVertexPosition(top, point);
    const hidden = [...bodies.batches.values()].filter((b) => b.covered).every((b) => !b.mesh.visible);
    return { found: views.found.length, vertices: position.count, visible: figures.group.visible, hidden,
      away: point.distanceTo(bodies.position(named('head'))) };
  });
  assert.equal(seen.found, 1);
  assert.ok(seen.vertices > 3000 && seen.visible && seen.hidden, JSON.stringify(seen));
  assert.ok(seen.away < 0.2, `the top of the head is ${seen.away} m from the middle of the head`);
}

export async function without_its_joints_a_doll_is_bodies_again(view) {
  const { page, ask, until } = view;
  await open(view, 'ragdoll', 1);
  await until(() => window.rigor.views.hasFigures);
  const neck = await page.evaluate(() => window.rigor.model.joints.find((j) => j.name === 'neck').index);
  await ask('joint', { joint: neck, active: false });
  await until(() => !window.rigor.views.hasFigures && [...window.rigor.stage.views[0].bodies.batches.values()].some((b) => !b.covered && b.mesh.visible));
  await ask('joint', { joint: neck, active: true });
  await until(() => window.rigor.views.hasFigures);
}

export async function islands_have_a_colour_each({ page, ask, until }) {
  await ask('step', { count: 3 });
  await page.keyboard.press('g');
  await until(() => window.rigor.stage.views[0].bodies.items.some((i) => i?.island != null));
  const island = await page.evaluate(() => {
    const { model, stage } = window.rigor;
    return Object.fromEntries([...model.bodies.values()].map((b) => [b.name, stage.views[0].bodies.items[b.index]?.island]));
  });
  assert.equal(island.box_1, island.box_2);
  assert.notEqual(island.box_1, island.ball);
  await page.keyboard.press('g');
  await until(() => window.rigor.stage.views[0].bodies.items.every((i) => i?.island == null));
}

export async function the_tree_of_the_broad_phase_is_drawn({ page, ask, until }) {
  await ask('set', { key: 'broadphase', value: 'aabb-tree' });
  await ask('step');
  await page.keyboard.press('h');
  await until(() => window.rigor.model.frame.runs[0].layers.some((l) => l.kind === 'boxes' && l.count === 7));  // four bodies
}
