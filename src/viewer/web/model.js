// What the page knows of the session: the last of every kind of message, and shapes ready to draw.
import { makePart, boxOf, planeFrame } from './stage/shapes.js';

export class Model extends EventTarget {
  constructor(connection) {
    super();
    this.connection = connection;
    this.hello = null;
    this.state = null;
    this.methods = [];
    this.frame = null;
    this.bodies = new Map();  // by index
    this.shapes = new Map();
    this.joints = [];
    this.forces = [];
    this.materials = [];  // of the scene, with their numbers
    this.scene = {};
    this.selected = -1;
    this.layers = new Set();
    this.sounds = false;
    for (const type of ['hello', 'scene', 'state', 'methods', 'frame'])
      connection.on(type, (message) => {
        this[`take_${type}`](message);
        this.say(type, message);
      });
  }

  take_hello(message) {
    this.hello = message;
    this.tellView();
    this.connection.wantFrame();
  }
  take_scene(message) {
    if (message.fresh) {
      this.bodies.clear();
      this.shapes.clear();
      this.scene = message;
      this.selected = -1;
    }
    for (const shape of message.shapes) {
      const parts = shape.parts.map(makePart);
      const planes = shape.parts.map(planeFrame).filter(Boolean);
      this.shapes.set(shape.id, { parts, planes, reach: Math.max(0, ...parts.map((p) => p?.reach ?? 0)), box: boxOf(parts) });
    }
    this.joints = message.joints ?? [];
    this.forces = message.forces ?? [];
    this.materials = message.materials ?? [];
    for (const body of message.bodies) this.bodies.set(body.index, body);
  }
  take_state(message) {
    this.state = message;
  }
  take_methods(message) {
    this.methods = message.runs;
  }
  take_frame(frame) {
    this.frame = frame;
    const history = this.state?.history;
    if (history && frame.step > history.last) history.last = frame.step;
    if (this.state) this.state.playing = frame.playing;
  }

  get ground() {
    for (const body of this.bodies.values()) if (body.ground) return body;
    return null;
  }

  /// `inPassing`: not what the user was after, as when a body is pulled.
  select(index, inPassing = false) {
    if (index === this.selected) return;
    this.selectedInPassing = inPassing;
    this.selected = index;
    this.tellView();
    this.say('select', index);
  }
  setLayer(name, on) {
    if (on) this.layers.add(name);
    else this.layers.delete(name);
    this.tellView();
    this.say('layers');
  }
  layerId(name) {
    return this.hello.layers.find((l) => l.name === name)?.id;
  }
  tellView() {
    const body = this.selected >= 0 ? { body: this.selected } : {};
    this.connection.tell('view', { layers: [...this.layers], sounds: this.sounds, ...body });
  }

  say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }
}
