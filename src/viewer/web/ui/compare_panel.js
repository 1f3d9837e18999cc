// Two to four simulations side by side: who runs under which method, and their figures in one table.
import { h, short } from './dom.js';
import { RUN_COLORS } from '../stage/colors.js';

export class ComparePanel {
  constructor(app) {
    this.app = app;
    this.name = 'Compare';
    this.title = 'Several methods side by side';
    this.runs = h('div.compare-runs', {});
    this.table = h('table.figures', {});
    const ghosts = h('input', { type: 'checkbox', onchange: () => { app.views.ghosts = ghosts.checked; app.redraw(); } });
    this.element = h('div.compare', {},
      h('p.hint', {}, 'The same scene under several methods, step by step. The mouse pulls in all of them.'), this.runs,
      h('div.row', {}, h('button.text', { title: 'One more simulation, from the present state', onclick: () => this.add() }, 'add'),
        h('label.check', { title: 'Shows the bodies of A inside the other views' }, ghosts, h('span', {}, 'ghosts of A'))),
      this.table);
    app.model.on('methods', () => this.build());
    app.model.on('frame', (frame) => this.update(frame));
  }

  methods() {
    return this.app.model.methods.map((_, i) => i);
  }
  send(methods) {
    this.app.connection.tell('compare', { methods });
  }
  add() {
    const { hello, methods } = this.app.model;
    const used = new Set(methods.map((m) => m.preset));
    const other = hello.presets.find((p) => !used.has(p.name)) ?? hello.presets[0];
    this.send([...this.methods(), other.name]);
  }

  build() {
    const { methods, hello } = this.app.model;
    this.runs.replaceChildren(...methods.map((method, i) => {
      const select = h('select', { title: method.label, 'aria-label': `Method of ${'ABCD'[i]}`, onchange: () => this.app.connection.tell('preset', { run: i, name: select.value }) },
        ...hello.presets.map((p) => h('option', { value: p.name, title: p.description, selected: p.name === method.preset }, p.name)));
      return h('div.compare-run', { style: `--run:${RUN_COLORS[i]}` }, h('i.swatch', { style: `background:${RUN_COLORS[i]}` }), h('b', {}, 'ABCD'[i]), select,
        methods.length > 1 ? h('button.text', { title: 'Remove', onclick: () => this.send(this.methods().filter((j) => j !== i)) }, '×') : null);
    }));
  }

  /// Largest distance of a body from its twin in A.
  divergence(frame, run) {
    const a = frame.runs[0], b = frame.runs[run];
    let largest = 0;
    for (let i = 0; i < Math.min(a.flags.length, b.flags.length); ++i) {
      if (!a.flags[i] || !b.flags[i]) continue;
      const k = 7 * i;
      largest = Math.max(largest, Math.hypot(a.poses[k] - b.poses[k], a.poses[k + 1] - b.poses[k + 1], a.poses[k + 2] - b.poses[k + 2]));
    }
    return largest;
  }

  update(frame) {
    if (!this.element.isConnected || (frame.playing && performance.now() - (this.last ?? 0) < 150)) return;
    this.last = performance.now();
    const { series } = this.app.plots, { channels } = this.app.model.hello, n = channels.length;
    if (series.columns.length !== n * frame.runs.length) return;
    const at = (run, key) => series.columns[run * n + channels.findIndex((c) => c.key === key)];
    const last = (list) => list[list.length - 1], runs = frame.runs.map((_, i) => i);
    const mean = (list) => list.slice(-60).reduce((a, b) => a + b, 0) / Math.max(1, Math.min(60, list.length));
    const rows = [
      ['time of a step', (r) => `${short(mean(at(r, 'step_ms')))} ms`],
      ['energy', (r) => `${short(last(at(r, 'total')), 4)} J`],
      ['energy change', (r) => `${short(last(at(r, 'total')) - at(r, 'total')[0])} J`],
      ['momentum', (r) => `${short(last(at(r, 'momentum')))} kg m/s`],
      ['deepest overlap', (r) => `${short(last(at(r, 'penetration')))} m`],
      ['joint error', (r) => `${short(last(at(r, 'joint_error')))} m`],
      ['residual', (r) => (last(at(r, 'residual')) === null ? '–' : `${short(last(at(r, 'residual')))} m/s`)],
      ['iterations', (r) => String(last(at(r, 'iterations')))],
      ['contacts', (r) => String(last(at(r, 'contacts')))],
      ['apart from A', (r) => (r === 0 ? '' : `${short(this.divergence(frame, r))} m`)],
      ['state hash', (r) => frame.status.hashes[r].slice(0, 8)],
    ];
    this.table.replaceChildren(h('tr', {}, h('th', {}), ...runs.map((r) => h('th', { style: `color:${RUN_COLORS[r]}` }, 'ABCD'[r]))),
      ...rows.map(([name, value]) => h('tr', {}, h('td', {}, name), ...runs.map((r) => h('td', {}, value(r))))));
  }
}
