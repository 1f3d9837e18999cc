// Dialogs over the scene: built-in scenes, and the list of keys.
import { h, icon } from './dom.js';
import { keys } from '../actions.js';
import { COLUMNS, GROUPS, groupOf, SCENES, titleOf } from './catalogue.js';
import picture from './scenes.webp';

/// What a machine is built on. Its description is not that of the machine, so it is no part of the scene.
const EMPTY = { rigor: 1, name: 'my-machine', world: {}, method: 'soft-step' };
export const EMPTY_HINT = 'An empty floor. Add bodies in the panel “Bodies”, connect them by joints, press play, and save the scene with “s”.';

class Dialog {
  constructor(title, content) {
    this.element = h('div.dialog.glass', { role: 'dialog', 'aria-label': title, hidden: true },
      h('header', {}, h('h2', {}, title), h('button.round', { title: 'Close (Escape)', 'aria-label': 'Close', onclick: () => this.close() }, icon('close'))), content);
  }
  toggle() {
    this.element.hidden = !this.element.hidden;
    if (!this.element.hidden) this.opened?.();
  }
  close() {
    this.element.hidden = true;
  }
}

export class Scenes extends Dialog {
  constructor(app) {
    const list = h('div.cards', {});
    const search = h('input.scene-search', { type: 'search', placeholder: 'Search scenes', 'aria-label': 'Search scenes', oninput: () => this.filter() });
    const file = h('input', { type: 'file', accept: '.json,application/json', hidden: true, onchange: () => file.files[0] && app.loadFile(file.files[0]) });
    const empty = h('button.text', { title: 'A floor without bodies, to build a machine of your own on', onclick: () => this.startEmpty() }, 'New empty scene');
    super('Scenes', h('div', {}, h('div.row.find', {}, search, empty), list, h('p.hint', {}, 'Or drop a scene file anywhere on this page, or ', h('button.link', { onclick: () => file.click() }, 'choose one'), '.', file)));
    Object.assign(this, { app, list, search });
    app.model.on('hello', (hello) => this.build(hello.scenes));
  }
  startEmpty() {
    this.app.openScene('load', { name: EMPTY.name, text: JSON.stringify(EMPTY) });
    this.app.panels.show(this.app.bodyPanel);
    this.close();
  }
  opened() {
    this.search.value = '';
    this.filter();
    this.search.focus();
  }
  build(scenes) {
    const order = Object.keys(SCENES), rank = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
    const ordered = [...scenes].sort((a, b) => rank(a) - rank(b));
    this.groups = GROUPS.map((group) => ({ heading: h('h3', {}, group), cards: ordered.filter((s) => groupOf(s.name) === group).map((s) => this.card(s)) }));
    this.list.replaceChildren(...this.groups.flatMap(({ heading, cards }) => [heading, ...cards.map((c) => c.element)]));
  }
  card({ name, description, bodies }) {
    const element = h('button.card', { onclick: () => { this.app.openScene('open', { scene: name }); this.close(); } },
      thumbnail(name), h('b', {}, titleOf(name)), h('p', { title: description }, description), h('small', {}, `${name} · ${bodies} ${bodies === 1 ? 'body' : 'bodies'}`));
    return { element, text: `${name} ${titleOf(name)} ${groupOf(name)} ${description}`.toLowerCase() };
  }
  /// Cards that hold every word of the search.
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    for (const { heading, cards } of this.groups ?? []) {
      for (const { element, text } of cards) element.hidden = !words.every((word) => text.includes(word));
      heading.hidden = cards.every(({ element }) => element.hidden);
    }
  }
}

/// A part of one picture with all scenes in it, in the order of the catalogue.
function thumbnail(name) {
  const names = Object.keys(SCENES), at = names.indexOf(name);
  if (at < 0) return null;
  const rows = Math.ceil(names.length / COLUMNS), x = at % COLUMNS, y = Math.floor(at / COLUMNS);
  return h('div.thumbnail', { style: `background-image:url(${picture}); background-size:${COLUMNS * 100}% ${rows * 100}%; background-position:${(100 * x) / (COLUMNS - 1)}% ${(100 * y) / (rows - 1)}%` });
}

const NAMES = { ' ': 'space', Delete: 'del', Escape: 'esc' };
const MOUSE = [['drag a body', 'pull it with a damped spring; while paused, move it'], ['click a body', 'select it'],
  ['drag elsewhere', 'turn the view'], ['right drag', 'move the view'], ['wheel', 'nearer or farther']];

export class Help extends Dialog {
  constructor() {
    const row = (key, meaning) => h('div.key', {}, h('kbd', {}, key), h('span', {}, meaning));
    const mouse = window.rigorReplay ? MOUSE.slice(1) : MOUSE;  // the bodies of a replay cannot be pulled
    super('Mouse and keys', h('div', {},
      h('div.keys.mouse', {}, ...mouse.map(([key, meaning]) => row(key, meaning))),
      h('div.keys', {}, ...keys().map(([key, , meaning]) => row(NAMES[key] ?? key.toUpperCase(), meaning)))));
  }
}
