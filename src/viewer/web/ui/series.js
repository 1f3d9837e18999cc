// Samples of the steps so far, in columns; older ones are thinned out.
const MOST_ROWS = 12000;

export class Series {
  constructor() {
    this.clear();
  }
  clear() {
    this.steps = [];
    this.times = [];
    this.columns = [];  // run * channels + channel
    this.version = 0;
  }

  add({ count, width, data }) {
    const columns = width - 2;
    if (this.columns.length !== columns) {
      this.clear();
      this.columns = Array.from({ length: columns }, () => []);
    }
    for (let i = 0; i < count; ++i) {
      const k = i * width, step = data[k];
      this.forgetFrom(step);
      this.steps.push(step);
      this.times.push(data[k + 1]);
      for (let c = 0; c < columns; ++c) this.columns[c].push(Number.isFinite(data[k + 2 + c]) ? data[k + 2 + c] : null);
    }
    if (this.steps.length > MOST_ROWS) this.thin();
    ++this.version;
  }

  /// A repeated step replaces the old value: the user went back in time.
  forgetFrom(step) {
    let n = this.steps.length;
    while (n > 0 && this.steps[n - 1] >= step) --n;
    if (n < this.steps.length) for (const list of [this.steps, this.times, ...this.columns]) list.length = n;
  }

  thin() {
    const half = this.steps.length >> 1;
    const keep = (list) => list.filter((_, i) => i >= half || i % 2 === 0);
    this.steps = keep(this.steps);
    this.times = keep(this.times);
    this.columns = this.columns.map(keep);
  }

  stepAt(row) {
    return this.steps[row];
  }

  csv(channels, runs) {
    const names = ['step', 'time_s'];
    for (let r = 0; r < runs; ++r) for (const c of channels) names.push(`${runs > 1 ? `${'ABCD'[r]}_` : ''}${c.key}${c.unit ? ` [${c.unit}]` : ''}`);
    const lines = [names.join(',')];
    for (let i = 0; i < this.steps.length; ++i) lines.push([this.steps[i], this.times[i], ...this.columns.map((c) => c[i])].join(','));
    return `${lines.join('\n')}\n`;
  }
}
