// Cameras that bodies carry. The mouse does not move them; a drag starts the free view from where the camera is.
import * as THREE from 'three';

export class Cameras {
  constructor(app) {
    this.app = app;
    this.list = [];
    this.current = null;
    app.stage.released = () => this.use('');
  }
  /// `starts` has the orientations at the start of the scene, by the names of bodies with cameras that track.
  set(cameras = [], starts = {}) {
    this.list = cameras.map((camera) => {
      const body = camera.body === undefined ? -1 : this.named(camera.body);
      const [w, x, y, z] = starts[camera.body] ?? [1, 0, 0, 0];
      return { ...camera, index: body, start: new THREE.Quaternion(x, y, z, w) };
    });
    this.current = null;
    this.app.stage.mount(null);
    this.changed?.();
  }
  /// Looks through the camera of this name. An empty name is the free view.
  use(name) {
    this.current = this.list.find((camera) => camera.name === name) ?? null;
    this.app.stage.mount(this.current ? { fov: this.current.fov_deg ?? 45 } : null);
    this.update();
    this.changed?.();
  }
  update() {
    const { current: camera, app: { stage } } = this, bodies = stage.views[0]?.bodies;
    if (!camera || !bodies) return;
    const at = new THREE.Vector3(...(camera.position ?? [0, 0, 0])), [w, x, y, z] = camera.orientation ?? [1, 0, 0, 0];
    const turn = new THREE.Quaternion(x, y, z, w);
    if (camera.index >= 0) {
      // A camera that tracks its body keeps the axes that it had at the start of the scene.
      const frame = camera.mode === 'track' ? camera.start : bodies.quaternion(camera.index);
      at.applyQuaternion(frame).add(bodies.position(camera.index));
      turn.premultiply(frame);
    }
    const target = camera.mode === 'target' ? this.named(camera.target) : -1;
    if (target >= 0) turn.setFromRotationMatrix(new THREE.Matrix4().lookAt(at, bodies.position(target), stage.up));
    stage.placeMounted(at, turn);
  }
  /// The index of the body of this name; -1 if there is none.
  named(name) {
    return [...this.app.model.bodies.values()].find((b) => b.name === name)?.index ?? -1;
  }
}
