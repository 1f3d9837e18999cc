// How long an arrow of a round number of newtons or metres per second is, at the distance of what the camera looks at.
import { h, short } from './dom.js';

export class ScaleBar {
  constructor(app) {
    this.app = app;
    this.element = h('div.scale-bar', {});
  }
  /// `used`: unit → { perUnit, color }, metres of arrow per unit.
  update(used) {
    const { stage } = this.app, key = [];
    const rectangle = stage.rectangles()[0], distance = stage.camera.position.distanceTo(stage.controls.target);
    const pixels = rectangle.height / (2 * distance * Math.tan((stage.camera.fov * Math.PI) / 360));
    for (const [unit, { perUnit, color }] of used) {
      if (!(perUnit > 0)) continue;
      const target = 90 / (perUnit * pixels), power = 10 ** Math.floor(Math.log10(target));
      const value = [5, 2, 1].find((k) => k * power <= target) * power;
      key.push({ unit, value, color, width: Math.round(value * perUnit * pixels) });
    }
    const text = JSON.stringify(key);
    if (text === this.shown) return;
    this.shown = text;
    this.element.replaceChildren(...key.map(({ unit, value, color, width }) => h('div', {}, h('i', { style: `width:${width}px; background:${color}` }), `${short(value)} ${unit}`)));
  }
}
