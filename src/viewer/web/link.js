// The address of the page holds what it shows: #scene=…&methods=…&dt=…&step=…. Steps are deterministic, so that everyone who opens it
// gets the same state to the last bit. Changes by hand and scenes from files are not in it.
const WAIT = 400;  // ms between two changes of the address

export class Link {
  constructor(app) {
    this.app = app;
    this.first = true;  // no simulation was seen yet
    const { model } = app;
    if (window.rigorReplay) return;
    model.on('hello', () => this.open(this.wanted()));
    addEventListener('hashchange', () => this.open(parse(location.hash)));  // another link was put into the address of this page
    for (const type of ['scene', 'methods', 'state', 'frame']) model.on(type, () => this.later());
  }

  /// What has to be opened. Nothing where the simulation of this address goes on, since it may have changes by hand. While the page is open, the
  /// program may have been started anew: then what was seen before, unless the page offers a scene that was built by hand.
  wanted() {
    const { connection, edited } = this.app, { first } = this;
    this.first = false;
    if (connection.resumed) return first && location.hash !== sessionStorage.getItem('rigor.address') ? parse(location.hash) : null;
    return first || !edited ? parse(location.hash) : null;
  }
  async open(wanted) {
    const { connection } = this.app;
    if (!wanted) return;
    this.restoring = true;
    try {
      await connection.ask('open', { scene: wanted.scene });
      if (wanted.methods) await connection.ask('compare', { methods: wanted.methods });
      if (wanted.dt) await connection.ask('dt', { value: wanted.dt });
      if (wanted.step) await connection.ask('step', { count: wanted.step });
    } catch {
      // The program has said why in a sentence, which is shown.
    }
    this.restoring = false;
  }

  /// Null where the scene came from a file.
  get text() {
    const { model } = this.app;
    if (!model.hello?.scenes.some((s) => s.name === model.scene.name) || !model.state || !model.frame) return null;
    const methods = JSON.stringify(model.methods.map((m) => m.text));
    return `#${new URLSearchParams({ scene: model.scene.name, methods, dt: model.state.dt, step: model.frame.step })}`;
  }
  later() {
    if (this.timer || this.restoring || this.app.model.frame?.playing) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      const { text } = this;
      if (!this.restoring) this.put(text ?? '');
    }, WAIT);
  }

  /// A scene that a link cannot open leaves none behind: the address would name another scene.
  put(text) {
    if (text !== location.hash) history.replaceState(null, '', text || location.pathname + location.search);
    sessionStorage.setItem('rigor.address', text);
  }

  async copy() {
    const { text } = this, { toasts } = this.app;
    if (!text) return toasts.show('A link opens built-in scenes only, and this one was built by hand or came from a file. Save the scene (s) and send the file.', 'bad');
    const address = `${location.origin}${location.pathname}${text}`;
    this.put(text);
    try {
      await navigator.clipboard.writeText(address);
      toasts.show('The link is copied: it opens this scene with these methods at this time. Changes made by hand are not in it.');
    } catch {
      toasts.show('The link is in the address bar: it opens this scene with these methods at this time.');
    }
  }
}

export function parse(hash) {
  const values = new URLSearchParams(hash.slice(1));
  if (!values.get('scene')) return null;
  const number = (name) => (Number(values.get(name)) > 0 ? Number(values.get(name)) : undefined);
  let methods;
  try {
    methods = JSON.parse(values.get('methods') ?? 'null') ?? undefined;
  } catch {
    methods = undefined;
  }
  return { scene: values.get('scene'), methods, dt: number('dt'), step: number('step') };
}
