// The WebSocket to the program: commands with answers, frames on demand, and coming back after the connection broke.
import { decodeFrame } from './frame.js';

const WAIT = [250, 500, 1000, 2000, 4000];  // ms before another attempt

export class Connection extends EventTarget {
  constructor() {
    super();
    this.next = 1;
    this.waiting = new Map();
    this.attempts = 0;
    this.open();
  }

  open() {
    this.session = new URLSearchParams(location.search).get('session') ?? sessionStorage.getItem('rigor.session');
    const query = this.session ? `?session=${encodeURIComponent(this.session)}` : '';
    this.socket = new WebSocket(`ws://${location.host}/ws${query}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.say('open');
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = (event) => this.closed(event.reason);
  }

  closed(reason) {
    for (const { reject } of this.waiting.values()) reject(new Error('the connection broke'));
    this.waiting.clear();
    this.say('closed', { reason });
    setTimeout(() => this.open(), WAIT[Math.min(this.attempts++, WAIT.length - 1)]);
  }

  receive(data) {
    if (data instanceof ArrayBuffer) {
      this.say('raw', data);
      return this.say('frame', decodeFrame(data));
    }
    const message = JSON.parse(data);
    if (message.type === 'reply') return this.reply(message);
    if (message.type === 'hello') {
      this.attempts = 0;
      this.resumed = message.session === this.session;  // the simulation of before: this page was loaded again, or its connection broke
      this.session = message.session;
      sessionStorage.setItem('rigor.session', message.session);
    }
    this.say(message.type, message);
  }

  reply(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) {
      const error = new Error(message.error);
      if (waiting) waiting.reject(error);
      if (!waiting?.quiet) this.say('refused', { sentence: message.error });
    } else if (waiting) {
      waiting.resolve(message.result);
    }
  }

  /// Resolves with the result; a refusal is also emitted as 'refused', which shows it to the user.
  ask(command, args = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('not connected'));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, do: command, ...args }));
      this.say('asked', { command, args });
    });
  }

  /// Sends a command without waiting for the answer; mistakes are emitted as 'refused'.
  tell(command, args = {}) {
    this.ask(command, args).catch(() => {});
  }

  wantFrame() {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send('{"do":"frame"}');
  }

  say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }
}
