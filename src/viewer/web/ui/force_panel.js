// Forces: the list with a switch for each, all about the selected one, and new ones.
import { h } from './dom.js';
import { choiceField, flagField, numberField, vectorField } from './fields.js';

const words = (name) => name.replaceAll('_', ' ').replaceAll('-', ' ');
const PAIR = 'spring';  // acts between two bodies

export class ForcePanel {
  constructor(app) {
    this.app = app;
    this.selected = null;
    this.inspector = h('div.inspector.joint', { hidden: true });
    this.list = h('div.checks', {});
    this.kind = h('select', { 'aria-label': 'Kind of force' });
    this.addButton = h('button.text', { onclick: () => this.add() }, 'add');
    this.element = h('section', {}, h('h3', {}, 'Forces'), this.inspector, this.list, h('div.row.add', {}, this.kind, this.addButton));
    app.model.on('hello', () => this.buildKinds());
    app.model.on('scene', (scene) => this.setScene(scene));
    app.model.on('select', () => this.tellAdd());
  }

  /// The registered forces but gravity, which every world has.
  buildKinds() {
    this.types = new Map(this.app.model.hello.methods.filter((m) => m.kind === 'force').map((m) => [m.name, m]));
    const offered = [...this.types.values()].filter((m) => m.name !== 'gravity');
    this.kind.replaceChildren(...offered.map((m) => h('option', { value: m.name, title: m.description }, words(m.name))));
    this.kind.onchange = () => this.tellAdd();
    this.tellAdd();
  }
  tellAdd() {
    const { selected, bodies } = this.app.model, name = bodies.get(selected)?.name;
    this.addButton.disabled = this.kind.value === PAIR && !name;
    this.addButton.title = this.addButton.disabled ? 'Select a body first: a spring hangs it up where it is' : name ? `A force on ${name}` : 'A force on all bodies';
  }

  setScene(scene) {
    if (scene.fresh) this.selected = null;
    const { forces } = this.app.model;
    this.list.replaceChildren(...forces.map((force) => this.item(force)));
    this.show(forces.find((f) => f.name === this.selected));
  }
  item(force) {
    const input = h('input', { type: 'checkbox', checked: force.active, title: force.active ? 'Switch it off' : 'Switch it on', 'aria-label': `${force.name} acts`,
      onchange: () => this.app.connection.tell('force', { force: force.name, active: input.checked }) });
    return h('div.check', {}, input,
      h('button.item', { 'aria-selected': String(force.name === this.selected), onclick: () => this.select(force.name === this.selected ? null : force.name) },
        h('span', {}, force.name), h('small', {}, force.active ? force.type : 'off')));
  }
  select(name) {
    this.selected = name;
    this.setScene({});
  }

  show(force) {
    this.inspector.hidden = !force;
    if (!force) return;
    const type = this.types.get(force.type), set = (key) => (value) => this.replace(force, { [key]: value });
    const fields = (type?.parameters ?? []).filter((p) => force.parameters[p.name] !== undefined).map((p) => {
      const label = words(p.name), unit = p.unit && p.unit !== '1' ? p.unit : '', get = (f) => f.parameters[p.name];
      if (p.type === 'choice') return choiceField(label, p.description, p.choices, get, set(p.name));
      if (p.type === 'flag') return flagField(label, p.description, get, set(p.name));
      const field = p.type === 'vector' ? vectorField(label, unit, get, set(p.name)) : numberField(label, unit, get, set(p.name));
      field.element.title = p.description;
      if (p.type !== 'vector') field.element.classList.add('wide');
      return field;
    });
    for (const field of fields) field.update(force);
    this.inspector.replaceChildren(h('header', {}, h('b', {}, force.name), h('small', {}, `${force.type} · ${this.affected(force)}`)),
      h('p.hint', {}, type?.description ?? ''), ...fields.map((f) => f.element),
      h('div.row', {}, h('button.text.danger', { title: 'Take this force out of the world', onclick: () => this.app.connection.tell('force', { force: force.name, remove: true }) }, 'delete')));
  }
  nameOf(index) {
    return this.app.model.bodies.get(index)?.name ?? 'world';
  }
  affected(force) {
    const names = (force.bodies ?? force.except).map((i) => this.nameOf(i));
    return force.bodies ? names.join(', ') : names.length ? `all but ${names.join(', ')}` : 'all bodies';
  }

  /// The same force with other parameters: a new one under its name.
  replace(force, change) {
    const on = force.type === PAIR ? { a: this.nameOf(force.bodies[0]), b: this.nameOf(force.bodies[1]) }
      : force.bodies ? { bodies: force.bodies.map((i) => this.nameOf(i)) } : force.except.length ? { except: force.except.map((i) => this.nameOf(i)) } : {};
    this.app.connection.tell('add-force', { definition: { type: force.type, name: force.name, active: force.active, ...on, ...force.parameters, ...change } });
  }
  add() {
    const { model, connection, stage } = this.app, type = this.kind.value, body = model.bodies.get(model.selected)?.name;
    const taken = new Set(model.forces.map((f) => f.name));
    let number = 1;
    while (taken.has(`${type} ${number}`)) ++number;
    const name = `${type} ${number}`, definition = { type, name };
    if (type === PAIR) {
      const at = stage.views[0].bodies.position(model.selected), above = at.clone().addScaledVector(stage.up, stage.radius * 0.3);
      Object.assign(definition, { a: 'world', b: body, point_a: above.toArray(), rest_length: stage.radius * 0.15, stiffness: 50, damping: 1 });
    } else if (body) definition.bodies = [body];
    connection.ask('add-force', { definition }).then(() => this.select(name), () => {});
  }
}
