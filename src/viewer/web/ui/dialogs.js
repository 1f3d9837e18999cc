// Dialogs over the scene: built-in scenes, and the list of keys.
import { h, icon } from './dom.js';
import { KEYS } from '../actions.js';

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
    const file = h('input', { type: 'file', accept: '.json,application/json', hidden: true, onchange: () => file.files[0] && app.loadFile(file.files[0]) });
    super('Scenes', h('div', {}, list, h('p.hint', {}, 'Or drop a scene file anywhere on this page, or ', h('button.link', { onclick: () => file.click() }, 'choose one'), '.', file)));
    app.model.on('hello', (hello) => list.replaceChildren(...hello.scenes.map((scene) =>
      h('button.card', { onclick: () => { app.connection.tell('open', { scene: scene.name }); this.close(); } },
        h('b', {}, scene.name), h('p', {}, scene.description), h('small', {}, `${scene.bodies - 1} bodies`)))));
  }
}

const NAMES = { ' ': 'space', Delete: 'del', Escape: 'esc' };
const MOUSE = [['drag a body', 'pull it with a damped spring; while paused, move it'], ['click a body', 'select it'],
  ['drag elsewhere', 'turn the view'], ['right drag', 'move the view'], ['wheel', 'nearer or farther']];

export class Help extends Dialog {
  constructor() {
    const row = (key, meaning) => h('div.key', {}, h('kbd', {}, key), h('span', {}, meaning));
    super('Mouse and keys', h('div', {},
      h('div.keys.mouse', {}, ...MOUSE.map(([key, meaning]) => row(key, meaning))),
      h('div.keys', {}, ...KEYS.map(([key, , meaning]) => row(NAMES[key] ?? key.toUpperCase(), meaning)))));
  }
}
