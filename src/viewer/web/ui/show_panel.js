// What is drawn besides the bodies, and when to stop by itself.
import { h } from './dom.js';
import { LAYER_COLORS } from '../stage/colors.js';

const words = (name) => name.replaceAll('-', ' ');

/// Layers under headings; what the program has besides comes under the last one.
const GROUPS = [
  ['Contacts', ['contact-points', 'contact-normals', 'normal-forces', 'friction-forces']],
  ['Motion', ['velocities', 'angular-velocities', 'forces', 'torques', 'effect-forces', 'effect-torques']],
  ['Joints', ['joint-frames', 'joint-limits', 'joint-errors', 'joint-forces']],
  ['Bodies', ['bounds', 'centers-of-mass', 'inertias', 'islands', 'tree']],
];

export class ShowPanel {
  constructor(app) {
    this.app = app;
    this.name = 'Show';
    this.title = 'Overlays, and when to stop';
    this.layers = h('div', {});
    this.element = h('div.show', {}, this.layers, this.lengths(), h('h3', {}, 'View'), this.viewOptions(),
      h('h3', {}, 'Stop by itself when'), this.rules());
    app.model.on('hello', () => this.buildLayers());
    app.model.on('layers', () => this.updateLayers());
    app.model.on('scene', () => this.skin.element.hidden = !app.views.hasFigures);
    app.model.on('state', (state) => this.updateRules(state.rules));
  }

  check(label, title, checked, onchange, color) {
    const input = h('input', { type: 'checkbox', checked, onchange: () => onchange(input.checked) });
    const element = h('label.check', { title }, input, color ? h('i.swatch', { style: `background:${color}` }) : null, h('span', {}, label));
    return { input, element };
  }

  buildLayers() {
    const { layers } = this.app.model.hello, grouped = new Set(GROUPS.flatMap(([, names]) => names));
    const rest = layers.map((l) => l.name).filter((name) => !grouped.has(name));
    this.inputs = new Map();
    this.layers.replaceChildren(...GROUPS.flatMap(([title, names], i) => {
      const own = [...names, ...(i === GROUPS.length - 1 ? rest : [])].map((name) => layers.find((l) => l.name === name)).filter(Boolean);
      return [h('h3', {}, title), h('div.checks.two', {}, ...own.map((layer) => this.layerCheck(layer)))];
    }));
  }
  layerCheck({ name, description, unit }) {
    const { model } = this.app;
    const { input, element } = this.check(words(name), `${description}${unit ? ` (${unit})` : ''}`, model.layers.has(name),
      (on) => model.setLayer(name, on), LAYER_COLORS[name]);
    input.dataset.layer = name;
    this.inputs.set(name, input);
    return element;
  }
  updateLayers() {
    for (const [name, input] of this.inputs ?? []) input.checked = this.app.model.layers.has(name);
  }

  lengths() {
    const slider = (label, title, min, max, value, oninput) =>
      h('label.slider', { title }, h('span', {}, label), h('input', { type: 'range', min, max, step: 0.01, value, oninput: (e) => oninput(Number(e.target.value)) }));
    const { app } = this;
    return h('div', {},
      slider('arrow length', 'Length of all arrows, scaled to the longest one of the last second; the bar at the bottom left shows how long a round number is', -1.5, 1.5, 0, (v) => { app.views.scale.factor = 10 ** v; app.redraw(); }),
      slider('hide small', 'Arrows shorter than this are left out', 0, 2, 0.3, (v) => { app.views.scale.threshold = v; app.redraw(); }));
  }

  viewOptions() {
    const { app } = this;
    this.trails = this.check('trails', 'Where bodies have been: the selected one, those that the scene names, or all', false, (on) => app.setTrails(on));
    this.skin = this.check('skin', 'A figure over the bodies of a doll, moved by them', true, (on) => { app.views.skin = on; app.redraw(); });
    this.skin.element.hidden = true;
    const mechanisms = this.check('joints and forces', 'Rods, ropes, springs, axles, motors, supports, water, belts, blasts and magnets', true, (on) => { app.views.mechanisms = on; app.redraw(); });
    const grid = this.check('grid', 'The lines on the floor', true, (on) => { app.stage.floor.setGrid(on); app.stage.invalidate(); });
    const shadows = this.check('shadows', 'Switch off where the graphics are slow', true, (on) => app.stage.setShadows(on));
    app.stage.tooSlow = () => {
      shadows.input.checked = false;
      app.stage.setShadows(false);
      app.toasts.show('Drawing is slow here, so shadows are off now; the panel Show brings them back.');
    };
    const sound = this.check('sounds', 'Impacts and friction, by the materials of the bodies; the names of materials such as steel, wood, rubber, stone and glass choose the sound', false, (on) => app.sound.set(on));
    this.camera = h('select', { title: 'Look through a camera of the scene; dragging the picture goes back to the free view', onchange: () => app.cameras.use(this.camera.value) });
    this.cameraRow = h('label.row', { hidden: true }, h('span', {}, 'camera'), this.camera);
    const updateCameras = () => {
      const { list, current } = app.cameras;
      this.cameraRow.hidden = list.length === 0;
      this.camera.replaceChildren(h('option', { value: '' }, 'free view'), ...list.map(({ name }) => h('option', { value: name }, name)));
      this.camera.value = current?.name ?? '';
    };
    app.cameras.changed = updateCameras;
    return h('div.checks.two', {}, mechanisms.element, this.trails.element, grid.element, shadows.element, sound.element, this.skin.element, this.cameraRow);
  }

  rules() {
    const { connection } = this.app;
    const number = (key, unit, label) => h('input.small', { type: 'number', step: 'any', min: 0, title: unit, 'aria-label': label,
      onchange: (e) => connection.tell('rules', { [key]: Number(e.target.value) }) });
    const rule = (key, label, title) => this.check(label, title, key === 'non_finite', (on) => connection.tell('rules', { [key]: on }));
    this.rule = {
      non_finite: rule('non_finite', 'a number is not finite', 'Stops when a body had to be taken out because it left all numbers'),
      penetration: rule('penetration', 'bodies overlap by', 'Deepest penetration of a step'),
      energy: rule('energy', 'the energy jumps by', 'Relative change in one step'),
    };
    this.depth = number('depth', 'm', 'Depth that stops');
    this.jump = number('jump', 'fraction', 'Jump of the energy that stops');
    return h('div.checks', {}, this.rule.non_finite.element,
      h('div.row', {}, this.rule.penetration.element, this.depth, h('span.unit', {}, 'm')),
      h('div.row', {}, this.rule.energy.element, this.jump, h('span.unit', {}, '× itself')));
  }
  updateRules(rules) {
    for (const [key, { input }] of Object.entries(this.rule)) input.checked = rules[key];
    if (document.activeElement !== this.depth) this.depth.value = rules.depth;
    if (document.activeElement !== this.jump) this.jump.value = rules.jump;
  }
}
