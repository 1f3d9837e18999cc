// One view per simulation: its bodies, its overlays, and ghosts of the first simulation in the others.
import { Bodies } from './stage/bodies.js';
import { Overlays } from './stage/overlays.js';
import { Trails } from './stage/trails.js';

export class Views {
  constructor(stage, model) {
    Object.assign(this, { stage, model, list: stage.views, ghosts: false });
    this.scale = { factor: 1, threshold: 0.3, radius: 3, longest: new Map() };
  }

  /// As many views as the frame has simulations.
  resize(count) {
    if (this.list.length === count) return false;
    while (this.list.length > count) {
      const { bodies, overlays, ghost, trails } = this.list.pop();
      this.stage.scene.remove(bodies.group, overlays.group, ghost.group, trails.lines);
    }
    while (this.list.length < count) this.add();
    return true;
  }

  add() {
    const { stage } = this;
    const view = {
      bodies: new Bodies(stage.theme), ghost: new Bodies(stage.theme, { ghost: true }),
      overlays: new Overlays(this.model.hello.layers, this.scale), trails: new Trails(),
      show: (shown, own) => {
        view.bodies.group.visible = view.overlays.group.visible = shown === own;
        view.trails.lines.visible = shown === own && this.trailsOn;
        view.ghost.group.visible = this.ghosts && shown === own && own > 0;
      },
    };
    stage.scene.add(view.bodies.group, view.overlays.group, view.ghost.group, view.trails.lines);
    this.list.push(view);
    this.fill(view, this.model.bodies.values());
  }

  fill(view, bodies) {
    for (const body of bodies) {
      const shape = this.model.shapes.get(body.shape);
      view.bodies.set(body, shape);
      if (this.list.length > 1 || view.ghost.items.length > 0) view.ghost.set(body, shape);
    }
  }

  setScene(message) {
    if (message.fresh) this.scale.longest.clear();
    for (const view of this.list) {
      if (message.fresh) for (const part of [view.bodies, view.ghost, view.trails]) part.clear();
      this.fill(view, message.bodies);
    }
  }

  setFrame(frame, trailOf) {
    const grew = this.resize(frame.runs.length);
    if (grew && this.list.length > 1)
      for (const view of this.list)
        if (view.ghost.items.length === 0) for (const body of this.model.bodies.values()) view.ghost.set(body, this.model.shapes.get(body.shape));
    this.scale.radius = this.stage.radius;
    frame.runs.forEach((run, i) => {
      const view = this.list[i];
      view.bodies.update(run.poses, run.flags);
      view.overlays.update(run.layers);
      if (this.ghosts && i > 0) view.ghost.update(frame.runs[0].poses, frame.runs[0].flags);
      if (this.trailsOn) view.trails.update(view.bodies, frame, trailOf, this.stage.theme);
    });
    return grew;
  }

  setTrails(on) {
    this.trailsOn = on;
    if (!on) for (const view of this.list) view.trails.clear();
  }
  repaint() {
    for (const view of this.list) for (const part of [view.bodies, view.ghost]) part.repaint(this.stage.theme);
  }
}
