// Two to four simulations side by side: who runs under which method, and their figures in one table.
import { h, short } from './dom.js';
import { RUN_COLORS } from '../stage/colors.js';
import { methodTitle } from './catalogue.js';

const MOST = 4;  // simulations, as the program has it
const ROUNDING = 1e-11;  // figures below it are rounding errors, whatever their unit

export class ComparePanel {
  constructor(app) {
    this.app = app;
    this.name = 'Compare';
    this.title = 'Several methods side by side';
    this.runs = h('div.compare-runs', {});
    this.table = h('table.figures', {});
    this.addButton = h('button.text', { onclick: () => this.add() }, 'Add a method');
    const ghosts = h('input', { type: 'checkbox', onchange: () => { app.views.ghosts = ghosts.checked; app.redraw(); } });
    this.element = h('div.compare', {},
      h('p.hint', {}, 'The same scene under up to four methods, step by step. The mouse pulls in all of them.'), this.runs,
      h('div.row', {}, this.addButton,
        h('label.check', { title: 'Shows the bodies of A inside the other views' }, ghosts, h('span', {}, 'ghosts of A'))),
      this.table);
    app.model.on('methods', () => this.build());
    app.model.on('frame', (frame) => this.update(frame));
  }

  /// Frames come only while something changes: the table of a simulation that stands still is built from the last one.
  shown() {
    if (this.app.model.frame) this.update(this.app.model.frame);
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
    this.addButton.disabled = methods.length >= MOST;
    this.addButton.title = methods.length >= MOST ? 'Four methods at most' : 'One more simulation, from the present state';
    this.runs.replaceChildren(...methods.map((method, i) => {
      const select = h('select', { title: method.label, 'aria-label': `Method of ${'ABCD'[i]}`, onchange: () => this.app.connection.tell('preset', { run: i, name: select.value }) },
        ...hello.presets.map((p) => h('option', { value: p.name, title: p.description, selected: p.name === method.preset }, `${methodTitle(p.name)} (${p.name})`)));
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
    const number = (value) => (!Number.isFinite(value) ? '–' : value !== 0 && Math.abs(value) < ROUNDING ? '≈ 0' : short(value, 2));
    const rows = [
      ['time of a step', 'ms', (r) => number(mean(at(r, 'step_ms'))), 'Mean of the last sixty steps'],
      ['energy', 'J', (r) => number(last(at(r, 'total'))), 'Kinetic and potential'],
      ['energy change', 'J', (r) => number(last(at(r, 'total')) - at(r, 'total')[0]), 'Since the comparison began. Impacts and friction take energy away; more than at the start is an error of the method'],
      ['momentum', 'kg m/s', (r) => number(last(at(r, 'momentum'))), 'Of all bodies together'],
      ['deepest overlap', 'm', (r) => number(last(at(r, 'penetration'))), 'How far two bodies are in each other'],
      ['joint error', 'm', (r) => number(last(at(r, 'joint_error'))), 'How far joints have come apart'],
      ['residual', 'm/s', (r) => number(last(at(r, 'residual')) ?? NaN), 'By how much the solver missed its equations; – where it does not report one'],
      ['contact law', 'm/s', (r) => number(last(at(r, 'natural_map')) ?? NaN), 'Distance of the worst contact from a solution of Signorini’s and Coulomb’s laws; – where nothing touches, and in worlds of more than 400 bodies'],
      ['unexplained momentum', 'N s', (r) => number(last(at(r, 'unexplained')) ?? NaN), 'Change of a body’s momentum that forces and the reported impulses do not explain'],
      ['iterations', '', (r) => String(last(at(r, 'iterations'))), 'Of the last step'],
      ['contacts', '', (r) => String(last(at(r, 'contacts'))), 'Points at which bodies touch'],
      ['awake', '', (r) => String(last(at(r, 'awake'))), 'Bodies at rest fall asleep: they are grey and cost nothing until something touches them'],
      ['distance from A', 'm', (r) => (r === 0 ? '' : number(this.divergence(frame, r))), 'Of the body that is farthest from its twin in A'],
    ];
    this.table.replaceChildren(
      h('tr', {}, h('th', {}), h('th.unit', {}, 'unit'), ...runs.map((r) => h('th', { style: `color:${RUN_COLORS[r]}`, title: this.app.model.methods[r]?.label }, 'ABCD'[r]))),
      ...rows.map(([name, unit, value, title]) => h('tr', { title }, h('td', {}, name), h('td.unit', {}, unit), ...runs.map((r) => h('td', {}, value(r))))));
  }
}
