// What can be seen: framing, panels, comparison, links, the list of scenes.
import assert from 'node:assert/strict';

const WIDTHS = [[1400, 900], [900, 700], [420, 800]];
/// Each scene is a separate case, because simulating five seconds of it takes long.
const HEAVY = ['b-pyramid-3d', 'd-pit', 'e-chains', 'f-ragdolls', 'j-tree', 'free-cloud'];

/// Opens a scene and follows it through its first five seconds in a few leaps: every corner of every moving body is in view, and no panel is over one.
async function watch({ page, ask, until }, scene, looks = 5) {
  await page.evaluate(() => (window.rigor.shown = {}));
  await ask('open', { scene });
  await until((name) => window.rigor.model.scene.name === name && window.rigor.shown.step === 0 && window.rigor.model.state.step === 0, scene);
  const { dt, duration } = await page.evaluate(() => ({ dt: window.rigor.model.state.dt, duration: window.rigor.model.scene.duration }));
  for (let i = 0; i <= looks; ++i) {
    const step = Math.floor((Math.min(5, duration) / dt) * (i / looks));
    const done = await page.evaluate(() => window.rigor.shown.step);
    if (step > done) await ask('step', { count: step - done });
    await until((count) => window.rigor.shown.step === count, step);
    const [out, covered] = await page.evaluate(() => {
      const { rigor } = window, name = (index) => rigor.model.bodies.get(index).name;
      return [rigor.outOfView().map(name), coveredBodies().map(name)];
      /// Moving bodies, up to a hundred of them, whose middle is under a panel.
      function coveredBodies() {
        const { stage } = rigor, { bodies } = stage.views[0], r = stage.rectangles()[0], box = stage.canvas.getBoundingClientRect();
        stage.aim(r);
        stage.camera.updateMatrixWorld();
        const moving = bodies.items.filter((item) => item && !item.body.fixed && item.flag > 0 && item.parts.length), every = Math.ceil(moving.length / 100);
        return moving.filter((item, i) => {
          if (i % every) return false;
          const p = bodies.position(item.body.index).project(stage.camera);
          const above = document.elementFromPoint(box.left + ((p.x + 1) / 2) * r.width, box.top + ((1 - p.y) / 2) * r.height);
          return above?.id !== 'stage' && !above?.closest('.toasts');  // a message goes away by itself
        }).map((item) => item.body.index);
      }
    });
    assert.deepEqual(out, [], `${scene} at ${(step * dt).toFixed(2)} s: out of view`);
    assert.deepEqual(covered, [], `${scene} at ${(step * dt).toFixed(2)} s: under a panel`);
  }
}

/// The scenes are divided into three cases, so that none takes long.
async function watchThird(view, third) {
  const names = await view.page.evaluate(() => window.rigor.model.hello.scenes.map((s) => s.name));
  for (const name of names.filter((n) => !HEAVY.includes(n)).filter((_, i) => i % 3 === third)) await watch(view, name);
}
export const nothing_that_moves_leaves_the_view_1 = (view) => watchThird(view, 0);
export const nothing_that_moves_leaves_the_view_2 = (view) => watchThird(view, 1);
export const nothing_that_moves_leaves_the_view_3 = (view) => watchThird(view, 2);
export const nothing_leaves_the_view_of_a_pyramid = (view) => watch(view, 'b-pyramid-3d');
export const nothing_leaves_the_view_of_the_pit = (view) => watch(view, 'd-pit');
export const nothing_leaves_the_view_of_long_chains = (view) => watch(view, 'e-chains');
export const nothing_leaves_the_view_of_the_dolls = (view) => watch(view, 'f-ragdolls');
export const nothing_leaves_the_view_of_a_tree = (view) => watch(view, 'j-tree');
export const nothing_leaves_the_view_of_a_cloud = (view) => watch(view, 'free-cloud');

export async function rods_springs_axles_and_water_are_drawn({ page, ask, until }) {
  const count = (part, piece) => page.evaluate(([p, q]) => window.rigor.stage.views[0][p][q].mesh.count, [part, piece]);
  const open = async (scene) => {
    await ask('open', { scene });
    await until((name) => window.rigor.model.scene.name === name && !window.rigor.fresh && window.rigor.shown.step === 0, scene);
  };
  await open('newtons-cradle');
  assert.equal(await count('mechanism', 'rods'), 10);
  assert.equal(await count('mechanism', 'supports'), 10);
  await open('pendulum');
  assert.equal(await count('mechanism', 'rods'), 1);
  await open('springs');
  assert.equal(await count('effects', 'coils'), 6);
  await open('bender-car');
  assert.ok((await count('mechanism', 'motors')) >= 4);
  await open('buoyancy');
  assert.ok((await page.evaluate(() => window.rigor.stage.views[0].effects.extra.length)) > 0);
}

/// A spring's picture is as long as the spring.
export async function a_spring_stretches_with_its_bodies({ page, ask, until }) {
  await ask('open', { scene: 'springs' });
  await until(() => window.rigor.model.scene.name === 'springs' && !window.rigor.fresh);
  const lengths = () => page.evaluate(() => {
    const { coils } = window.rigor.stage.views[0].effects, list = [];
    for (let i = 0; i < coils.mesh.count; ++i) {
      const [, , , , x, y, z] = coils.mesh.instanceMatrix.array.slice(16 * i, 16 * i + 16);
      list.push(Math.hypot(x, y, z));
    }
    return list;
  });
  const before = await lengths();
  await ask('step', { count: 60 });
  await until(() => window.rigor.shown.step === 60);
  const after = await lengths();
  assert.ok(before.some((length, i) => Math.abs(length - after[i]) > 0.05 * length), `${before} ${after}`);
}

export async function walls_in_front_of_the_action_are_glass({ page, ask, until }) {
  await ask('open', { scene: 'd-pit' });
  await until(() => window.rigor.model.scene.name === 'd-pit' && window.rigor.stage.views[0].bodies.items.some((i) => i?.glass));
  const glass = await page.evaluate(() => window.rigor.stage.views[0].bodies.items.filter((i) => i?.glass).length);
  assert.ok(glass >= 1 && glass <= 3, `${glass} walls`);
}

export async function panels_do_not_cover_the_middle_of_the_scene({ page, ask, until }) {
  await ask('open', { scene: 'newtons-cradle' });
  await until(() => window.rigor.model.scene.name === 'newtons-cradle' && !window.rigor.fresh);
  for (const [width, height] of WIDTHS) {
    await page.setViewportSize({ width, height });
    await until((w) => window.rigor.stage.canvas.clientWidth === w && window.rigor.stage.renderer.domElement.width === w, width);
    const over = await page.evaluate(() => {
      const { stage } = window.rigor, rectangle = stage.rectangles()[0], p = stage.controls.target.clone();
      stage.aim(rectangle);
      stage.camera.updateMatrixWorld();
      p.project(stage.camera);
      return document.elementFromPoint(((p.x + 1) / 2) * rectangle.width, ((1 - p.y) / 2) * rectangle.height)?.id;
    });
    assert.equal(over, 'stage', `at ${width} px`);
    assert.deepEqual(await page.evaluate(() => window.rigor.outOfView()), [], `at ${width} px`);
  }
}

/// While methods are compared, the plots leave every view whole.
export async function plots_are_beside_the_views({ page, ask, until }) {
  await page.setViewportSize({ width: 1400, height: 900 });
  await ask('compare', { methods: [0, 'free-flight', 'garstenauer', 'hahn'] });
  await until(() => window.rigor.stage.views.length === 4);
  await page.keyboard.press('p');
  await until(() => document.querySelectorAll('.chart canvas').length >= 5);
  await until(() => window.rigor.stage.rectangles().every((r) => r.y + r.height <= document.querySelector('.plots').getBoundingClientRect().top + 1));
  for (const r of await page.evaluate(() => window.rigor.stage.rectangles())) assert.ok(r.height > 150, JSON.stringify(r));
}

const SIZES = [[1400, 900], [1100, 800], [900, 700], [700, 700], [420, 800]];
export async function nothing_overlaps_at_any_width({ page, until }) {
  for (const [width, height] of SIZES) await separate({ page, until }, width, height);
}
async function separate({ page, until }, width, height) {
  await page.setViewportSize({ width, height });
  await until((w) => window.rigor.stage.canvas.clientWidth === w, width);
  const boxes = await page.evaluate(() => ['.brand', '.tools', '.panels', '.toolbar'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
  for (const [i, a] of boxes.entries()) {
    assert.ok(a.left >= 0 && a.right <= width, JSON.stringify(a));
    for (const b of boxes.slice(i + 1)) assert.ok(a.bottom <= b.top || b.bottom <= a.top || a.right <= b.left || b.right <= a.left, `at ${width} px: ${JSON.stringify([a, b])}`);
  }
  const cut = await page.evaluate(() => [...document.querySelectorAll('.toolbar button, .toolbar select, .tools button, .tab')].filter((e) => e.offsetWidth && e.getBoundingClientRect().right > innerWidth - 8).length);
  assert.equal(cut, 0);
}

export async function four_methods_fit_at_every_width({ page, ask, until }) {
  await ask('compare', { methods: [0, 'free-flight', 'garstenauer', 'hahn'] });
  await ask('step', { count: 30 });
  await until(() => window.rigor.shown.step === 30 && window.rigor.stage.views.length === 4);
  for (const [width, height] of WIDTHS) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => window.rigor.panels.show(window.rigor.panels.named('Compare')));
    await ask('step');  // another row of figures
    await until(() => document.querySelectorAll('.figures tr').length > 5 && document.querySelectorAll('.figures tr')[1].children.length === 6);
    const clipped = await page.evaluate(() => {
      const body = document.querySelector('.panel-body'), seen = document.querySelector('.panels').getBoundingClientRect();  // what is outside of it is cut
      return [...document.querySelectorAll('.figures td, .figures th')].filter((cell) => {
        const box = cell.getBoundingClientRect();
        return box.right > seen.right - 8 || box.left < seen.left + 8 || cell.scrollWidth > cell.clientWidth + 1 || seen.right > innerWidth || body.scrollWidth > body.clientWidth;
      }).map((cell) => cell.textContent);
    });
    assert.deepEqual(clipped, [], `at ${width} px`);
    const removers = await page.locator('.compare-run button').evaluateAll((list) => list.map((b) => b.getBoundingClientRect().right - document.querySelector('.panels').getBoundingClientRect().right));
    assert.ok(removers.length === 4 && removers.every((beyond) => beyond < -8), `at ${width} px: ${removers}`);
  }
  assert.equal(await page.getByRole('button', { name: 'Add a method' }).isDisabled(), true);
}

export async function a_link_restores_scene_method_parameters_and_time({ page, ask, shown, until }, { openPage }) {
  await ask('open', { scene: 'pendulum' });
  await until(() => window.rigor.model.scene.name === 'pendulum');
  await ask('compare', { methods: ['garstenauer', 'soft-step'] });
  await ask('set', { run: 1, key: 'stepping.count', value: 3 });
  await ask('dt', { value: 0.004 });
  await ask('step', { count: 25 });
  await until(() => window.rigor.shown.step === 25 && window.rigor.model.methods[1].text.stepping);
  const hash = await page.evaluate(() => window.rigor.link.text), { hashes } = await shown();
  const other = await openPage(hash);
  await other.until(() => window.rigor.shown.step === 25 && window.rigor.model.methods.length === 2);
  assert.deepEqual((await other.shown()).hashes, hashes);
  assert.equal(await other.page.evaluate(() => window.rigor.model.scene.name), 'pendulum');
  assert.equal(await other.page.evaluate(() => window.rigor.model.state.dt), 0.004);
  await other.close();
}

export async function a_broken_link_says_why_and_shows_a_scene(view, { openPage }) {
  const other = await openPage('#scene=pendulumm&step=3');
  await other.page.locator('.toast.bad', { hasText: 'pendulum' }).waitFor();
  assert.equal(await other.page.title(), 'stack · Rigor');
  await other.close();
}

export async function scenes_are_in_groups_and_can_be_searched({ page, until }) {
  await page.keyboard.press('l');
  await page.locator('.card').first().waitFor();
  assert.equal(await page.locator('.cards h3').count(), 5);
  const missing = await page.evaluate(() => [...document.querySelectorAll('.card')].filter((card) => !card.querySelector('.thumbnail')).map((card) => card.textContent));
  assert.deepEqual(missing, []);  // every scene of the library is in the catalogue
  await page.locator('.scene-search').fill('cradle');
  assert.equal(await page.locator('.card:visible').count(), 1);
  await page.locator('.card:visible').click();
  await until(() => window.rigor.model.scene.name === 'newtons-cradle');
}

export async function the_panel_opens_with_three_knobs({ page, until }) {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.evaluate(() => window.rigor.panels.show(window.rigor.panels.named('Method')));
  await until(() => document.querySelectorAll('.first-knobs .controller').length > 0);
  assert.equal(await page.locator('.first-knobs .controller').count(), 4);  // the method and three knobs
  assert.equal(await page.locator('.rest .controller').first().isVisible(), false);
  await page.locator('.rest > summary').click();
  assert.equal(await page.locator('.rest .controller').first().isVisible(), true);
}

export async function arrows_have_a_scale_bar({ page, ask, until }) {
  await ask('step', { count: 3 });
  await page.keyboard.press('v');
  await until(() => /m\/s/.test(document.querySelector('.scale-bar').textContent));
  await page.keyboard.press('v');
  await until(() => document.querySelector('.scale-bar').textContent === '');
}

/// Textures, sky, lights and cameras of a scene are drawn, and the mouse goes back from a camera to the free view.
export async function the_appearance_of_a_scene_is_drawn({ page, ask, until }) {
  const scene = { rigor: 1, name: 'looks', world: { ground: false, materials: { tiles: {}, floor: {} }, bodies: [
    { name: 'floor', shape: { plane: true }, fixed: true, material: 'floor' },
    { name: 'box', shape: { box: [1, 1, 1] }, position: [0, 2, 0], material: 'tiles' }] },
    appearance: { textures: { tiles: { pattern: 'checker', color: '#ff0000', second_color: '#0000ff', on_each_side: true, repeat: [2, 2] },
      floor: { pattern: 'flat', color: '#00ff00', per_metre: true } },
      sky: { top: '#123456', bottom: '#000000' }, lights: [{ directional: true, direction: [0, -1, -1] }],
      cameras: [{ name: 'side', body: 'box', mode: 'track', position: [0, 0, 4], fov_deg: 50 }] }, camera: { use: 'side' } };
  await ask('load', { name: 'looks', text: JSON.stringify(scene) });
  await until(() => window.rigor.model.scene.name === 'looks' && window.rigor.cameras.current);
  const drawn = await page.evaluate(() => {
    const { stage, cameras } = window.rigor, [view] = stage.views;
    return { maps: [...view.bodies.batches.values()].filter((b) => b.material.map).length, planes: view.effects.extra.filter(({ mesh }) => mesh.material.map).length,
      lights: stage.lights.list.length, sun: stage.sun.visible, at: stage.camera.position.toArray(), fov: stage.camera.fov, name: cameras.current.name };
  });
  assert.deepEqual(drawn, { maps: 1, planes: 1, lights: 1, sun: false, at: [0, 2, 4], fov: 50, name: 'side' });
  // Red and blue tiles are seen from the side.
  const colors = await page.evaluate(() => {
    const { stage } = window.rigor, gl = stage.renderer.getContext(), { drawingBufferWidth: w, drawingBufferHeight: h } = gl, seen = { red: 0, blue: 0 };
    stage.invalidate();
    stage.render();
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i] > 3 * pixels[i + 2] && pixels[i] > 60 && pixels[i + 1] < 60) ++seen.red;
      if (pixels[i + 2] > 3 * pixels[i] && pixels[i + 2] > 60 && pixels[i + 1] < 60) ++seen.blue;
    }
    return seen;
  });
  assert.ok(colors.red > 500 && colors.blue > 500, JSON.stringify(colors));
  await ask('step', { count: 5 });
  await until(() => window.rigor.shown.step === 5);
  const [height, body] = await page.evaluate(() => [window.rigor.stage.camera.position.y, window.rigor.stage.views[0].bodies.position(window.rigor.cameras.current.index).y]);
  assert.ok(body < 2 && Math.abs(height - body) < 1e-6, 'the camera moves with its body');
  await page.mouse.move(380, 400);
  await page.mouse.down();
  await page.mouse.move(400, 400);
  await page.mouse.up();
  await until(() => !window.rigor.cameras.current && window.rigor.stage.camera.fov === 38);
}

/// Between a scene and its first frame nothing is drawn: many bodies at the origin, around the camera of the scene before, would stall a machine without a graphics card.
export async function bodies_are_hidden_until_a_frame_places_them({ page, ask, until }) {
  await page.evaluate(() => window.rigor.model.on('scene', () => {
    const sizes = window.rigor.stage.views[0].bodies.items.filter(Boolean).flatMap(({ parts }) => parts.map(({ batch, at }) => Math.abs(batch.mesh.instanceMatrix.array[16 * at])));
    window.drawnEarly = sizes.filter((size) => size > 0).length;
  }));
  await ask('open', { scene: 'explosion' });
  await until(() => window.rigor.model.scene.name === 'explosion' && !window.rigor.fresh && window.rigor.shown.step === 0);
  const { early, now } = await page.evaluate(() => ({ early: window.drawnEarly, now: [...window.rigor.stage.views[0].bodies.batches.values()].reduce((sum, { mesh }) => sum + mesh.count, 0) }));
  assert.equal(early, 0);
  assert.equal(now, 216);
}

export async function a_message_goes_with_its_scene({ page, ask, until }) {
  await ask('edit', { body: 0, name: '' }).catch(() => {});
  await page.locator('.toast.bad').first().waitFor();
  await ask('open', { scene: 'pendulum' });
  await until(() => window.rigor.model.scene.name === 'pendulum');
  assert.equal(await page.locator('.toast').count(), 0);
}

/// The camera follows a body that drives away, and lets go of it again.
export async function the_camera_follows_a_body({ page, ask, until }) {
  await ask('open', { scene: 'projectile' });
  await until(() => window.rigor.model.scene.name === 'projectile' && !window.rigor.fresh && window.rigor.shown.step === 0);
  await page.evaluate(() => window.rigor.model.select([...window.rigor.model.bodies.values()].find((b) => !b.fixed && !b.ground).index));
  await page.keyboard.press('w');
  const target = () => page.evaluate(() => window.rigor.stage.controls.target.toArray());
  const body = () => page.evaluate(() => window.rigor.stage.views[0].bodies.position(window.rigor.model.selected).toArray());
  const moved = (a, b) => Math.hypot(...a.map((v, k) => v - b[k]));
  const [at, was] = [await target(), await body()];
  await ask('step', { count: 100 });
  await until(() => window.rigor.shown.step === 100);
  const way = moved(await body(), was);
  assert.ok(way > 0.5, `it has moved by ${way} m`);
  assert.ok(Math.abs(moved(await target(), at) - way) < 0.05 * way, 'the camera moves as far as the body');
}

/// The camera is placed for the outermost points of a scene, however many bodies it has and however small the window is.
export async function few_points_place_the_camera_for_many_bodies({ page, ask, shown, until }) {
  const scene = { rigor: 1, name: 'many', world: { gravity: [0, 0, 0], ground: false, generate: [{ cloud: { count: 500, size: [9, 9, 9], bodies: [{ shape: { box: [0.5, 0.3, 0.4] } }],
    jitter: { position: 0, velocity: 0.5 } } }] }, method: 'free-flight' };
  await ask('load', { name: 'many', text: JSON.stringify(scene) });
  await until(() => window.rigor.model.scene.name === 'many' && !window.rigor.fresh);
  for (const [width, height] of [[760, 480], [240, 180]]) {
    await page.setViewportSize({ width, height });
    await until((w) => window.rigor.stage.canvas.clientWidth === w, width);
    const { step } = await shown();
    await ask('step', { count: 30 });
    await until((s) => window.rigor.shown.step === s, step + 30);
    assert.deepEqual(await page.evaluate(() => window.rigor.outOfView()), [], `at ${width} px`);
    const numbers = await page.evaluate(() => window.rigor.stage.framed.points.length);
    assert.ok(numbers > 0 && numbers < 1000, `${numbers} numbers`);
  }
}

/// 60 pictures a second leave 16.7 ms for each. Without a graphics card drawing itself takes longer; what the page does for a picture must be a fraction of that. Of
/// some pictures the lower decile counts: other programs on the machine make single ones slow.
export async function a_picture_of_2000_bodies_is_handled_in_a_quarter_of_a_sixtieth({ page, ask, until }) {
  const scene = { rigor: 1, name: 'cloud', world: { gravity: [0, 0, 0], ground: false, generate: [
    { cloud: { count: 2000, size: [13, 13, 13], bodies: [{ shape: { box: [0.5, 0.3, 0.4] }, angular_velocity: [1, 2, 0.5] }] } }] },
    method: { preset: 'free-flight', integrator: 'semi-implicit-euler' } };
  await page.setViewportSize({ width: 240, height: 180 });
  await ask('load', { name: 'cloud', text: JSON.stringify(scene) });
  await until(() => window.rigor.model.scene.name === 'cloud' && !window.rigor.fresh);
  await page.evaluate(() => {
    const { rigor } = window, { connection, stage } = rigor, receive = connection.receive.bind(connection), take = rigor.take.bind(rigor);
    window.times = { receive: [], take: [], render: [] };
    const timed = (name, work) => (...given) => {
      const began = performance.now(), result = work(...given);
      window.times[name].push(performance.now() - began);
      return result;
    };
    connection.receive = (data) => (data instanceof ArrayBuffer ? timed('receive', receive)(data) : receive(data));
    rigor.take = timed('take', take);
    const renderer = stage.renderer.render.bind(stage.renderer);
    stage.renderer.render = timed('render', renderer);
  });
  await ask('play');
  await until(() => window.times.take.length >= 30);
  await ask('pause');
  const quick = await page.evaluate(() => Object.fromEntries(Object.entries(window.times).map(([name, list]) => [name, list.sort((a, b) => a - b)[Math.floor(list.length / 10)]])));
  const handled = quick.receive + quick.take;
  console.log(`        ${handled.toFixed(2)} ms for a frame (reading ${quick.receive.toFixed(2)}, taking ${quick.take.toFixed(2)}), ${quick.render.toFixed(2)} ms for issuing its drawing`);
  assert.ok(handled < 1000 / 60 / 4, `${handled} ms`);
}

export async function figures_are_there_when_the_panel_is_opened_while_nothing_moves({ page, ask, until }) {
  await ask('compare', { methods: ['soft-step', 'garstenauer'] });
  await ask('step', { count: 3 });
  await until(() => window.rigor.model.methods.length === 2 && window.rigor.shown.step === 3 && window.rigor.plots.series.columns.length > 0);
  await page.locator('button.tab', { hasText: 'Compare' }).click();
  await page.locator('table.figures tr', { hasText: 'deepest overlap' }).waitFor();
}

/// On a small screen a description has two lines until it is touched; then all of it can be read, above the bar of buttons.
export async function a_description_can_be_read_to_its_end_on_a_small_screen({ page, ask, until }) {
  await page.setViewportSize({ width: 420, height: 800 });
  await ask('open', { scene: 'gears-and-ropes' });
  await until(() => window.rigor.model.scene.name === 'gears-and-ropes' && window.rigor.shown && !window.rigor.fresh);
  const look = () => page.evaluate(() => {
    const e = document.querySelector('.description'), { top, bottom } = e.getBoundingClientRect();
    return { isWhole: e.scrollHeight <= e.clientHeight + 1, top, bottom, bar: document.querySelector('#play').closest('.glass').getBoundingClientRect().top };
  });
  assert.equal((await look()).isWhole, false);
  await page.locator('.description').click();
  const { isWhole, top, bottom, bar } = await look();
  assert.ok(isWhole && top > 0 && bottom <= bar, `${[isWhole, top, bottom, bar]}`);
  await until(() => window.rigor.outOfView().length === 0);
  await page.locator('.description').click();
  assert.equal((await look()).isWhole, false);
}
