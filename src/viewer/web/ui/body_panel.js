// Bodies: the list, and all about the selected one, with what can be changed about it.
import { Euler, MathUtils, Quaternion } from 'three';
import { h, short } from './dom.js';
import { choiceField, nameField, numberField, textField, vectorField } from './fields.js';
import { fieldsOfShape, SHAPES } from './shape_fields.js';
import { ForcePanel } from './force_panel.js';
import { JointPanel } from './joint_panel.js';
import { MaterialPanel } from './material_panel.js';

const MOST_LISTED = 300;
const INTERVAL = 90;  // ms between two readings of a running scene
const size = (v) => Math.hypot(...v);

/// Degrees about the fixed axes x, then y, then z, as scene files have them.
function degrees([w, x, y, z]) {
  const euler = new Euler().setFromQuaternion(new Quaternion(x, y, z, w), 'ZYX');
  return [euler.x, euler.y, euler.z].map(MathUtils.radToDeg);
}

export class BodyPanel {
  constructor(app) {
    this.app = app;
    this.name = 'Bodies';
    this.title = 'The bodies and joints, and all about the selected one';
    this.search = h('input.search', { type: 'search', placeholder: 'Find a body', 'aria-label': 'Find a body', oninput: () => this.buildList() });
    this.list = h('div.list', { role: 'listbox', 'aria-label': 'Bodies' });
    this.inspector = h('div.inspector', {});
    this.expected = 0;  // answers to changes
    this.joints = new JointPanel(app);
    this.forces = new ForcePanel(app);
    this.materials = new MaterialPanel(app);
    const spawn = (kind) => h('button.text', { title: `Put a ${kind} in the middle of the view`, onclick: () => app.actions.spawn(kind, true) }, kind);
    this.element = h('div.bodies', {}, h('div.row.spawn', {}, h('span', {}, 'Add'), ...SHAPES.map(spawn)),
      this.inspector, this.joints.element, this.forces.element, this.materials.element, this.search, this.list);
    app.model.on('scene', ({ fresh }) => {
      if (fresh) this.select(-1);  // what was selected belongs to the scene before
      this.buildList();
    });
    app.model.on('select', (index) => this.select(index));
    app.model.on('frame', (frame) => this.update(frame));
    this.select(-1);
  }

  shown() {
    this.buildList();
  }

  buildList() {
    if (!this.element.isConnected) return;
    const wanted = this.search.value.toLowerCase(), { model } = this.app;
    this.listed = this.countAlive();
    const found = [...model.bodies.values()].filter((b) => b.name.toLowerCase().includes(wanted) && this.alive(b.index));
    this.list.replaceChildren(...found.slice(0, MOST_LISTED).map((body) => h('button.item',
      { role: 'option', 'aria-selected': String(body.index === model.selected), title: 'Double click: look at it',
        onclick: () => model.select(body.index), ondblclick: () => this.app.look(body.index) },
      h('span', {}, body.name), h('small', {}, body.fixed ? 'fixed' : body.material))));
    if (found.length > MOST_LISTED) this.list.append(h('p.hint', {}, `and ${found.length - MOST_LISTED} more`));
  }
  alive(index) {
    const flags = this.app.model.frame?.runs[0].flags;
    return !flags || index >= flags.length || flags[index] > 0;
  }
  countAlive() {
    return this.app.model.frame?.runs[0].flags.reduce((count, flag) => count + (flag > 0 ? 1 : 0), 0);
  }

  select(index) {
    for (const item of this.list.querySelectorAll('[aria-selected=true]')) item.setAttribute('aria-selected', 'false');
    this.fields = null;
    if (index < 0) this.inspector.replaceChildren(h('p.hint', {}, 'Click a body to look into it. Drag it to pull it.'));
    else this.buildList();
  }

  update(frame) {
    if (!this.element.isConnected || (frame.playing && performance.now() - (this.last ?? 0) < INTERVAL)) return;
    this.last = performance.now();
    if (this.countAlive() !== this.listed) this.buildList();
    const data = frame.status.inspected?.[0];
    if (!data || data.index !== this.app.model.selected) return;
    const kind = [data.fixed, data.shape, ...this.materialNames()].join('\n');  // fields depend on these
    const isNew = !this.fields || this.kind !== kind;
    if (isNew) this.build(data);
    this.kind = kind;
    this.data = data;
    if (isNew || !this.expected) this.showData();
  }

  materialNames() {
    return this.app.model.materials.map((m) => m.name);
  }

  /// Shows the present data, also in fields in which the user has typed something else.
  showData() {
    for (const field of this.fields ?? []) field.update(this.data);
  }
  edit(change) {
    ++this.expected;  // until the answer, frames hold what was before, which would put back what is typed meanwhile
    this.app.connection.ask('edit', { body: this.app.model.selected, ...change }).finally(() => --this.expected).catch(() => this.showData());  // the connection has shown why
  }

  build(data) {
    const vector = (label, unit, key) => vectorField(label, unit, (d) => d[key], (value) => this.edit({ [key]: value }));
    const material = ([key, unit]) => numberField(key.replaceAll('_', ' '), unit, (d) => d.material[key], (value) => this.edit({ material: { [key]: value } }));
    const named = this.materialNames();
    const choices = named.includes(data.material.name) ? named : [data.material.name, ...named];
    this.fields = [
      nameField((d) => d.name, (name) => this.edit({ name })),
      ...fieldsOfShape(data, () => this.data, (shape) => this.edit({ shape })),
      ...(choices.length > 1 ? [choiceField('material', 'A material of the scene', choices, (d) => d.material.name, (name) => this.edit({ material: name }))] : []),
      vector('position', 'm', 'position'),
      vectorField('turned', '°', (d) => degrees(d.orientation), (value) => this.edit({ orientation: { euler_deg: value } })),
      vector('velocity', 'm/s', 'velocity'),
      vector('turning', 'rad/s', 'angular_velocity'),
      ...(data.fixed ? [] : [numberField('mass', 'kg', (d) => d.mass, (mass) => this.edit({ mass }))]),
      ...[['density', 'kg/m³'], ['friction', ''], ['restitution', ''], ['rolling_friction', 'm']].map(material),
      textField('kinetic energy', (d) => short(d.kinetic), 'J'),
      textField('force', (d) => short(size(d.force)), 'N'),
      textField('from contacts', (d) => short(size(d.reaction)), 'N'),
      textField('inertia', (d) => d.inertia.map((v) => short(v)).join(' · '), 'kg m²'),
      textField('state', (d) => `${d.set}: ${d.why}`),
      textField('touches', (d) => d.contacts.map((c) => `${c.with} (${c.points}, ${short(c.normal_force)} N)`).join(', ') || 'nothing'),
    ];
    this.inspector.replaceChildren(...this.fields.map((f) => f.element), this.buttons(data));
  }

  buttons(data) {
    const { actions, look } = this.app;
    return h('div.row', {},
      h('button.text', { title: 'Bring it to the middle of the view', onclick: () => look(data.index) }, 'look at'),
      h('button.text', { title: 'Infinite mass: nothing can move it', onclick: () => this.edit({ fixed: !this.data.fixed }) }, data.fixed ? 'let go' : 'fix'),
      h('button.text', { title: 'Take its velocity away', onclick: () => this.edit({ velocity: [0, 0, 0], angular_velocity: [0, 0, 0] }) }, 'stop'),
      h('button.text.danger', { title: 'Delete it (del)', onclick: () => actions.remove() }, 'delete'));
  }
}
