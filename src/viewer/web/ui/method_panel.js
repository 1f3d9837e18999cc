// Every stage and parameter of the method, made from the registry: what it is, its unit and range, and what cannot be combined.
import GUI from 'lil-gui';
import { h, short } from './dom.js';
import { RUN_COLORS } from '../stage/colors.js';
import { KNOB_NAMES, KNOBS, METHODS, methodTitle } from './catalogue.js';

const DIGITS = 5;  // of a time step that are shown
const shownStep = (dt) => Number(dt.toPrecision(DIGITS));

export class MethodPanel {
  constructor(app) {
    this.app = app;
    this.name = 'Method';
    this.title = 'How the scene is simulated';
    this.run = 0;
    this.open = new Map();  // folder → open or not
    this.head = h('div.runs', {});
    this.content = h('div', {});
    this.first = h('div.first-knobs', {});
    this.rest = h('details.rest', {}, h('summary', {}, 'All stages and parameters'), this.content);
    this.about = h('p.about', {}, '');
    this.legend = h('p.hint', {}, 'A name ', h('b.changed', {}, 'in this colour'), ': the preset or you have set another value than the default.');
    this.rest.insertBefore(this.legend, this.content);
    this.reference = h('p.hint', {}, '');
    this.element = h('div.method', {}, this.head, this.first, this.rest);
    app.model.on('methods', () => this.build());
    app.model.on('state', () => this.buildTime());
  }

  build() {
    const { model } = this.app;
    this.run = Math.min(this.run, model.methods.length - 1);
    this.buildRuns();
    const method = model.methods[this.run];
    const preset = model.hello.presets.find((p) => p.name === method.preset);
    const character = METHODS[method.preset]?.[1] ?? (preset ? `${preset.description}.` : 'A combination of your own.');
    this.about.replaceChildren(...(preset ? [h('b', {}, preset.name), ' · '] : []), character);
    this.reference.textContent = preset ? `${preset.description}${preset.reference ? ` — ${preset.reference}` : ''}` : '';
    if (this.gui) this.gui.destroy();
    this.gui = new GUI({ container: this.content, title: 'Method', autoPlace: false, width: 300 });
    this.gui.domElement.classList.add('bare');
    this.buildFirst(method);
    for (const slot of method.slots) this.addSlot(slot);
    this.addPlain(method.plain);
    this.legend.hidden = !this.content.querySelector('.changed');
    this.timeFolder = null;
    this.buildTime();
  }

  buildRuns() {
    const { methods } = this.app.model;
    this.head.replaceChildren(...(methods.length < 2 ? [] : methods.map((method, i) =>
      h('button.run', { title: method.label, 'aria-pressed': String(i === this.run), style: `--run:${RUN_COLORS[i]}`, onclick: () => {
        this.run = i;
        this.build();
      } }, `${'ABCD'[i]} · ${method.preset || 'custom'}`))));
  }

  send(command, args) {
    this.app.connection.ask(command, { run: this.run, ...args }).catch(() => this.build());
  }

  /// What one needs at first sight: the preset, its character, the time step and the two parameters that matter most for it.
  buildFirst(method) {
    if (this.firstGui) this.firstGui.destroy();
    this.firstGui = new GUI({ container: this.first, title: 'First', autoPlace: false, width: 300 });
    this.firstGui.domElement.classList.add('bare');
    this.addPreset(method);
    this.firstGui.$children.append(this.about);
    this.step = { dt: shownStep(this.app.model.state?.dt ?? 0.01) };
    this.stepControl = this.firstGui.add(this.step, 'dt').name('time step (s)').onFinishChange((value) => this.setStep(value));
    this.tellCorrection(this.stepControl, 'time step', {});
    this.explain(this.stepControl, 'Size of a step. Smaller is more exact and slower.');
    for (const { parameter, key, slot } of this.knobs(method)) slot ? this.addChoice(this.firstGui, slot, slot.key) : this.addParameter(this.firstGui, parameter, key, KNOB_NAMES.find(([pattern]) => pattern.test(key))?.[1]);
    this.firstGui.$children.append(this.reference);
  }
  /// The first two of KNOBS that this method has. Equal choices of solvers are one solver, so a name is shown once. A method without contacts has
  /// few parameters: its integrator is what matters.
  knobs(method) {
    const slotOf = (key) => method.slots.find((slot) => slot.key === key), free = slotOf('broadphase')?.name === 'none';
    const all = [...method.slots.flatMap((slot) => (slot.parameters ?? []).map((parameter) => ({ parameter, key: `${slot.key}.${parameter.name}` }))),
      ...method.plain.map((parameter) => ({ parameter, key: parameter.name }))].filter(({ parameter }) => parameter.type !== 'vector' && !(free && /contact|restitution/.test(parameter.name)));
    const found = [];
    for (const pattern of KNOBS) {
      const knob = all.find(({ key, parameter }) => pattern.test(key) && !found.some((other) => other.parameter.name === parameter.name));
      if (knob) found.push(knob);
    }
    if (free && slotOf('integrator')) found.unshift({ slot: slotOf('integrator') });
    return found.slice(0, 2);
  }

  addPreset(method) {
    const names = Object.fromEntries(this.app.model.hello.presets.map((p) => [`${methodTitle(p.name)} (${p.name})`, p.name]));
    const holder = { preset: method.preset };
    const control = this.firstGui.add(holder, 'preset', names).name('method').onChange((name) => this.send('preset', { name }));
    this.explain(control, 'The method: a published system, or one of ours, as a whole');
    control.$select.setAttribute('aria-label', 'method');
    control._names = this.app.model.hello.presets.map((p) => methodTitle(p.name));  // closed, the list shows the title; the name stands below
    control.updateDisplay();
    [...control.$select.options].forEach((option, i) => Object.assign(option, { value: this.app.model.hello.presets[i].name, title: this.app.model.hello.presets[i].description }));
  }

  addSlot(slot) {
    const folder = this.folder(slot.key.replaceAll('.', ' · '), slot.parameters?.length > 0);
    this.addChoice(folder, slot, 'method');
    const refused = slot.options.filter((o) => o.refused);
    if (refused.length) folder.$children.append(h('details.refused', {}, h('summary', {}, `${refused.length} cannot be combined with the rest`),
      ...refused.map((o) => h('p', {}, h('b', {}, o.name), ` ${o.refused}`))));
    for (const parameter of slot.parameters ?? []) this.addParameter(folder, parameter, `${slot.key}.${parameter.name}`);
  }

  /// Which of the registered methods fills a slot.
  addChoice(folder, slot, label) {
    const holder = { [slot.key]: slot.name };
    const labels = Object.fromEntries(slot.options.map((o) => [o.refused ? `${o.name} —` : o.name, o.name]));
    const control = folder.add(holder, slot.key, labels).name(label).onChange((name) => this.send('set', { key: slot.key, value: name }));
    const current = slot.options.find((o) => o.name === slot.name);
    this.explain(control, current ? `${current.description}${current.reference ? ` (${current.reference})` : ''}` : slot.kind);
    slot.options.forEach((option, i) => {
      const element = control.$select.options[i];
      element.disabled = Boolean(option.refused);
      element.title = option.refused ? `Not with the rest of this method: ${option.refused}` : option.description;
    });
  }

  folder(name, open) {
    const folder = this.gui.addFolder(name);
    if (!(this.open.get(name) ?? open)) folder.close();
    folder.onOpenClose((f) => this.open.set(name, !f._closed));
    return folder;
  }

  addPlain(parameters) {
    const folder = this.folder('general', true);
    for (const parameter of parameters) this.addParameter(folder, parameter, parameter.name);
  }

  addParameter(folder, p, key, plainName) {
    const holder = { [p.name]: p.value === 'infinity' ? Infinity : p.value }, bounded = p.min !== undefined && p.max !== undefined;
    const send = (value) => this.send('set', { key, value });
    const unit = p.unit && p.unit !== '1' ? ` (${p.unit})` : '';
    let control;
    if (p.type === 'vector') return this.addVector(folder, p, key, unit);
    if (p.type === 'choice') control = folder.add(holder, p.name, p.choices).onChange(send);
    else if (p.type === 'flag') control = folder.add(holder, p.name).onChange(send);
    else {
      const slider = bounded && p.max - p.min <= 1000 && (p.min > 0 ? p.max / p.min < 1e4 : true);
      control = slider ? folder.add(holder, p.name, p.min, p.max) : folder.add(holder, p.name);
      if (p.type === 'integer') control.step(1);
      if (!slider && p.min !== undefined && p.min > -1e300) control.min(p.min);
      control.onFinishChange(send);
      this.tellCorrection(control, plainName ?? p.name.replaceAll('_', ' '), p);
    }
    control.name(`${plainName ?? p.name.replaceAll('_', ' ')}${unit}`);
    const range = p.choices ? '' : p.type === 'flag' ? '' : ` Range: ${p.min === undefined ? '−∞' : p.min < 1e-300 && p.min > 0 ? 'above 0' : short(p.min)} to ${p.max === undefined ? '∞' : short(p.max)}.`;
    const changed = String(p.value) !== String(p.default);
    this.explain(control, `${plainName ? `${key}: ` : ''}${p.description}.${range} Default: ${p.default}${changed ? ', which the preset or you have changed' : ''}.`);
    control.domElement.classList.toggle('changed', changed);
  }

  /// A number that was typed and is not taken as it is gets a sentence.
  tellCorrection(control, label, { type, min, max }) {
    let typed = null;
    control.$input.addEventListener('input', () => (typed = control.$input.value.trim()));
    control.$input.addEventListener('blur', () => {
      const text = typed, value = control.getValue(), kind = type === 'integer' ? 'a whole number' : 'a number';
      typed = null;
      if (text === null) return;
      const bounds = `${min === undefined ? '' : ` from ${short(min)}`}${max === undefined ? '' : ` to ${short(max)}`}`;
      if (text === '' || Number.isNaN(Number(text))) this.app.toasts.show(`${label}: expected ${kind}${bounds}.`, 'bad');
      else if (Math.abs(Number(text) - value) > 1e-9 * Math.max(1, Math.abs(value))) this.app.toasts.show(`${label}: expected ${kind}${bounds}; ${text} became ${short(value)}.`, 'bad');
    });
  }

  addVector(folder, p, key, unit) {
    const holder = { x: p.value[0], y: p.value[1], z: p.value[2] };
    for (const axis of 'xyz')
      this.explain(folder.add(holder, axis).name(`${p.name.replaceAll('_', ' ')} ${axis}${unit}`)
        .onFinishChange(() => this.send('set', { key, value: [holder.x, holder.y, holder.z] })), p.description);
  }

  /// After a refusal, which the page shows, the panel shows what holds.
  setStep(value) {
    if (!(value > 0)) return this.app.toasts.show(`time step: expected a positive number, got ${value}.`, 'bad'), this.buildTime();
    this.app.connection.ask('dt', { value }).catch(() => this.buildTime());
  }

  /// Step size and gravity belong to the run and the world, but this is where one looks for them.
  buildTime() {
    const { state } = this.app.model;
    if (!this.gui || !state) return;
    if (!this.timeFolder) {
      this.timeFolder = this.folder('time and gravity', true);
      this.time = { dt: state.dt, x: 0, y: 0, z: 0 };
      this.explain(this.timeFolder.add(this.time, 'dt').name('time step (s)').onFinishChange((value) => this.setStep(value)), 'Size of a step. Smaller is more exact and slower.');
      for (const axis of 'xyz')
        this.explain(this.timeFolder.add(this.time, axis).name(`gravity ${axis} (m/s²)`)
          .onFinishChange(() => this.app.connection.tell('gravity', { value: [this.time.x, this.time.y, this.time.z] })), 'Acceleration of free fall');
    }
    this.time.dt = this.step.dt = shownStep(state.dt);
    if (!this.stepControl.domElement.contains(document.activeElement)) this.stepControl.updateDisplay();
    [this.time.x, this.time.y, this.time.z] = state.gravity;
    for (const control of this.timeFolder.controllers) if (!control.domElement.contains(document.activeElement)) control.updateDisplay();
  }

  explain(control, text) {
    control.domElement.title = text;
  }
}
