// The mouse in the scene: a click selects, a drag that begins on a body pulls it, one that begins on an anchor of the selected joint moves
// the anchor, any other drag turns the view.
import * as THREE from 'three';

const CLICK = 4;  // px that a click may move

export class Picking {
  constructor(stage, model, connection, views, handles) {
    Object.assign(this, { stage, model, connection, views, handles });
    this.ray = new THREE.Raycaster();
    this.held = null;
    this.pointer = { x: innerWidth / 2, y: innerHeight / 2 };
    const canvas = stage.canvas;
    // Before the camera's own listener, which must not see a drag that pulls a body.
    canvas.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    canvas.addEventListener('pointermove', (e) => this.move(e), { capture: true });
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, (e) => this.up(e), { capture: true });
    connection.on('closed', () => this.letGo());
  }

  cast(x, y) {
    const at = this.stage.at(x, y);
    this.stage.aim(at.rectangle);
    this.ray.setFromCamera(new THREE.Vector2(at.x, at.y), this.stage.camera);
    return at.view;
  }
  /// The body under a point of the window, in the view it is in.
  pick(x, y) {
    const view = this.cast(x, y);
    return this.views[view]?.bodies.pick(this.ray) ?? null;
  }

  down(event) {
    if (event.button !== 0) return;
    const grip = window.rigorReplay ? null : this.handles.at(event.clientX, event.clientY);
    if (grip) return this.takeAnchor(event, grip);
    const hit = this.pick(event.clientX, event.clientY);
    this.start = { x: event.clientX, y: event.clientY, hit };
    if (!hit || this.model.bodies.get(hit.index)?.ground || window.rigorReplay) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.hold(hit, this.stage.at(event.clientX, event.clientY).view);
  }

  /// An anchor follows the mouse in the plane through it, parallel to the screen; the joint gets it when the mouse lets go.
  takeAnchor(event, { end, point }) {
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.grip = { end, start: { x: event.clientX, y: event.clientY }, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point) };
  }
  moveAnchor(event) {
    event.stopImmediatePropagation();
    const { start, end, plane } = this.grip;
    if (!this.handles.held && Math.hypot(event.clientX - start.x, event.clientY - start.y) <= CLICK) return;
    this.cast(event.clientX, event.clientY);
    const point = this.ray.ray.intersectPlane(plane, new THREE.Vector3());
    if (point) this.handles.held = { end, point };
    this.handles.moved?.();
  }

  /// The body follows the mouse in the plane through the point that was taken, parallel to the screen.
  hold(hit, view) {
    const bodies = this.views[view].bodies;
    const local = hit.point.clone().sub(bodies.position(hit.index)).applyQuaternion(bodies.quaternion(hit.index).invert());
    const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = { index: hit.index, local, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point), pulling: false };
  }

  move(event) {
    this.pointer = { x: event.clientX, y: event.clientY };
    if (this.grip) return this.moveAnchor(event);
    if (!this.held) return;
    event.stopImmediatePropagation();
    const far = Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) > CLICK;
    if (!far && !this.held.pulling) return;
    this.cast(event.clientX, event.clientY);
    const target = this.ray.ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (!target) return;
    if (!this.held.pulling) {
      this.held.pulling = true;
      this.model.select(this.held.index, true);
      this.connection.tell('grab', { body: this.held.index, point: this.held.local.toArray(), target: target.toArray() });
    }
    this.connection.tell('drag', { target: target.toArray() });
  }

  up(event) {
    if (this.grip) {
      const { held } = this.handles;
      if (held && event.type === 'pointerup') this.handles.dropped?.(held);
      this.handles.held = this.grip = null;
      this.handles.moved?.();
      return;
    }
    if (this.held?.pulling) this.connection.tell('release');
    else if (this.start && event.type === 'pointerup' && Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) <= CLICK)
      this.model.select(this.start.hit && !this.model.bodies.get(this.start.hit.index)?.ground ? this.start.hit.index : -1);
    this.letGo();
  }
  letGo() {
    this.held = this.start = this.grip = null;
  }

  /// A point in front of the camera under the pointer: on a body, on the floor, or as far away as the middle of the view.
  place({ x, y } = this.pointer) {
    this.cast(x, y);
    const hit = this.pick(x, y);
    if (hit) return hit.point;
    const floor = new THREE.Plane(this.stage.up.clone(), 0);
    const point = this.model.ground && this.ray.ray.intersectPlane(floor, new THREE.Vector3());
    const depth = this.stage.camera.position.distanceTo(this.stage.controls.target);
    if (point && point.distanceTo(this.stage.camera.position) < 6 * depth) return point;
    return this.ray.ray.at(depth, new THREE.Vector3());
  }
}
