// Joints: the list with a switch for each, and all about the selected one: anchors, limits, motor, spring, strength.
import { h, short } from './dom.js';
import { choiceField, flagField, numberField, optionalField, vectorField } from './fields.js';

const MOST_LISTED = 300;
const NEW = ['ball', 'hinge', 'slider', 'fixed', 'distance', 'rope'];  // kinds that need no more than a place and an axis
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const words = (name) => name.replaceAll('_', ' ');
/// What an empty field means, where it is not that there is no such bound.
const EMPTY = { motor_force: 'no limit', stiffness: 'rigid', break_force: 'never', break_torque: 'never' };
/// What a parameter is called for a rope, whose bounds are lengths.
const ROPE = { lower: 'shortest (lower)', upper: 'length (upper)' };
const INTERVAL = 90;  // ms between two readings of a running scene
/// Without the digits that a float adds to the number that was typed.
const typed = (vector) => vector.toArray().map((x) => Number(x.toPrecision(7)));
/// Numbers arrive as text where JSON has none for them.
const numberOf = (value) => (typeof value === 'string' ? Number(value.replace('infinity', 'Infinity')) : value);

/// The middle of what the bounds of two bodies share, along each axis, or of the gap between them.
function meeting(bodies, one, other) {
  const point = bodies.position(one), corners = [one, other].map((index) => bodies.corners(bodies.items[index]));
  for (const axis of ['x', 'y', 'z']) {
    const low = Math.max(...corners.map((list) => Math.min(...list.map((p) => p[axis]))));
    const high = Math.min(...corners.map((list) => Math.max(...list.map((p) => p[axis]))));
    point[axis] = (low + high) / 2;
  }
  return point;
}

export class JointPanel {
  constructor(app) {
    this.app = app;
    this.selected = -1;
    this.expected = 0;
    this.fields = [];
    this.inspector = h('div.inspector.joint', { hidden: true });
    this.list = h('div.checks', {});
    this.element = h('section', {}, h('h3', {}, 'Joints'), this.inspector, this.list, this.newJoint());
    app.model.on('scene', (scene) => this.setScene(scene));
    app.model.on('select', () => this.buildList());
    app.model.on('frame', (frame) => this.watch(frame));
    app.handles.moved = () => app.redraw();
    app.handles.dropped = ({ end, point }) => this.moveAnchor(end, point.toArray());
  }
  moveAnchor(end, point) {
    this.take(this.app.connection.ask('anchor', { joint: this.selected, end, point })).catch(() => this.fetch());
  }

  /// A line to connect the selected body with another one, or with the world.
  newJoint() {
    const option = (name) => h('option', { value: name }, name);
    this.kind = h('select', { 'aria-label': 'Kind of joint', title: 'Kind of joint' }, ...NEW.map(option));
    this.kind.onchange = () => this.showAxis();
    this.axis = h('select', { 'aria-label': 'Axis of the joint', title: 'Axis, of hinges and sliders' }, ...Object.keys(AXES).map(option));
    this.other = h('select.other', { 'aria-label': 'The other body', title: 'What the selected body is connected to' });
    this.addButton = h('button.text', { title: 'Select a body first', disabled: true, onclick: () => this.add() }, 'add');
    this.showAxis();
    return h('div.row.add', {}, this.kind, this.axis, h('span', {}, 'to'), this.other, this.addButton);
  }
  showAxis() {
    this.axis.hidden = this.kind.value !== 'hinge' && this.kind.value !== 'slider';
  }
  buildOthers() {
    const { bodies, selected } = this.app.model, before = this.other.value;
    const others = [...bodies.values()].filter((b) => b.index !== selected && !b.ground).slice(0, MOST_LISTED);
    this.other.replaceChildren(...['world', ...others.map((b) => b.name)].map((name) => h('option', { value: name }, name)));
    if ([...this.other.options].some((o) => o.value === before)) this.other.value = before;
    this.addButton.disabled = !bodies.has(selected);
    this.addButton.title = this.addButton.disabled ? 'Select a body first' : `Connects ${bodies.get(selected).name}`;
  }
  /// Where the two bodies are nearest to each other; to the world above the body. Rods and ropes end at both centers.
  add() {
    const { model, stage, connection } = this.app, { bodies } = stage.views[0], body = model.bodies.get(model.selected);
    const type = this.kind.value, other = [...model.bodies.values()].find((b) => b.name === this.other.value);
    const here = bodies.position(body.index), there = other ? bodies.position(other.index) : here.clone().addScaledVector(stage.up, stage.radius * 0.4);
    const taken = new Set(model.joints.map((j) => j.name));
    let number = 1;
    while (taken.has(`${type} ${number}`)) ++number;
    const definition = { type, name: `${type} ${number}`, a: other?.name ?? 'world', b: body.name };
    // anchor_a and anchor_b are in the coordinates of their bodies: both ends are at the origins.
    if (type === 'distance' || type === 'rope') Object.assign(definition, { anchor_a: other ? [0, 0, 0] : typed(there), anchor_b: [0, 0, 0] });
    else if (type !== 'fixed') definition.anchor = typed(other ? meeting(bodies, body.index, other.index) : there);
    if (type === 'hinge' || type === 'slider') definition.axis = AXES[this.axis.value];
    connection.ask('add-joint', { definition }).then(({ joint }) => this.select(joint), () => {});
  }

  setScene(scene) {
    if (scene.fresh) this.select(-1);
    if (this.selected >= 0 && !this.app.model.joints.some((j) => j.index === this.selected)) this.select(-1);
    this.buildList();
    this.showHandles();
    if (this.selected >= 0) this.fetch();
  }
  showHandles() {
    this.app.handles.set(this.app.model.joints.find((j) => j.index === this.selected) ?? null);
    if (this.selected >= 0) this.app.redraw();
    else this.app.stage.invalidate();
  }

  /// Those of the selected body; all when there is none.
  buildList() {
    const { joints, selected } = this.app.model;
    this.buildOthers();
    const own = [...joints].sort((a, b) => a.index - b.index).filter((j) => selected < 0 || j.a === selected || j.b === selected);
    this.list.replaceChildren(...own.slice(0, MOST_LISTED).map((joint) => this.item(joint)));
    if (own.length === 0) this.list.append(h('p.hint', {}, selected < 0 ? 'none; select a body to add one' : 'none at this body'));
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
    this.showHandles();
    if (index >= 0) this.fetch();
  }
  fetch() {
    this.send({ joint: this.selected }).catch(() => this.select(-1));
  }
  /// Every answer is the joint as it is now; a refusal is told by the connection.
  send(change) {
    return this.take(this.app.connection.ask('joint', change));
  }
  /// Only the last answer that is expected is shown: an earlier one would put back a number that was typed after its request.
  take(answer) {
    ++this.expected;
    return answer.finally(() => --this.expected).then((joint) => joint.index === this.selected && this.expected === 0 && this.show(joint));
  }
  change(what) {
    this.send({ joint: this.selected, ...what }).catch(() => this.fetch());  // what was typed is not what it is
  }

  show(joint) {
    const shape = `${joint.index} ${joint.type}`;
    if (this.shape !== shape || this.inspector.hidden) this.build(joint);
    this.shape = shape;
    for (const field of this.fields) field.update(joint);
    this.showFigures(joint);
  }

  build(joint) {
    this.state = h('span.value', {});
    const strength = (key, unit, title) => optionalField(words(key), unit, title, (j) => j[key] ?? Infinity, (value) => this.change({ [key]: value }), EMPTY[key]);
    this.type = joint.type;
    const parameters = joint.parameters.map((p) => this.parameter(p));
    const strengths = [strength('break_force', 'N', 'It breaks when its reaction force is larger; empty: never'),
      strength('break_torque', 'N m', 'It breaks when its reaction torque is larger; empty: never')];
    this.fields = [...joint.anchors.map(({ end }, i) => this.anchor(end, i, joint)), ...(joint.axis ? [this.axisField()] : []), ...parameters, ...strengths];
    this.inspector.hidden = false;
    this.inspector.replaceChildren(h('header', {}, h('b', {}, joint.name), h('small', {}, `${joint.type} · ${joint.a} – ${joint.b}`)),
      h('p.hint', {}, joint.description), h('div.field', {}, h('span.label', {}, 'now'), this.state),
      ...this.fields.map((f) => f.element),
      h('div.row', {}, h('button.text.danger', { title: 'Take this joint out of the world',
        onclick: () => this.app.connection.ask('remove-joint', { joint: joint.index }).then(() => this.select(-1), () => {}) }, 'delete')));
  }

  /// World coordinates; a rod or rope has two.
  anchor(end, i, { anchors, a, b }) {
    const name = anchors.length < 2 ? 'anchor' : `end at ${end === 'a' ? a : b}`;
    const field = vectorField(name, 'm', (joint) => joint.anchors[i].point, (point) => this.moveAnchor(end, point));
    field.element.title = 'Or drag its orange ball in the scene';
    return field;
  }

  /// A direction of the world, without the rounding errors of what should be zero.
  axisField() {
    const field = vectorField('axis', '', (joint) => joint.axis.map((x) => (Math.abs(x) < 1e-9 ? 0 : x)), (axis) =>
      this.take(this.app.connection.ask('axis', { joint: this.selected, axis })).catch(() => this.fetch()));
    field.element.title = 'The direction about or along which the bodies move: 0, 1, 0 is y';
    return field;
  }

  parameter(p) {
    const set = (value) => this.change({ parameters: { [p.name]: value } });
    const get = (joint) => joint.parameters.find((q) => q.name === p.name)?.value;
    const label = (this.type === 'rope' && ROPE[p.name]) || words(p.name), unit = p.unit && p.unit !== '1' ? p.unit : '';
    if (p.type === 'choice') return choiceField(label, p.description, p.choices, get, set);
    if (p.type === 'flag') return flagField(label, p.description, get, set);
    if (p.type === 'vector') return vectorField(label, unit, get, set);
    const open = typeof p.default === 'string';  // its default is infinite: there need not be one
    const field = open ? optionalField(label, unit, p.description, (j) => numberOf(get(j)), set, EMPTY[p.name]) : numberField(label, unit, get, set);
    field.element.title = p.description;
    field.element.classList.add('wide');
    if (p.name === 'motor_target') this.nameUnit(field, unit);
    return field;
  }
  /// “rad/s or rad” is that of the motor's kind: a velocity or, of a servo, a position.
  nameUnit(field, unit) {
    const [ofVelocity, ofServo] = unit.split(' or '), { update } = field, cell = field.element.querySelector('.unit');
    const units = { velocity: ofVelocity, servo: ofServo };
    field.update = (joint) => {
      update(joint);
      cell.textContent = units[joint.parameters.find((q) => q.name === 'motor')?.value] ?? unit;
    };
  }

  /// The joint as it is now, once per state: a scene that runs is read a few times a second.
  watch({ step, time, playing }) {
    if (this.selected < 0 || this.inspector.hidden || !this.inspector.isConnected) return;
    const now = `${step} ${time}`;
    if (now === this.watched || this.reading || (playing && performance.now() - (this.read ?? 0) < INTERVAL)) return;
    Object.assign(this, { watched: now, read: performance.now(), reading: true });
    this.send({ joint: this.selected }).catch(() => {}).finally(() => (this.reading = false));
  }
  showFigures({ coordinates, force, torque, error }) {
    const at = coordinates.map(({ axis, position }) => `${short(axis < 3 ? position : (position * 180) / Math.PI)}${axis < 3 ? ' m' : '°'}`);
    this.state.textContent = [...at, `${short(force)} N`, `${short(torque)} N m`, `off by ${short(error)} m`].join(' · ');
  }
}
