// A recording that plays without the program: one HTML file with this page, the scene and the frames in it.
import { decodeFrame } from './frame.js';
import { download } from './ui/dom.js';

const MOST_BYTES = 64e6;

/// Keeps what arrives while it is switched on.
export class ReplayRecorder {
  constructor(connection, model, toasts) {
    Object.assign(this, { connection, model, toasts, frames: null });
    this.scenes = [];  // since the last fresh one; later ones only add to it
    connection.on('scene', (message) => (this.scenes = message.fresh ? [message] : [...this.scenes, message]));
    connection.on('raw', (buffer) => this.frames && this.keep(buffer));
  }
  get running() {
    return this.frames !== null;
  }
  toggle() {
    if (this.frames) return this.finish();
    this.frames = [];
    this.bytes = 0;
    this.changed?.();
    this.toasts.show('Recording a replay. The same button ends it.');
  }
  keep(buffer) {
    this.frames.push(buffer.slice(0));
    this.bytes += buffer.byteLength;
    if (this.bytes > MOST_BYTES) this.finish();
  }

  async finish() {
    const frames = this.frames;
    this.frames = null;
    this.changed?.();
    const [js, css] = await Promise.all(['/app.js', '/app.css'].map((path) => fetch(path).then((r) => r.text())));
    const { hello, state, methods, scene } = this.model;
    const data = { hello, state, methods: { type: 'methods', runs: methods }, scenes: this.scenes, frames: await Promise.all(frames.map(base64)) };
    const safe = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
    download(`${scene.name || 'rigor'}.html`, new Blob([
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>Rigor replay</title><style>', css,
      '</style><body><canvas id="stage" tabindex="0"></canvas><div id="ui"></div><script>window.rigorReplay=', safe(JSON.stringify(data)),
      '</script><script type="module">', safe(js), '</script></body></html>'], { type: 'text/html' }));
  }
}

function base64(buffer) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.readAsDataURL(new Blob([buffer]));
  });
}

/// The samples of all frames as those of one; null where there are none.
function allSamples(frames) {
  const list = frames.map((f) => f.samples).filter(Boolean), width = list[0]?.width;
  if (!width) return null;
  const rows = list.filter((s) => s.width === width), data = new Float64Array(rows.reduce((sum, s) => sum + s.data.length, 0));
  let at = 0;
  for (const s of rows) data.set(s.data, at), (at += s.data.length);
  return { count: at / width, width, data };
}

/// Stands in for the connection inside a recording.
export class ReplayConnection extends EventTarget {
  constructor(data) {
    super();
    this.frames = data.frames.map((text) => decodeFrame(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer));
    this.samples = allSamples(this.frames);
    this.at = 0;
    this.speed = data.state.speed ?? 1;
    this.playing = false;
    this.data = data;
    setTimeout(() => this.begin());
  }

  begin() {
    const { hello, state, methods, scenes } = this.data;
    this.say('open');
    this.say('hello', hello);
    for (const scene of scenes) this.say('scene', scene);
    this.say('methods', methods);
    this.state = { ...state, playing: false, recording: null, history: { first: this.frames[0]?.step ?? 0, last: this.frames.at(-1)?.step ?? 0, count: this.frames.length } };
    this.tellState();
    this.show(0);
  }
  tellState() {
    this.say('state', { ...this.state, playing: this.playing, speed: this.speed });
  }
  show(index) {
    this.at = Math.max(0, Math.min(this.frames.length - 1, index));
    const frame = this.frames[this.at];
    // The plots get everything with the first picture: a slow machine leaves pictures out, and time may go back.
    if (frame) this.say('frame', { ...frame, playing: this.playing, samples: this.samples });
    this.samples = null;
  }

  play(on) {
    this.playing = on;
    if (on && this.at >= this.frames.length - 1) this.at = 0;
    this.started = { now: performance.now(), time: this.frames[this.at]?.time ?? 0 };
    this.tellState();
    if (on) this.tick();
    else this.show(this.at);
  }
  tick() {
    if (!this.playing) return;
    const time = this.started.time + ((performance.now() - this.started.now) / 1000) * this.speed;
    let next = this.at;
    while (next + 1 < this.frames.length && this.frames[next + 1].time <= time) ++next;
    if (next !== this.at) this.show(next);
    if (this.at >= this.frames.length - 1) return this.play(false);
    requestAnimationFrame(() => this.tick());
  }

  ask(command, args = {}) {
    if (command === 'play') this.play(true);
    else if (command === 'pause') this.play(false);
    else if (command === 'reset') this.play(false), this.show(0);
    else if (command === 'step') this.play(false), this.show(this.at + (args.count ?? 1));
    else if (command === 'seek') this.play(false), this.show(this.frames.findLastIndex((f) => f.step <= args.step));
    else if (command === 'speed') (this.speed = args.value), this.play(this.playing);
    else if (command !== 'view') return Promise.reject(new Error('a replay cannot be changed'));  // no control asks for it
    return Promise.resolve();
  }
  tell(command, args) {
    this.ask(command, args).catch(() => {});
  }
  wantFrame() {}
  say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }
}
