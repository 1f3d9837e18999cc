// Sentences beside the scene that go away by themselves.
import { h } from './dom.js';

export class Toasts {
  constructor() {
    this.element = h('div.toasts', { role: 'status', 'aria-live': 'polite' });
  }
  /// `button`: { text, action }, for what one can do about it. With infinitely many seconds it stays until the caller removes it.
  show(text, kind = 'note', seconds = 7, button = null) {
    const last = this.element.lastElementChild;
    if (last?.textContent === text) return last;
    const toast = h(`div.toast.glass.${kind}`, { onclick: () => toast.remove() }, text, button && ' ', button && h('button.link', { onclick: button.action }, button.text));
    this.element.append(toast);
    while (this.element.children.length > 4) this.element.firstElementChild.remove();
    if (seconds < Infinity) setTimeout(() => toast.remove(), seconds * 1000);
    return toast;
  }
  /// What was reported belongs to the scene before.
  clear() {
    this.element.replaceChildren();
  }
}
