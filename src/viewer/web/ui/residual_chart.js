// How far solving the rows of the present state gets with every iteration: one curve per simulation, logarithmic.
import uPlot from 'uplot';
import { h, short } from './dom.js';

const INTERVAL = 1000;  // ms between two questions at least, and ten times what the last answer took
const HEIGHT = 112;

export class ResidualChart {
  constructor(app, { axis, colorOf }) {
    Object.assign(this, { app, axis, colorOf, asked: -1, next: 0 });
    this.note = h('p.hint', {});
    this.canvas = h('div', {});
    this.element = h('div.chart', {}, h('h4', { title: 'Largest velocity by which a constraint row misses what it wants, if the rows of this state are solved with 1, 2, … iterations' },
      'Residual over iterations', h('small', {}, ' m/s')), this.canvas, this.note);
  }

  /// Asks again when the state is another one, and not too often.
  update(frame) {
    const key = `${frame.status.hashes.join(' ')} ${this.app.model.methods.map((m) => m.label).join(' ')}`;
    if (this.asked === key || this.waiting || performance.now() < this.next) return;
    this.asked = key;
    this.ask();
  }
  async ask() {
    const began = performance.now();
    this.waiting = true;
    const answer = await this.app.connection.ask('residuals').catch(() => null);
    this.waiting = false;
    this.next = performance.now() + Math.max(INTERVAL, 10 * (performance.now() - began));
    if (answer) this.draw(answer.runs);
  }

  draw(runs) {
    this.runs = runs;
    this.plot?.destroy();
    this.plot = null;
    const curves = runs.map((run, i) => ({ run, i })).filter(({ run }) => run.residuals);
    const label = (i) => (runs.length > 1 ? 'ABCD'[i] : 'residual');
    this.note.textContent = runs.flatMap(({ why }, i) => (why ? [`${runs.length > 1 ? `${'ABCD'[i]}: ` : ''}${why}`] : [])).join(' ');
    if (curves.length === 0) return;
    const longest = Math.max(...curves.map(({ run }) => run.residuals.length));
    const series = [{ label: 'iterations' }, ...curves.map(({ i }) => ({ label: label(i), stroke: this.colorOf(i, runs.length), width: 1.6,
      points: { show: longest < 3, size: 6 }, value: (_, v) => (v == null ? '–' : short(v, 4)) }))];
    const axis = this.axis();
    this.plot = new uPlot({ width: this.width(), height: HEIGHT, padding: [8, 8, 0, 0], series, scales: { x: { time: false }, y: { distr: 3 } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 52, values: (_, ticks) => ticks.map((t) => (t == null ? '' : t.toExponential(0))) }],
      cursor: { drag: { x: false, y: false } }, legend: { live: true } },
      [Array.from({ length: longest }, (_, k) => k + 1), ...curves.map(({ run }) => Array.from({ length: longest }, (_, k) => run.residuals[k] || null))], this.canvas);
  }
  width() {
    return Math.max(120, this.element.clientWidth || 240);
  }
  layout() {
    this.plot?.setSize({ width: this.width(), height: HEIGHT });
  }
  restyle() {
    if (this.runs) this.draw(this.runs);
  }
}
