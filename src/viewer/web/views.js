// One view per simulation: its bodies, its figures, its overlays, and ghosts of the first simulation in the others.
import { findFigures } from './figure/anatomy.js';
import { Figures } from './figure/figures.js';
import { Bodies } from './stage/bodies.js';
import { Effects } from './stage/effects.js';
import { Mechanism } from './stage/mechanism.js';
import { Overlays } from './stage/overlays.js';
import { Trails } from './stage/trails.js';

class View {
  constructor(stage, hello, scale) {
    this.bodies = new Bodies(stage.theme);
    this.ghost = new Bodies(stage.theme, { ghost: true });
    this.figures = new Figures();
    this.overlays = new Overlays(hello.layers, scale);
    this.trails = new Trails();
    this.mechanism = new Mechanism();
    this.effects = new Effects();
  }
  objects() {
    return [this.bodies.group, this.ghost.group, this.figures.group, this.overlays.group, this.trails.lines, this.mechanism.group, this.effects.group];
  }
}

export class Views {
  constructor(stage, model) {
    Object.assign(this, { stage, model, list: stage.views, ghosts: false, skin: true, trailsOn: false, mechanisms: true, found: [] });
    this.scale = { factor: 1, threshold: 0.3, radius: 3, longest: new Map() };
  }

  /// Makes visible what belongs to one view.
  show(shown) {
    this.list.forEach((view, i) => {
      const own = i === shown;
      view.bodies.group.visible = view.overlays.group.visible = own;
      view.mechanism.group.visible = view.effects.group.visible = own && this.mechanisms;
      view.figures.group.visible = own && this.skinVisible();
      view.trails.lines.visible = own && this.trailsOn;
      view.ghost.group.visible = own && this.ghosts && i > 0;
    });
  }
  /// Islands are shown by the colours of bodies, which a skin would hide.
  skinVisible() {
    return this.skin && !this.model.layers.has('islands');
  }
  get hasFigures() {
    return this.found.length > 0;
  }

  /// As many views as the frame has simulations.
  resize(count) {
    if (this.list.length === count) return false;
    while (this.list.length > count) this.stage.scene.remove(...this.list.pop().objects());
    while (this.list.length < count) this.add();
    return true;
  }
  add() {
    const view = new View(this.stage, this.model.hello, this.scale);
    this.stage.scene.add(...view.objects());
    this.list.push(view);
    this.fill(view, this.model.bodies.values());
    view.figures.set(this.found);
  }

  fill(view, bodies) {
    view.bodies.textures = this.model.scene.appearance?.textures;
    for (const body of bodies) {
      const shape = this.model.shapes.get(body.shape);
      view.bodies.set(body, shape, this.covered?.has(body.index));
      if (this.list.length > 1 || view.ghost.items.length > 0) view.ghost.set(body, shape);
    }
  }

  setScene(message) {
    if (message.fresh) this.scale.longest.clear();
    const figuresChanged = this.findFigures();
    for (const view of this.list) {
      if (message.fresh) for (const part of [view.bodies, view.ghost, view.trails]) part.clear();
      this.fill(view, figuresChanged ? this.model.bodies.values() : message.bodies);
      if (figuresChanged) view.figures.set(this.found);
    }
  }

  /// After the size of the scene is known, and whenever joints or forces have changed.
  setMechanisms() {
    const { stage, model } = this;
    for (const view of this.list) {
      view.mechanism.set(model.joints, view.bodies.items, stage.up, stage.radius, this.skinVisible() ? this.covered : undefined);
      view.effects.set(model.forces, model.bodies, model.shapes, view.bodies.items, stage, model.scene.appearance?.textures);
    }
  }

  /// Whether the dolls of the scene are others than before.
  findFigures() {
    this.found = findFigures(this.model);
    const covered = new Set(this.found.flatMap(({ limbs }) => [...limbs.values()].map((l) => l.index)));
    const key = [this.model.scene.name, ...covered].join(' ');
    if (key === this.coveredKey) return false;
    Object.assign(this, { covered, coveredKey: key });
    return true;
  }

  setFrame(frame, trailOf) {
    const resized = this.resize(frame.runs.length);
    if (resized && this.list.length > 1)
      for (const view of this.list)
        if (view.ghost.items.length === 0) for (const body of this.model.bodies.values()) view.ghost.set(body, this.model.shapes.get(body.shape));
    this.scale.radius = this.stage.radius;
    const islands = this.model.layerId('islands');
    frame.runs.forEach((run, i) => {
      const view = this.list[i];
      view.bodies.update(run.poses, run.flags, run.values.get(islands));
      view.bodies.showCovered(!this.skinVisible());
      if (this.skinVisible()) view.figures.update(view.bodies, this.stage.theme);
      view.overlays.update(run.layers);
      if (this.mechanisms) view.mechanism.update(run.poses), view.effects.update(run.poses, frame.time);
      if (this.ghosts && i > 0) view.ghost.update(frame.runs[0].poses, frame.runs[0].flags);
      if (this.trailsOn) view.trails.update(view.bodies, frame, trailOf, this.stage.theme);
    });
    return resized;
  }

  /// Metres of arrow per unit of what is shown, by unit.
  arrowScale() {
    return this.list[0]?.overlays.scales ?? new Map();
  }
  setTrails(on) {
    this.trailsOn = on;
    if (!on) for (const view of this.list) view.trails.clear();
  }
  repaint() {
    for (const view of this.list) for (const part of [view.bodies, view.ghost]) part.repaint(this.stage.theme);
  }
}
