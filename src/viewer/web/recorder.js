// A video of the canvas, as WebM.
import { download } from './ui/dom.js';

export class Recorder {
  constructor(canvas, toasts) {
    Object.assign(this, { canvas, toasts, recorder: null });
  }
  get running() {
    return this.recorder !== null;
  }
  toggle() {
    if (this.recorder) return this.recorder.stop();
    if (!window.MediaRecorder) return this.toasts.show('This browser cannot record videos.', 'bad');
    const chunks = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(60), { videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = (event) => chunks.push(event.data);
    this.recorder.onstop = () => {
      this.recorder = null;
      this.changed?.();
      download('rigor.webm', new Blob(chunks, { type: 'video/webm' }));
    };
    this.recorder.start();
    this.changed?.();
  }
}
