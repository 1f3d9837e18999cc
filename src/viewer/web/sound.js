// Impacts and friction to hear. Nothing is recorded: an impact is a few damped tones, friction is filtered noise.
//
// A struck body rings in its modes: a sum of tones of frequency f_k with decay time τ_k. The material chooses ratios and decay (steel
// rings long and high, wood is short, rubber is a thud); the mass chooses the pitch, f ~ m^(-1/3), as of bodies of equal shape. Of two bodies
// the one that rings longer is heard. Friction is noise in a band whose middle rises with the slip speed; its loudness follows the
// friction power. Sounds are off until the user switches them on.
//
// A compressor evens out loud and quiet moments, and a soft limit, x -> tanh x, keeps every sample below one: a wall that falls does not clip.
const MOST_AT_ONCE = 6, MOST_SLIDES = 4, MOST_TONES = 120;
const FADE = 0.015;  // s, time constant at which friction fades in and out: shorter ones click
const HEADROOM = 8;  // largest input of the limiter, in units of full scale; beyond it, tanh is 1 to seven digits

/// Words in names of materials -> modes [ratio, strength], decay, s, brightness of friction.
const KINDS = [
  { words: /steel|metal|iron|lead|brass|copper|gold/, modes: [[1, 1], [2.76, 0.6], [5.4, 0.35], [8.9, 0.15]], decay: 0.55, pitch: 900, noise: 2600 },
  { words: /glass|ice|ceramic|porcelain/, modes: [[1, 1], [2.3, 0.7], [4.1, 0.45]], decay: 0.3, pitch: 1500, noise: 4200 },
  { words: /wood|plank|oak|cork|bone|ivory/, modes: [[1, 1], [2.6, 0.35], [4.9, 0.12]], decay: 0.09, pitch: 480, noise: 1300 },
  { words: /stone|brick|concrete|rock|marble|granite/, modes: [[1, 1], [1.9, 0.5], [3.3, 0.3]], decay: 0.06, pitch: 620, noise: 1900 },
  { words: /rubber|flesh|skin|cloth|foam|soft|body/, modes: [[1, 1], [1.5, 0.2]], decay: 0.05, pitch: 130, noise: 500 },
];
const PLAIN = { modes: [[1, 1], [2.2, 0.3]], decay: 0.1, pitch: 420, noise: 1100 };

export function soundOf(material = '') {
  return KINDS.find(({ words }) => words.test(material.toLowerCase())) ?? PLAIN;
}

export class Sound {
  constructor(model) {
    Object.assign(this, { model, on: false, voices: [] });
    model.on('frame', ({ status, playing }) => this.on && this.hear(status, playing));
  }
  set(on) {
    this.on = on;
    this.model.sounds = on;
    this.model.tellView();
    if (on && !this.context) this.prepare();
    if (on) this.context.resume();
    else if (this.context) this.slides([]);
  }
  /// Tests pass a context that renders into memory.
  prepare(context = new AudioContext()) {
    this.context = context;
    this.tones = 0;  // that sound now
    this.output = context.createDynamicsCompressor();
    const less = context.createGain(), limit = context.createWaveShaper();
    less.gain.value = 1 / HEADROOM;
    limit.curve = Float32Array.from({ length: 4097 }, (_, i) => Math.tanh(HEADROOM * (i / 2048 - 1)));
    this.output.connect(less).connect(limit).connect(context.destination);
    this.voices = Array.from({ length: MOST_SLIDES }, () => this.makeVoice());
  }
  /// Noise through a band, silent at first.
  makeVoice() {
    const { context } = this, length = context.sampleRate, buffer = context.createBuffer(1, length, context.sampleRate), data = buffer.getChannelData(0);
    for (let i = 0; i < length; ++i) data[i] = 2 * Math.random() - 1;
    const source = context.createBufferSource(), band = context.createBiquadFilter(), gain = context.createGain();
    Object.assign(source, { buffer, loop: true });
    band.type = 'bandpass';
    band.Q.value = 0.8;
    gain.gain.value = 0;
    source.connect(band).connect(gain).connect(this.output);
    source.start();
    return { band, gain };
  }

  hear(status, playing) {
    if (playing) this.impacts(status.impacts ?? []);
    this.slides(playing ? status.slides ?? [] : []);
  }
  material(index) {
    return this.model.bodies.get(index)?.material;
  }
  impacts(list) {
    const loudest = list.filter(([speed]) => speed > 0.05).sort((a, b) => b[1] - a[1]).slice(0, MOST_AT_ONCE);
    for (const [speed, impulse, a, b] of loudest) {
      const kinds = [soundOf(this.material(a)), soundOf(this.material(b))];
      this.hit(speed, impulse, kinds[0].decay > kinds[1].decay ? kinds[0] : kinds[1]);
    }
  }
  kindOf(material) {
    return soundOf(material);
  }
  hit(speed, impulse, kind, now = this.context.currentTime) {
    const { context } = this, mass = Math.max(impulse / Math.max(speed, 1e-3), 1e-3);
    const pitch = Math.min(4000, Math.max(60, (kind.pitch / Math.cbrt(mass)) * (0.96 + 0.08 * Math.random())));
    const loud = Math.min(0.6, 0.16 * Math.log1p(speed));
    for (const [ratio, strength] of kind.modes) {
      if (this.tones >= MOST_TONES) return;  // more cannot be distinguished, and each costs computing time
      ++this.tones;
      const tone = context.createOscillator(), gain = context.createGain(), decay = kind.decay / ratio ** 0.5;
      tone.frequency.value = pitch * ratio;
      gain.gain.setValueAtTime(loud * strength, now);
      gain.gain.exponentialRampToValueAtTime(1e-4, now + 4 * decay);
      tone.connect(gain).connect(this.output);
      tone.start(now);
      tone.stop(now + 4 * decay);
      tone.onended = () => --this.tones;
    }
  }
  slides(list, now = this.context.currentTime) {
    this.voices.forEach(({ band, gain }, i) => {
      const slide = list[i];
      if (!slide) return gain.gain.setTargetAtTime(0, now, FADE);
      const [speed, power, a, b] = slide, kinds = [soundOf(this.material(a)), soundOf(this.material(b))];
      band.frequency.setTargetAtTime(Math.min(8000, ((kinds[0].noise + kinds[1].noise) / 2) * (0.4 + 0.4 * Math.log1p(speed))), now, FADE);
      gain.gain.setTargetAtTime(Math.min(0.25, 0.025 * Math.log1p(power)), now, FADE);
    });
  }
}
