// Lights of a scene. They replace the sun, and bodies may carry them.
import * as THREE from 'three';

const MOST = 12, MOST_SHADOWS = 4;  // Graphics cards limit how many a shader can use.
const FULL = Math.PI;  // intensity of a light that shows a white surface white

export class Lights {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.list = [];
    this.head = null;
    stage.scene.add(this.group);
  }
  get exist() {
    return this.list.length > 0;
  }

  /// `named` returns the index of a body by its name; `starts` has the orientations at the start of bodies whose lights do not turn.
  set({ lights = [], headlight } = {}, named, starts = {}) {
    this.group.clear();
    this.list = [];
    this.head = null;
    let shadows = 0;
    for (const light of lights.slice(0, MOST)) {
      const { color = '#b3b3b3', cutoff_deg = 45, directional = false } = light;
      const angle = Math.min(cutoff_deg, 89) * (Math.PI / 180);
      const lamp = directional ? new THREE.DirectionalLight(color, FULL)
        : cutoff_deg > 90 ? new THREE.PointLight(color, FULL, 0, 0) : new THREE.SpotLight(color, FULL, 0, angle, 0.3, 0);
      lamp.castShadow = !this.stage.plain && (light.shadows ?? true) && shadows++ < MOST_SHADOWS;
      lamp.shadow?.mapSize.set(1024, 1024);
      this.group.add(lamp);
      if (lamp.target) this.group.add(lamp.target);
      const [w, x, y, z] = starts[light.body] ?? [1, 0, 0, 0];
      this.list.push({ lamp, directional, body: light.body === undefined ? -1 : named(light.body), turns: light.turns ?? true, start: new THREE.Quaternion(x, y, z, w),
        position: new THREE.Vector3(...(light.position ?? [0, 0, 0])), direction: new THREE.Vector3(...(light.direction ?? [0, 0, -1])).normalize() });
    }
    if (headlight) {
      this.head = new THREE.DirectionalLight(headlight.color, FULL);
      this.ambient = new THREE.AmbientLight(headlight.ambient, FULL);
      this.group.add(this.head, this.head.target, this.ambient);
    }
    this.update(null);
  }

  /// `bodies` are those of the first view, or null before they are placed.
  update(bodies) {
    const { center, radius } = this.stage, turn = new THREE.Quaternion();
    for (const { lamp, directional, body, turns, start, position, direction } of this.list) {
      const at = lamp.position.copy(position), towards = direction.clone();
      if (body >= 0 && bodies?.items[body]) {
        const frame = turns ? bodies.quaternion(body, turn) : start;
        at.applyQuaternion(frame).add(bodies.position(body));
        towards.applyQuaternion(frame);
      }
      if (directional) at.copy(center).addScaledVector(towards, -5 * radius);
      lamp.target?.position.copy(at).add(towards);
      if (lamp.castShadow && lamp.shadow) this.fitShadow(lamp, directional, radius);
    }
  }
  fitShadow(lamp, directional, radius) {
    const { camera } = lamp.shadow, reach = 2.6 * radius;
    if (directional) Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach });
    Object.assign(camera, { near: 0.05 * radius, far: 12 * radius });
    camera.updateProjectionMatrix();
    lamp.shadow.normalBias = directional ? 0.004 * reach : 0.006 * radius;
    lamp.shadow.bias = directional ? -0.0005 : -2e-5;  // The depths of a perspective have a fine resolution near the light only.
  }
  /// The headlight is where the camera is.
  followCamera(camera) {
    if (!this.head) return;
    this.head.position.copy(camera.position);
    camera.getWorldDirection(this.head.target.position).add(camera.position);
  }
}
