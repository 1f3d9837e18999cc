// Impacts to hear, made from the events of contacts that begin: louder when they are harder, lower when they are heavier.
const MOST_AT_ONCE = 6;

export class Sound {
  constructor(model) {
    this.on = false;
    model.on('frame', ({ status, playing }) => this.on && playing && this.play(status.impacts ?? []));
  }
  set(on) {
    this.on = on;
    if (on && !this.context) this.context = new AudioContext();
    if (on) this.context.resume();
  }

  play(impacts) {
    const loudest = impacts.filter(([speed]) => speed > 0.05).sort((a, b) => b[1] - a[1]).slice(0, MOST_AT_ONCE);
    for (const [speed, impulse] of loudest) this.hit(speed, impulse);
  }

  hit(speed, impulse) {
    const now = this.context.currentTime, gain = this.context.createGain(), tone = this.context.createOscillator();
    const mass = impulse / Math.max(speed, 1e-3), pitch = Math.min(1200, Math.max(70, 420 / Math.cbrt(Math.max(mass, 1e-3))));
    tone.type = 'triangle';
    tone.frequency.setValueAtTime(pitch * (0.95 + 0.1 * Math.random()), now);
    tone.frequency.exponentialRampToValueAtTime(pitch * 0.45, now + 0.1);
    gain.gain.setValueAtTime(Math.min(0.3, 0.06 * Math.log1p(speed)), now);
    gain.gain.exponentialRampToValueAtTime(1e-4, now + 0.14);
    tone.connect(gain).connect(this.context.destination);
    tone.start(now);
    tone.stop(now + 0.15);
  }
}
