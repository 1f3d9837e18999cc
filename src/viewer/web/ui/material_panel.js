// Materials of the scene: the list, the numbers of the selected one, and new ones.
import { h, short } from './dom.js';
import { numberField } from './fields.js';

const NUMBERS = [['density', 'kg/m³', 'Mass per volume'], ['friction', '', 'Coulomb’s coefficient of surfaces that slide'],
  ['restitution', '', 'Part of the speed that is left after an impact; of two materials the smaller one counts'],
  ['rolling_friction', 'm', 'Lever arm of the normal force against rolling']];

export class MaterialPanel {
  constructor(app) {
    this.app = app;
    this.selected = null;
    this.inspector = h('div.inspector.joint', { hidden: true });
    this.list = h('div.checks', {});
    this.name = h('input.new-name', { type: 'text', placeholder: 'name, such as ice', 'aria-label': 'Name of the new material', maxLength: 200, spellcheck: false,
      onkeydown: (event) => event.key === 'Enter' && this.add() });
    this.element = h('section', {}, h('h3', {}, 'Materials'), this.inspector, this.list,
      h('div.row.add', {}, this.name, h('button.text', { title: 'A new material; select a body to give it to', onclick: () => this.add() }, 'add')));
    app.model.on('scene', (scene) => this.setScene(scene));
  }

  setScene(scene) {
    if (scene.fresh) this.selected = null;
    const { materials } = this.app.model;
    this.list.replaceChildren(...materials.map((material) => this.item(material)));
    if (materials.length === 0) this.list.append(h('p.hint', {}, 'none; bodies have the default material or numbers of their own'));
    this.show(materials.find((m) => m.name === this.selected));
  }
  item(material) {
    return h('button.item', { 'aria-selected': String(material.name === this.selected), onclick: () => this.select(material.name === this.selected ? null : material.name) },
      h('span', {}, material.name), h('small', {}, `${short(material.density)} kg/m³ · friction ${short(material.friction)}`));
  }
  select(name) {
    this.selected = name;
    this.setScene({});
  }

  show(material) {
    this.inspector.hidden = !material;
    if (!material) return;
    const fields = NUMBERS.map(([key, unit, title]) => {
      const field = numberField(key.replaceAll('_', ' '), unit, (m) => m[key], (value) => this.send('material', { name: material.name, numbers: { [key]: value } }));
      Object.assign(field.element, { title });
      return field;
    });
    for (const field of fields) field.update(material);
    this.inspector.replaceChildren(h('header', {}, h('b', {}, material.name), h('small', {}, 'material')),
      h('p.hint', {}, 'A change goes to every body that is made of it.'), ...fields.map((f) => f.element),
      h('div.row', {}, h('button.text.danger', { title: 'Take it out of the scene; no body may be made of it', onclick: () => this.send('remove-material', { name: material.name }) }, 'delete')));
  }

  /// The program shows the reason of a refusal; the fields show what holds.
  send(command, message) {
    this.app.connection.ask(command, message).catch(() => this.setScene({}));
  }
  add() {
    const name = this.name.value.trim();
    if (!name) return this.name.focus();
    if (this.app.model.materials.some((m) => m.name === name)) return this.select(name);
    this.app.connection.ask('material', { name, numbers: {} }).then(() => {
      this.name.value = '';
      this.select(name);
    }, () => {});
  }
}
