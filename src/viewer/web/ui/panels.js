// The column on the right: one tab at a time.
import { h, icon } from './dom.js';

export class Panels {
  constructor(app, tabs) {
    this.tabs = tabs;
    this.buttons = tabs.map((tab) => h('button.tab', { title: tab.title, role: 'tab', onclick: () => this.toggle(tab) }, tab.name));
    this.body = h('div.panel-body', {});
    this.element = h('aside.panels.glass', { 'aria-label': 'Panels' },
      h('nav.tabs', { role: 'tablist' }, ...this.buttons, h('button.fold', { title: 'Fold the panel', 'aria-label': 'Fold the panel', onclick: () => this.fold() }, icon('close'))),
      this.body);
    this.tabBar = this.element.firstElementChild;
    this.show(tabs[0]);
  }
  show(tab) {
    this.current = tab;
    this.element.classList.remove('folded');
    this.tabs.forEach((t, i) => this.buttons[i].setAttribute('aria-selected', String(t === tab)));
    this.body.replaceChildren(tab.element);
    tab.shown?.();
    this.changed?.();
  }
  toggle(tab) {
    if (this.current === tab && !this.folded) this.fold();
    else this.show(tab);
  }
  fold() {
    this.element.classList.add('folded');
    for (const button of this.buttons) button.setAttribute('aria-selected', 'false');
    this.changed?.();
  }
  get folded() {
    return this.element.classList.contains('folded');
  }
  named(name) {
    return this.tabs.find((t) => t.name === name);
  }
}
