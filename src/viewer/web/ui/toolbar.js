// Play, step, reset, speed: the bar at the bottom, and the time line in it.
import { h, icon, short } from './dom.js';
import { Timeline } from './timeline.js';

const MOST_STEPS = 100000;  // that one click may ask for
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Toolbar {
  constructor(app) {
    this.app = app;
    const { actions } = app;
    const button = (name, title, action, extra = '') => h(`button.round${extra}`, { title, 'aria-label': title, onclick: action }, icon(name));
    this.playButton = button('play', 'Play (space)', () => actions.play(), '.primary');
    this.playButton.id = 'play';
    this.count = h('input.count', { type: 'number', min: 1, max: MOST_STEPS, value: 10, title: 'How many steps the button beside it makes', 'aria-label': 'Number of steps',
      onchange: () => this.setCount() });
    app.stepCount = 10;
    this.speed = h('select.speed', { title: 'Speed: simulated seconds per second', 'aria-label': 'Speed', onchange: () => this.setSpeed() },
      ...SPEEDS.map((s) => h('option', { value: s }, `${s}×`)), h('option', { value: 'max' }, 'max'));
    this.clock = h('div.clock', {}, '0.00 s');
    this.detail = h('div.detail', {}, '');
    this.timeline = new Timeline(app);
    this.element = h('div.toolbar.glass', { role: 'toolbar', 'aria-label': 'Time' },
      h('div.group', {},
        button('reset', 'Back to the beginning (r)', () => actions.reset()),
        button('back', 'One step back (,)', () => actions.back()),
        this.playButton,
        button('step', 'One step (.)', () => actions.step()),
        h('span.many', {}, this.count, h('button.text', { title: 'Make so many steps (n)', onclick: () => actions.many() }, 'steps'))),
      this.timeline.element,
      h('div.readout', {}, this.clock, this.detail),
      this.speed);
    app.model.on('state', () => this.update());
    app.model.on('frame', () => this.update());
  }

  setCount() {
    const { app, count } = this, wanted = count.valueAsNumber;
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= MOST_STEPS) app.stepCount = wanted;
    else app.toasts.show(`Expected a whole number of steps from 1 to ${MOST_STEPS}.`, 'bad');
    count.value = app.stepCount;
  }

  setSpeed() {
    const { actions } = this.app;
    if (this.speed.value === 'max') actions.unlimited();
    else actions.speed(Number(this.speed.value));
  }

  update() {
    const { state, frame } = this.app.model;
    if (!state) return;
    const playing = frame?.playing ?? state.playing;
    if (this.playing !== playing) {
      this.playing = playing;
      this.playButton.replaceChildren(icon(playing ? 'pause' : 'play'));
      this.playButton.title = playing ? 'Pause (space)' : 'Play (space)';
      this.playButton.setAttribute('aria-label', this.playButton.title);
      this.playButton.classList.toggle('on', playing);
    }
    const wanted = state.unlimited ? 'max' : String(SPEEDS.reduce((a, b) => (Math.abs(b - state.speed) < Math.abs(a - state.speed) ? b : a)));
    if (document.activeElement !== this.speed) this.speed.value = wanted;
    const time = frame?.time ?? state.time, step = frame?.step ?? state.step;
    this.clock.textContent = `${time.toFixed(time < 100 ? 2 : 1)} s`;
    const factor = frame?.status.real_time_factor, pull = frame?.status.pulls?.[0];
    // While nothing runs there is no force: the body goes where the mouse is.
    const pulling = playing ? `pulling with ${short(pull?.force)} N` : 'moved with the mouse';
    this.detail.textContent = pull ? pulling : `step ${step}${playing && factor ? ` · ${short(factor, 2)}× real time` : ''}`;
    this.timeline.update(step, state.history);
  }
}
