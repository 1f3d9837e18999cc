// Curves over time, one small chart per kind of quantity; a click goes to that instant.
import uPlot from 'uplot';
import { h, icon, compact, download, short } from './dom.js';
import { ResidualChart } from './residual_chart.js';
import { Series } from './series.js';
import { PALETTE, RUN_COLORS } from '../stage/colors.js';

const DASHES = [[], [6, 4], [2, 3]];
const HEIGHT = 112;  // px
const INTERVAL = 100;  // ms between two drawings of a running scene

export class Plots {
  constructor(app) {
    this.app = app;
    this.series = new Series();
    this.charts = [];
    this.grid = h('div.charts', {});
    this.residuals = new ResidualChart(app, { axis: () => this.axis(), colorOf: (run, runs) => (runs > 1 ? RUN_COLORS[run] : PALETTE[0]) });
    this.element = h('section.plots.glass', { 'aria-label': 'Plots', hidden: true },
      h('header', {}, h('b', {}, 'Plots'), h('span.hint', {}, 'click a curve to go to that instant'), h('span.space', {}),
        h('button.text', { title: 'All samples as a table', onclick: () => this.saveCsv() }, 'CSV'),
        h('button.text', { title: 'The charts as a picture', onclick: () => this.savePng() }, 'PNG'),
        h('button.round', { title: 'Close (p)', 'aria-label': 'Close the plots', onclick: () => this.toggle() }, icon('close'))), this.grid);
    app.model.on('scene', (scene) => scene.fresh && this.series.clear());
    app.model.on('frame', (frame) => this.take(frame));
    new ResizeObserver(() => this.layout()).observe(this.grid);
  }

  toggle() {
    this.element.hidden = !this.element.hidden;
    if (!this.element.hidden) this.build();
    this.app.stage.invalidate();
  }

  take(frame) {
    if (frame.samples) this.series.add(frame.samples);
    this.now = frame.time;
    if (this.element.hidden) return;
    if (this.built !== this.series.columns.length) return this.build();
    this.residuals.update(frame);
    if (performance.now() - (this.last ?? 0) < INTERVAL && frame.playing) return;
    this.draw();
  }

  draw() {
    this.last = performance.now();
    for (const { plot, columns } of this.charts) plot.setData([this.series.times, ...columns.map((c) => this.series.columns[c])]);
  }

  build() {
    for (const { plot } of this.charts) plot.destroy();
    this.built = this.series.columns.length;
    this.grid.replaceChildren();
    const names = [...new Set(this.app.model.hello.channels.map((c) => c.plot))];
    // A replay holds no times, and no solver runs in it.
    this.charts = names.filter((name) => !this.app.watching || name !== 'Time per stage').map((name) => this.buildChart(name));
    if (!this.app.watching) this.grid.append(this.residuals.element);
    this.residuals.restyle();
    if (this.app.model.frame) this.residuals.update(this.app.model.frame);
    this.layout();
  }

  /// One chart: the channels that share it, of every simulation.
  buildChart(name) {
    const { channels } = this.app.model.hello, n = channels.length, runs = Math.max(1, Math.round(this.built / n));
    const own = channels.map((c, i) => ({ ...c, i })).filter((c) => c.plot === name);
    const columns = [], series = [{ label: 's' }];
    for (let r = 0; r < runs; ++r)
      own.forEach((c, k) => {
        columns.push(r * n + c.i);
        series.push({ label: runs > 1 ? `${'ABCD'[r]} ${c.label}` : c.label, stroke: runs > 1 ? RUN_COLORS[r] : PALETTE[(k * 3) % PALETTE.length],
          width: 1.6, dash: runs > 1 ? DASHES[k % 3] : [], points: { show: false }, value: (_, v) => (v == null ? '–' : short(v, 4)) });
      });
    const box = h('div.chart', {}, h('h4', {}, name, own[0].unit ? h('small', {}, ` ${own[0].unit}`) : null));
    this.grid.append(box);
    return { columns, box, plot: new uPlot(this.options(series), [this.series.times, ...columns.map((c) => this.series.columns[c])], box) };
  }

  axis() {
    const style = getComputedStyle(document.body), ink = style.getPropertyValue('--ink-2').trim(), line = style.getPropertyValue('--line').trim();
    return { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, font: '11px "Inter Variable", sans-serif' };
  }

  options(series) {
    const axis = this.axis();
    return {
      width: 320, height: HEIGHT, series, padding: [8, 8, 0, 0],
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 46, values: (_, ticks) => ticks.map(compact) }],
      cursor: { sync: { key: 'rigor' }, points: { size: 5 }, drag: { x: false, y: false } },
      legend: { live: true },
      hooks: {
        draw: [(u) => this.drawNow(u)],
        ready: [(u) => u.over.addEventListener('click', () => this.seek(u))],
      },
    };
  }

  drawNow(u) {
    if (this.now === undefined) return;
    const x = u.valToPos(this.now, 'x', true);
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = '#d9782b';
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  seek(u) {
    const row = u.cursor.idx;
    if (row != null && this.series.steps.length) this.app.toolbar.timeline.seek(this.series.stepAt(row));
  }

  layout() {
    for (const { plot, box } of this.charts) if (box.clientWidth > 60) plot.setSize({ width: box.clientWidth, height: HEIGHT });
    this.residuals.layout();
  }

  saveCsv() {
    const { hello, frame } = this.app.model;
    download('rigor.csv', this.series.csv(hello.channels, frame.runs.length), 'text/csv');
  }
  savePng() {
    const plots = [...this.charts.map((c) => c.plot), this.residuals.plot].filter(Boolean);
    const canvases = plots.map((plot) => plot.ctx.canvas), width = Math.max(...canvases.map((c) => c.width));
    const all = h('canvas', { width, height: canvases.reduce((sum, c) => sum + c.height, 0) }), ctx = all.getContext('2d');
    ctx.fillStyle = getComputedStyle(document.body).getPropertyValue('--paper');
    ctx.fillRect(0, 0, all.width, all.height);
    let y = 0;
    for (const canvas of canvases) ctx.drawImage(canvas, 0, y), (y += canvas.height);
    all.toBlob((blob) => download('rigor-plots.png', blob));
  }
}
