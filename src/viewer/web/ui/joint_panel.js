// Joints: the list with a switch for each, and all about the selected one: limits, motor, spring, strength.
import { h, short } from './dom.js';
import { choiceField, flagField, numberField, optionalField, vectorField } from './fields.js';

const MOST_LISTED = 300;
const words = (name) => name.replaceAll('_', ' ');
/// Numbers arrive as text where JSON has none for them.
const numberOf = (value) => (typeof value === 'string' ? Number(value.replace('infinity', 'Infinity')) : value);

export class JointPanel {
  constructor(app) {
    this.app = app;
    this.selected = -1;
    this.fields = [];
    this.inspector = h('div.inspector.joint', { hidden: true });
    this.list = h('div.checks', {});
    this.element = h('section', { hidden: true }, h('h3', {}, 'Joints'), this.inspector, this.list);
    app.model.on('scene', (scene) => this.setScene(scene));
    app.model.on('select', () => this.buildList());
  }

  setScene(scene) {
    if (scene.fresh) this.select(-1);
    this.element.hidden = this.app.model.joints.length === 0;
    this.buildList();
    if (this.selected >= 0) this.fetch();
  }

  /// Those of the selected body; all when there is none.
  buildList() {
    const { joints, selected } = this.app.model;
    const own = joints.filter((j) => selected < 0 || j.a === selected || j.b === selected);
    this.list.replaceChildren(...own.slice(0, MOST_LISTED).map((joint) => this.item(joint)));
    if (own.length === 0) this.list.append(h('p.hint', {}, 'none at this body'));
    if (own.length > MOST_LISTED) this.list.append(h('p.hint', {}, `and ${own.length - MOST_LISTED} more: click a body to see its joints`));
  }
  item(joint) {
    const works = joint.active && !joint.broken;
    const input = h('input', { type: 'checkbox', checked: works, title: works ? 'Switch it off' : 'Switch it on', 'aria-label': `${joint.name} holds`,
      onchange: () => this.send({ joint: joint.index, active: input.checked, ...(input.checked ? { broken: false } : {}) }) });
    return h('div.check', {}, input,
      h('button.item', { 'aria-selected': String(joint.index === this.selected), onclick: () => this.select(joint.index === this.selected ? -1 : joint.index) },
        h('span', {}, joint.name), h('small', {}, joint.broken ? 'broken' : joint.active ? joint.type : 'off')));
  }

  select(index) {
    this.selected = index;
    this.inspector.hidden = true;
    this.buildList();
    if (index >= 0) this.fetch();
  }
  fetch() {
    this.send({ joint: this.selected }).catch(() => this.select(-1));
  }
  /// Every answer is the joint as it is now; a refusal is told by the connection.
  send(change) {
    return this.app.connection.ask('joint', change).then((joint) => joint.index === this.selected && this.show(joint));
  }
  change(what) {
    this.send({ joint: this.selected, ...what }).catch(() => this.fetch());  // what was typed is not what it is
  }

  show(joint) {
    const shape = `${joint.index} ${joint.type}`;
    if (this.shape !== shape || this.inspector.hidden) this.build(joint);
    this.shape = shape;
    for (const field of this.fields) field.update(joint);
  }

  build(joint) {
    this.state = h('span.value', {});
    const strength = (key, unit, title) => optionalField(words(key), unit, title, (j) => j[key] ?? Infinity, (value) => this.change({ [key]: value }));
    const parameters = joint.parameters.map((p) => this.parameter(p));
    const strengths = [strength('break_force', 'N', 'It breaks when its reaction force is larger; empty: never'),
      strength('break_torque', 'N m', 'It breaks when its reaction torque is larger; empty: never')];
    this.fields = [...parameters, ...strengths];
    this.inspector.hidden = false;
    this.inspector.replaceChildren(h('header', {}, h('b', {}, joint.name), h('small', {}, `${joint.type} · ${joint.a} – ${joint.b}`)),
      h('p.hint', {}, joint.description), h('div.field', {}, h('span.label', {}, 'now'), this.state),
      ...this.fields.map((f) => f.element));
  }

  parameter(p) {
    const set = (value) => this.change({ parameters: { [p.name]: value } });
    const get = (joint) => joint.parameters.find((q) => q.name === p.name)?.value;
    const label = words(p.name), unit = p.unit && p.unit !== '1' ? p.unit : '';
    if (p.type === 'choice') return choiceField(label, p.description, p.choices, get, set);
    if (p.type === 'flag') return flagField(label, p.description, get, set);
    if (p.type === 'vector') return vectorField(label, unit, get, set);
    const open = typeof p.default === 'string';  // its default is infinite: there need not be one
    const field = open ? optionalField(label, unit, p.description, (j) => numberOf(get(j)), set) : numberField(label, unit, get, set);
    field.element.title = p.description;
    field.element.classList.add('wide');
    return field;
  }

  /// Live figures of the selected joint, from the body that is looked at.
  update(joints) {
    const joint = joints.find((j) => j.index === this.selected);
    if (!joint || this.inspector.hidden) return;
    const at = joint.coordinates.map(({ axis, position }) => `${short(axis < 3 ? position : (position * 180) / Math.PI)}${axis < 3 ? ' m' : '°'}`);
    this.state.textContent = [...at, `${short(joint.force)} N`, `${short(joint.torque)} N m`, `off by ${short(joint.error)} m`].join(' · ');
  }
}
