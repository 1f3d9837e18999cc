// Bodies: the list, and all about the selected one, with what can be changed about it.
import { h, short } from './dom.js';

const MOST_LISTED = 300;

export class BodyPanel {
  constructor(app) {
    this.app = app;
    this.name = 'Bodies';
    this.title = 'The bodies, and all about the selected one';
    this.search = h('input.search', { type: 'search', placeholder: 'Find a body', 'aria-label': 'Find a body', oninput: () => this.buildList() });
    this.list = h('div.list', { role: 'listbox' });
    this.inspector = h('div.inspector', {});
    const spawn = (kind) => h('button.text', { title: `Put a ${kind} where the view looks`, onclick: () => app.actions.spawn(kind) }, kind);
    this.joints = h('div.checks', {});
    this.element = h('div.bodies', {}, h('div.row.spawn', {}, h('span', {}, 'Add'), ...['box', 'sphere', 'capsule', 'cylinder', 'cone'].map(spawn)),
      this.inspector, this.search, this.list, this.joints);
    app.model.on('scene', () => {
      this.buildList();
      this.buildJoints();
    });
    app.model.on('select', (index) => this.select(index));
    app.model.on('frame', (frame) => this.update(frame));
    this.select(-1);
  }

  /// Joints can be switched off and on again.
  buildJoints() {
    const { joints } = this.app.model;
    if (joints.length === 0) return this.joints.replaceChildren();
    this.joints.replaceChildren(h('h3', {}, 'Joints'), ...joints.slice(0, MOST_LISTED).map((joint) => {
      const input = h('input', { type: 'checkbox', checked: joint.active && !joint.broken,
        onchange: () => this.app.connection.tell('joint', { joint: joint.index, active: input.checked, broken: false }) });
      return h('label.check', { title: `${joint.type || 'joint'}${joint.broken ? ', broken' : ''}` }, input, h('span', {}, joint.name), h('small', {}, joint.broken ? 'broken' : joint.type));
    }));
  }

  shown() {
    this.buildList();
  }

  buildList() {
    if (!this.element.isConnected) return;
    const wanted = this.search.value.toLowerCase(), { model } = this.app;
    const found = [...model.bodies.values()].filter((b) => b.name.toLowerCase().includes(wanted) && this.alive(b.index));
    this.list.replaceChildren(...found.slice(0, MOST_LISTED).map((body) =>
      h('button.item', { role: 'option', 'aria-selected': String(body.index === model.selected), onclick: () => model.select(body.index), ondblclick: () => this.app.look(body.index) },
        h('span', {}, body.name), h('small', {}, body.fixed ? 'fixed' : body.material))));
    if (found.length > MOST_LISTED) this.list.append(h('p.hint', {}, `and ${found.length - MOST_LISTED} more`));
  }
  alive(index) {
    const flags = this.app.model.frame?.runs[0].flags;
    return !flags || index >= flags.length || flags[index] > 0;
  }

  select(index) {
    for (const item of this.list.querySelectorAll('[aria-selected=true]')) item.setAttribute('aria-selected', 'false');
    this.fields = null;
    if (index < 0) this.inspector.replaceChildren(h('p.hint', {}, 'Click a body to look into it. Drag it to pull it.'));
    else this.buildList();
  }

  update(frame) {
    const data = frame.status.inspected?.[0];
    if (!data || data.index !== this.app.model.selected) return;
    if (!this.fields) this.build(data);
    if (performance.now() - (this.last ?? 0) < 90 && frame.playing) return;
    this.last = performance.now();
    for (const field of this.fields) field(data);
  }

  edit(change) {
    this.app.connection.tell('edit', { body: this.app.model.selected, ...change });
  }

  build(data) {
    this.fields = [];
    const rows = [];
    const text = (label, value, unit = '') => {
      const cell = h('span.value', {});
      this.fields.push((d) => (cell.textContent = `${value(d)}${unit && ` ${unit}`}`));
      rows.push(h('div.field', {}, h('span.label', {}, label), cell));
    };
    const input = (label, unit, get, set) => {
      const box = h('input.number', { type: 'number', step: 'any', onchange: () => Number.isFinite(box.valueAsNumber) && set(box.valueAsNumber) });
      this.fields.push((d) => document.activeElement !== box && (box.value = short(get(d), 5)));
      rows.push(h('label.field', {}, h('span.label', {}, label), box, h('span.unit', {}, unit)));
    };
    const vector = (label, unit, key) => {
      const boxes = [0, 1, 2].map((i) => h('input.number', { type: 'number', step: 'any', 'aria-label': `${label} ${'xyz'[i]}`,
        onchange: () => this.edit({ [key]: boxes.map((b) => b.valueAsNumber || 0) }) }));
      this.fields.push((d) => boxes.forEach((b, i) => document.activeElement !== b && (b.value = short(d[key][i], 4))));
      rows.push(h('div.field.vector', {}, h('span.label', {}, label), ...boxes, h('span.unit', {}, unit)));
    };
    const size = (v) => Math.hypot(...v);
    vector('position', 'm', 'position');
    vector('velocity', 'm/s', 'velocity');
    vector('turning', 'rad/s', 'angular_velocity');
    if (!data.fixed) input('mass', 'kg', (d) => d.mass, (mass) => this.edit({ mass }));
    for (const [key, unit] of [['density', 'kg/m³'], ['friction', ''], ['restitution', '']])
      input(key, unit, (d) => d.material[key], (value) => this.editMaterial(key, value));
    text('kinetic energy', (d) => short(d.kinetic), 'J');
    text('force', (d) => short(size(d.force)), 'N');
    text('from contacts', (d) => short(size(d.reaction)), 'N');
    text('inertia', (d) => d.inertia.map((v) => short(v)).join(' · '), 'kg m²');
    text('state', (d) => `${d.set}: ${d.why}`);
    text('touches', (d) => d.contacts.map((c) => `${c.with} (${c.points}, ${short(c.normal_force)} N)`).join(', ') || 'nothing');
    if (data.joints.length) text('joints', (d) => d.joints.map((j) => `${j.name} to ${j.with} (${short(j.force)} N, off by ${short(j.error)} m)`).join(', '));
    this.data = data;
    this.fields.push((d) => (this.data = d));
    this.inspector.replaceChildren(h('header', {}, h('b', {}, data.name), h('small', {}, `${data.shape} · ${data.material.name}`)), ...rows, this.buttons(data));
  }

  editMaterial(key, value) {
    const { name, density, friction, restitution } = this.data.material;
    this.edit({ material: { name: name === 'default' ? `${this.data.name} material` : name, density, friction, restitution, [key]: value } });
  }

  buttons(data) {
    const { actions, look } = this.app;
    return h('div.row', {},
      h('button.text', { onclick: () => look(data.index) }, 'look at'),
      h('button.text', { title: 'Infinite mass: nothing can move it', onclick: () => { this.edit({ fixed: !this.data.fixed }); this.fields = null; } }, data.fixed ? 'let go' : 'fix'),
      h('button.text', { onclick: () => this.edit({ velocity: [0, 0, 0], angular_velocity: [0, 0, 0] }) }, 'stop'),
      h('button.text.danger', { onclick: () => actions.remove() }, 'delete'));
  }
}
