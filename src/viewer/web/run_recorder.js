// A bit-exact recording of the run (.rrec), which `rigor replay --verify` simulates again. The program records; this fetches the file.
import { download } from './ui/dom.js';

export class RunRecorder {
  constructor(connection, model, toasts) {
    Object.assign(this, { connection, model, toasts, running: false, fetching: false });
    model.on('state', ({ recording }) => this.follow(recording));
  }

  /// The program ends a recording by itself when something is changed by hand.
  follow(recording) {
    this.running = Boolean(recording);
    this.changed?.();
    if (recording?.ended) this.finish();
  }

  toggle() {
    if (this.running) return this.finish();
    this.connection.ask('record', { on: true }).then(
      () => this.toasts.show('Recording from here, as step 0. Play; the same button ends it, and so does any change by hand.'), () => {});
  }

  async finish() {
    if (this.fetching) return;
    this.fetching = true;
    try {
      const { name, bytes } = await this.connection.ask('record', { on: false });
      download(`${name || 'rigor'}.rrec`, Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)), 'application/octet-stream');
    } catch {
      // told already
    } finally {
      this.fetching = false;
    }
  }
}
