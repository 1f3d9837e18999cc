// The past on a line: drag to go back, play to continue from there.
import { h } from './dom.js';

export class Timeline {
  constructor(app) {
    this.app = app;
    this.busy = false;
    this.wanted = null;
    this.input = h('input', { type: 'range', min: 0, max: 1, value: 0, step: 1, 'aria-label': 'Time line',
      title: 'Drag to go back in time; play continues from there', oninput: () => this.seek(Number(this.input.value)) });
    this.element = h('div.timeline', {}, this.input);
  }

  /// One request at a time; the newest wish wins.
  async seek(step) {
    this.wanted = step;
    if (this.busy) return;
    this.busy = true;
    while (this.wanted !== null) {
      const target = this.wanted;
      this.wanted = null;
      await this.app.connection.ask('seek', { step: target }).catch(() => {});
    }
    this.busy = false;
  }

  update(step, history) {
    this.input.min = history.first;
    this.input.max = Math.max(history.last, history.first + 1);
    if (!this.busy) this.input.value = step;
    const share = (step - history.first) / Math.max(1, this.input.max - history.first);
    this.input.style.setProperty('--share', `${100 * Math.min(1, Math.max(0, share))}%`);
  }
}
