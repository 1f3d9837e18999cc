// Puts the page together.
import './style.css';
import { Connection } from './connection.js';
import { Model } from './model.js';
import { Stage } from './stage/stage.js';
import { bounds } from './stage/framing.js';
import { Selection } from './stage/selection.js';
import { Handles } from './stage/handles.js';
import { RUN_COLORS } from './stage/colors.js';
import { textureOf } from './stage/textures.js';
import { Views } from './views.js';
import { Picking } from './picking.js';
import { Cameras } from './cameras.js';
import { makeActions, listenToKeys } from './actions.js';
import { Recorder } from './recorder.js';
import { ReplayRecorder, ReplayConnection } from './replay.js';
import { RunRecorder } from './run_recorder.js';
import { Sound } from './sound.js';
import { Link } from './link.js';
import { ScaleBar } from './ui/scale_bar.js';
import { SCENES, titleOf } from './ui/catalogue.js';
import { h, icon, download } from './ui/dom.js';
import { Toolbar } from './ui/toolbar.js';
import { Panels } from './ui/panels.js';
import { MethodPanel } from './ui/method_panel.js';
import { ShowPanel } from './ui/show_panel.js';
import { BodyPanel } from './ui/body_panel.js';
import { ComparePanel } from './ui/compare_panel.js';
import { Plots } from './ui/plots.js';
import { onRefusal } from './ui/fields.js';
import { Toasts } from './ui/toasts.js';
import { EMPTY_HINT, Scenes, Help } from './ui/dialogs.js';

const FIRST = 5;          // s, of a scene in which nothing that moves leaves the view
const ROOM = 1.6;         // times the size of what a camera follows
const NARROW = 860;       // px, of a window whose panels lie over the scene; as in style.css
const EDITS = new Set(['edit', 'spawn', 'remove', 'joint', 'add-joint', 'anchor', 'axis', 'remove-joint', 'force', 'add-force', 'material', 'remove-material']);  // commands that build
/// A joint that is only read.
const isReading = (command, args) => command === 'joint' && Object.keys(args).length < 2;
const QUIET = 700;        // ms after the last change by hand, before the page asks for the scene
const MOST_BYTES = 60e6;  // of a scene file; the program takes messages of 64 MiB

/// The same points, farther apart: room around a body that the camera follows.
function aroundIt(points) {
  const count = points.length / 3, middle = [0, 1, 2].map((k) => points.reduce((sum, v, i) => (i % 3 === k ? sum + v / count : sum), 0));
  return points.map((v, i) => middle[i % 3] + ROOM * (v - middle[i % 3]));
}

/// A height below all points, by a fifth of the height that they span.
function below(points, up) {
  const [low, high] = bounds(points, up);
  return low - 0.2 * (high - low);
}

/// What all names have in common at their beginning, up to a blank or a colon: they are told apart by the rest.
function sharedBeginning(names) {
  let length = 0;
  while (names.every((n) => length < n.length && n[length] === names[0][length])) ++length;
  return names[0].slice(0, Math.max(names[0].lastIndexOf(' ', length - 1), names[0].lastIndexOf(':', length - 1)) + 1);
}

class App {
  constructor() {
    document.body.classList.toggle('plain', new URLSearchParams(location.search).has('plain'));
    this.watching = Boolean(window.rigorReplay);  // a replay: nothing can be changed, and no control offers it
    document.body.classList.toggle('watching', this.watching);
    this.connection = window.rigorReplay ? new ReplayConnection(window.rigorReplay) : new Connection();
    this.model = new Model(this.connection);
    this.stage = new Stage(document.getElementById('stage'), { plain: new URLSearchParams(location.search).has('plain') });
    this.views = new Views(this.stage, this.model);
    this.selection = new Selection();
    this.handles = new Handles(this.stage);
    this.stage.scene.add(this.selection.group, this.handles.group);
    this.stage.beforeView = (view) => {
      this.views.show(view);
      this.selection.group.visible = this.handles.group.visible = view === 0;  // they follow the first simulation
    };
    this.cameras = new Cameras(this);
    this.picking = new Picking(this.stage, this.model, this.connection, this.stage.views, this.handles);
    this.toasts = new Toasts();
    onRefusal((sentence) => this.toasts.show(sentence, 'bad'));
    this.sound = new Sound(this.model);
    this.recorder = new Recorder(this.stage.canvas, this.toasts);
    this.replay = new ReplayRecorder(this.connection, this.model, this.toasts);
    this.runRecorder = new RunRecorder(this.connection, this.model, this.toasts);
    this.look = this.look.bind(this);
    this.actions = makeActions(this);
    this.plots = new Plots(this);
    this.scenes = new Scenes(this);
    this.help = new Help();
    this.link = new Link(this);
    this.scaleBar = new ScaleBar(this);
    this.dialogs = { closeOne: () => [this.help, this.scenes].some((d) => !d.element.hidden && (d.close(), true)) };
    this.buildUi();
    this.setTheme(localStorage.getItem('rigor.theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
    this.listen();
    if (innerWidth < NARROW || this.watching) this.panels.fold();
    this.layout();
    listenToKeys(this);
    this.pending = null;
    requestAnimationFrame(() => this.loop());
  }

  buildUi() {
    this.toolbar = new Toolbar(this);
    this.show = new ShowPanel(this);
    this.bodyPanel = new BodyPanel(this);
    this.panels = new Panels(this, [new MethodPanel(this), this.show, this.bodyPanel, new ComparePanel(this)]);
    const button = (name, title, action) => h('button.round', { title, 'aria-label': title, onclick: action }, icon(name));
    this.title = this.watching ? h('b.replay-name', {}, '…') : h('button.scene-name', { title: 'Choose another scene (l)', onclick: () => this.scenes.toggle() }, '…');
    this.description = h('p.description', { onclick: () => (this.description.classList.toggle('whole'), this.layout()) }, '');  // a small screen shows two lines until it is touched
    this.tip = h('p.tip', { hidden: this.watching || Boolean(localStorage.getItem('rigor.tip')) },
      'Drag a body to pull it, click it to look into it, drag the floor to look around, wheel to come nearer. ',
      h('button.link', { onclick: this.actions.help }, 'All keys'), ' · ',
      h('button.link', { title: 'Do not show this hint again; ? shows all of it', onclick: () => this.hideTip() }, 'Hide'));
    this.status = h('span.status', { title: 'Connected' });
    this.labels = h('div.labels', {});
    document.getElementById('ui').append(
      this.header = h('header.top', {}, h('div.brand.glass', {}, h('span.logo', {}, 'Rigor'), this.status, this.title), this.description, this.tip),
      h('div.tools.glass', {}, ...this.tools(button)),
      this.labels, this.scaleBar.element, this.panels.element, this.plots.element, this.toolbar.element, this.scenes.element, this.help.element, this.toasts.element);
  }

  /// The buttons at the top; of a replay those that only look.
  tools(button) {
    const looks = [button('frame', 'See everything (f)', this.actions.frame), button('chart', 'Plots (p)', this.actions.plots),
      button('camera', 'Save a picture (k)', this.actions.picture)];
    const lights = [button('sun', 'Light or dark (d)', this.actions.theme), button('help', 'Mouse and keys (?)', this.actions.help)];
    if (this.watching) return [...looks, ...lights];
    const undo = button('undo', 'Undo (z): back to before the last change by hand', this.actions.undo);
    const redo = button('redo', 'Redo (y)', this.actions.redo);
    this.model.on('state', ({ undos, redos }) => {
      undo.disabled = !undos;
      redo.disabled = !redos;
    });
    return [undo, redo, ...looks, this.recordButton('film', 'Record a video (WebM)', this.recorder),
      this.recordButton('replay', 'Record a replay: one HTML file that plays without the program', this.replay),
      this.recordButton('record', 'Record the run bit for bit (.rrec), for rigor replay --verify', this.runRecorder),
      button('save', 'Save the scene as it is now (s)', this.actions.save),
      button('link', 'Copy a link to this scene, these methods and this time (u)', this.actions.link), ...lights];
  }

  /// It stays until somebody has read it and says so.
  hideTip() {
    this.tip.hidden = true;
    this.layout();
    localStorage.setItem('rigor.tip', 'read');
  }

  /// What panels cover is not where the scene should be.
  layout() {
    const { panels, plots, toolbar } = this, narrow = innerWidth < NARROW;
    document.body.classList.toggle('comparing', this.model.methods.length > 1);  // the panel is wider then
    const covered = (element) => (element.hidden ? 0 : innerHeight - element.getBoundingClientRect().top);
    const bottomOf = (element) => element.getBoundingClientRect().bottom;
    const tools = document.querySelector('.tools');
    const alone = this.model.methods.length < 2;  // the description is hidden while methods are compared
    this.stage.setInset({ right: panels.folded || narrow ? 0 : panels.element.offsetWidth + 16, top: narrow && !this.watching ? bottomOf(panels.tabBar) : Math.max(56, bottomOf(tools), alone ? bottomOf(this.header) : 0),
      bottom: Math.max(covered(toolbar.element), covered(plots.element), narrow && this.description.offsetHeight ? covered(this.description) : 0) });
    this.buildLabels();
  }

  recordButton(name, title, recorder) {
    const element = h('button.round', { title, 'aria-label': title, onclick: () => recorder.toggle() }, icon(name));
    recorder.changed = () => element.classList.toggle('recording', recorder.running);
    return element;
  }

  listen() {
    const { connection, model } = this;
    connection.on('open', () => this.showConnection(true));
    connection.on('closed', ({ reason }) => this.showConnection(false, reason));
    connection.on('hello', () => (this.arriving = true));
    connection.on('asked', ({ command, args }) => EDITS.has(command) && !isReading(command, args) && this.noteEdit());
    connection.on('refused', ({ sentence }) => this.toasts.show(sentence, 'bad', 10));
    model.on('scene', (message) => this.setScene(message));
    model.on('frame', (frame) => (this.pending = frame));
    model.on('methods', () => this.layout());
    model.on('select', (index) => {
      this.outline(index);
      if (index >= 0 && !model.selectedInPassing && !this.panels.folded) this.panels.show(this.bodyPanel);
      this.redraw();
    });
    this.panels.changed = () => this.layout();
    new ResizeObserver(() => this.layout()).observe(this.plots.element);
    addEventListener('resize', () => this.layout());
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.loadFile(event.dataTransfer.files[0]);
    });
  }

  /// A message stays as long as the connection is lost; with the scene another one tells that it is back.
  showConnection(good, reason = '') {
    this.status.classList.toggle('good', good);
    this.status.title = good ? 'Connected' : 'Not connected';
    this.regained = good && Boolean(this.lost);
    this.lost?.remove();
    this.lost = good ? null : this.toasts.show(reason ? `The program refused: ${reason}. Trying again …` : 'The connection to the program broke: it may have ended. Trying again …', 'bad', Infinity);
  }

  /// The page has the scene as it is after a change by hand, in case the program ends.
  noteEdit() {
    this.edited = true;
    this.editedAt = this.shown?.step;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.connection.ask('save').then((scene) => (this.kept = scene), () => {}), QUIET);
  }
  /// The scene of a connection that has just begun is the one of before, with its changes by hand, if the program still has it.
  takeUp() {
    const { arriving, regained, connection } = this, goesOn = arriving && connection.resumed;
    this.arriving = this.regained = false;
    if (regained) this.toasts.show(goesOn ? 'Connected again.' : 'Connected again, to a program that was started anew.', 'note', 6);
    if (goesOn) return (this.edited ??= true);
    if (arriving && this.edited) this.left = this.kept;
    this.edited = false;
    this.kept = null;
  }

  outline(index) {
    this.selection.select(index, this.model.shapes.get(this.model.bodies.get(index)?.shape));
  }
  setScene(message) {
    this.views.setScene(message);
    if (!message.fresh) {
      this.views.setMechanisms();
      this.outline(this.model.selected);  // its shape may have changed
    }
    this.stage.invalidate();
    if (!message.fresh) return;
    this.title.textContent = message.name in SCENES ? titleOf(message.name) : message.name || 'scene';
    this.toasts.clear();
    this.takeUp();
    this.offerLeft();
    this.description.classList.remove('whole');
    this.description.textContent = message.description || (message.bodies.every((b) => b.ground) ? EMPTY_HINT : '');
    document.title = `${message.name || 'scene'} · Rigor`;
    this.stage.setUp(message.up);
    this.selection.select(-1);
    this.layout();
    this.fresh = true;
  }

  loop() {
    requestAnimationFrame(() => this.loop());
    if (this.pending) this.take(this.pending);
    if (this.stage.render()) this.rendered = (this.rendered ?? 0) + 1;
  }

  take(frame) {
    this.pending = null;
    if (this.views.setFrame(frame, this.trailOf())) this.viewsChanged();
    this.selection.update(this.stage.views[0].bodies, frame.status.pulls, this.stage);
    this.handles.update(this.stage.views[0].bodies);
    for (const sentence of frame.status.reports ?? []) this.toasts.show(sentence, sentence.startsWith('Stopped') ? 'bad' : 'note');
    if (this.fresh) {
      this.fresh = false;
      const ground = this.model.ground;
      this.stage.floor.setGround(Boolean(ground), Boolean(textureOf(this.model.scene.appearance?.textures, ground?.material)));
      this.firstLook();
      setTimeout(() => this.stage.addEnvironment(), 50);
    }
    this.stage.lights.update(this.stage.views[0].bodies);
    if (this.cameras.current) this.cameras.update();
    else if (this.following) this.follow();
    else this.keepInView(frame), this.reveal(frame);
    this.clearSight();
    this.scaleBar.update(this.views.arrowScale());
    this.stage.invalidate();
    this.shown = { number: frame.number, step: frame.step, time: frame.time, playing: frame.playing, hashes: frame.status.hashes };
    this.connection.wantFrame();
  }

  /// With the last frame, when only the way of showing it has changed.
  redraw() {
    if (this.model.frame && this.stage.views.length) {
      this.views.setFrame(this.model.frame, this.trailOf());
      this.selection.update(this.stage.views[0].bodies, this.model.frame.status.pulls, this.stage);
      this.handles.update(this.stage.views[0].bodies);
    }
    this.stage.invalidate();
  }

  /// Who is who, at the bottom of each view.
  buildLabels() {
    const { methods } = this.model;
    if (methods.length < 2) return this.labels.replaceChildren();
    const rectangles = this.stage.rectangles(), shared = sharedBeginning(methods.map((m) => m.label));
    const nameOf = ({ label }) => label.slice(shared.length);
    this.labels.replaceChildren(...methods.slice(0, rectangles.length).map((method, i) => {
      const { x, y, width, free } = rectangles[i];
      return h('div.view-label.glass', { style: `left:${x + 12}px; top:${y + free.y + free.height + 4}px; max-width:${width - 24}px; --run:${RUN_COLORS[i]}` }, `${'ABCD'[i]} · ${nameOf(method)}`);
    }));
  }

  /// As many views as simulations, each smaller than one alone.
  viewsChanged() {
    this.views.setMechanisms();
    this.views.setFrame(this.model.frame, this.trailOf());
    this.stage.reframe();
    this.buildLabels();
  }

  /// The camera of the scene if it brings one; otherwise from where all of the first seconds can be seen.
  firstLook() {
    const { stage, model } = this, { camera = {}, motion } = model.scene, { bodies } = stage.views[0];
    const named = (name) => this.cameras.named(name);
    this.following = null;
    stage.setAppearance(model.scene.appearance, named, model.scene.starts);
    this.cameras.set(model.scene.appearance?.cameras, model.scene.starts);
    const points = camera.follow ? aroundIt(bodies.outline()) : [...(motion?.points ?? []), ...bodies.outline()];
    stage.floor.setHeight(model.ground ? 0 : below(points, stage.up));
    stage.frame(points, camera.direction && stage.center.clone().set(...camera.direction).normalize());
    if (camera.position || camera.target) {
      const target = camera.target ? stage.center.clone().set(...camera.target) : stage.center.clone();
      const position = camera.position ? stage.center.clone().set(...camera.position) : stage.camera.position.clone().sub(stage.center).add(target);
      stage.frame(points, position.clone().sub(target).normalize());
      stage.place(position, target, stage.radius);
    }
    if (camera.follow && named(camera.follow) >= 0) this.following = this.startFollowing(named(camera.follow));
    this.trailed = camera.trails ? new Set(camera.trails.map(named)) : null;
    this.setTrails(Boolean(this.trailed));
    this.views.setMechanisms();
    this.redraw();
    if (camera.use) this.cameras.use(camera.use);
  }
  frameAll() {
    const { stage, model } = this;
    if (!stage.views.length) return;
    const early = (model.frame?.time ?? 0) < FIRST ? model.scene.motion?.points ?? [] : [];
    const { bodies } = stage.views[0], points = [...early, ...bodies.outline()];
    stage.frame([...points, ...bodies.surroundings(points)]);
  }
  /// In the first seconds the camera goes back as far as it must for every body to stay in view, unless the user has moved it.
  keepInView(frame) {
    const { stage } = this;
    if (!stage.framed || frame.time > 1.001 * Math.min(FIRST, this.model.scene.duration ?? FIRST) || frame.time === 0) return;
    const points = [];
    for (const { bodies } of stage.views) this.outOfView(bodies, 0.97, points);
    if (points.length) stage.frame([...stage.framed.points, ...points], stage.framed.direction);
  }
  /// A body that was moved or enlarged by hand stays in view as well, fixed or not, unless the user has moved the camera or is moving the body.
  reveal({ step, playing }) {
    const { stage, model } = this;
    if (!stage.framed || playing || step !== this.editedAt || this.picking.held || model.selected < 0) return;
    const points = [], { bodies } = stage.views[0];
    this.outOfView(bodies, 0.97, points, [bodies.items[model.selected]]);
    if (points.length) stage.frame([...stage.framed.points, ...points], stage.framed.direction);
  }
  /// Those of the bodies, usually of all that move, that are not completely within this share of what no panel covers; `points` receives their corners that are outside.
  outOfView(bodies = this.stage.views[0].bodies, share = 1, points = [], items = bodies.items.filter((item) => item && !item.body.fixed)) {
    const { stage } = this, rectangle = stage.rectangles()[0], { free, width, height } = rectangle, p = stage.center.clone(), found = [];
    const pixels = height / 2 / Math.tan((stage.camera.fov * Math.PI) / 360);  // of 1 m at a distance of 1 m
    stage.aim(rectangle);
    stage.camera.updateMatrixWorld();
    const isOut = (at, reach) => {
      const margin = (reach * pixels) / Math.max(1e-9, -p.copy(at).applyMatrix4(stage.camera.matrixWorldInverse).z);
      p.applyMatrix4(stage.camera.projectionMatrix);
      const across = ((p.x + 1) / 2) * width - free.x - free.width / 2, down = ((1 - p.y) / 2) * height - free.y - free.height / 2;
      return p.z > 1 || Math.abs(across) + margin > (share * free.width) / 2 || Math.abs(down) + margin > (share * free.height) / 2;
    };
    const center = stage.center.clone();
    for (const item of items) {
      if (!item || item.flag === 0 || item.parts.length === 0 || item.reach > 1e6) continue;
      if (!isOut(bodies.position(item.body.index, center), item.reach)) continue;  // most bodies are far inside: one test is enough
      const corners = bodies.corners(item).filter((corner) => isOut(corner, 0));
      if (corners.length === 0) continue;
      found.push(item.body.index);
      for (const corner of corners) points.push(corner.x, corner.y, corner.z);
    }
    return found;
  }
  clearSight() {
    const now = performance.now();
    if (now - (this.sighted ?? -1e9) < 300) return;
    this.sighted = now;
    for (const { bodies } of this.stage.views) bodies.clearSight(this.stage.camera);
  }
  look(index) {
    const { bodies } = this.stage.views[0];
    const item = bodies.items[index];
    if (item) this.stage.lookAt(bodies.position(index), Math.max(item.reach * 2.5, this.stage.radius * 0.15));
  }
  toggleFollow() {
    this.following = this.following || this.model.selected < 0 ? null : this.startFollowing(this.model.selected);
  }
  /// From where the body is now, so that no motion is missed.
  startFollowing(index) {
    return { index, before: this.stage.views[0].bodies.position(index).clone() };
  }
  follow() {
    const { bodies } = this.stage.views[0], now = bodies.position(this.following.index);
    if (!bodies.items[this.following.index]) return (this.following = null);
    this.stage.move(now.clone().sub(this.following.before));
    this.following.before = now.clone();
  }

  /// The bodies that leave trails: the selected one, those that the scene names, or all of them (null).
  trailOf() {
    return this.model.selected >= 0 ? new Set([this.model.selected]) : this.trailed ?? null;
  }
  setTrails(on) {
    this.trailsOn = on;
    this.views.setTrails(on);
    this.show.trails.input.checked = on;
    this.redraw();
  }
  setTheme(name) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    localStorage.setItem('rigor.theme', name);
    this.stage.setTheme(name);
    this.views.repaint();
    if (!this.plots.element.hidden) this.plots.build();
  }
  toggleTheme() {
    this.setTheme(this.theme === 'light' ? 'dark' : 'light');
  }
  picture() {
    this.stage.invalidate();
    this.stage.render();
    this.stage.canvas.toBlob((blob) => download('rigor.png', blob));
  }
  async loadFile(file) {
    this.scenes.close();
    if (file.size > MOST_BYTES) return this.toasts.show(`${file.name}: a scene file has at most ${MOST_BYTES / 1e6} MB.`, 'bad');
    await this.openScene('load', { name: file.name.replace(/\.json$/, ''), text: await file.text() });
  }
  /// A scene with changes by hand is kept until the next one replaces it: a message offers it.
  async openScene(command, args) {
    const { connection, model } = this;
    try {
      this.left = this.edited && model.state?.undos > 0 ? await connection.ask('save') : null;
      await connection.ask(command, args);
    } catch {
      this.left = null;  // the program has said why in a sentence, which is shown
    }
  }
  offerLeft() {
    const { left } = this;
    this.left = null;
    if (left) this.toasts.show(`${left.name || 'The scene'} had changes by hand that are not saved.`, 'note', 20, { text: 'Open it again', action: () => this.openScene('load', left) });
  }
}

window.rigor = new App();
