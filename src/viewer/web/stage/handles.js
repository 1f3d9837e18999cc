// The anchors of the selected joint, as balls that the mouse can drag. A line to the ball shows where the anchor was.
import * as THREE from 'three';

const COLOR = '#d9782b', SIZE = 0.016;  // radius of a ball, as a part of the scene's
const REACH = 14;  // px from the middle of a ball within which the mouse grabs it

/// Ends of a joint that can be moved: both of a rod or rope, the common one of other joints, none of wires and gears.
export function endsOf(joint) {
  if (joint.link) return ['a', 'b'];
  return joint.free ? ['b'] : [];
}

export class Handles {
  constructor(stage) {
    this.stage = stage;
    this.group = new THREE.Group();
    this.joint = null;
    this.held = null;  // { end, point } while it is dragged
    const shown = { color: COLOR, depthTest: false, toneMapped: false, transparent: true };
    this.balls = ['a', 'b'].map((end) => {
      const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 14), new THREE.MeshBasicMaterial({ ...shown, opacity: 0.85 }));
      Object.assign(mesh, { frustumCulled: false, visible: false, renderOrder: 13 });
      mesh.userData.end = end;
      this.group.add(mesh);
      return mesh;
    });
    this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial(shown));
    Object.assign(this.line, { frustumCulled: false, visible: false, renderOrder: 13 });
    this.group.add(this.line);
  }

  /// `joint` as the program describes it; null: nothing is selected.
  set(joint) {
    this.joint = joint && endsOf(joint).length ? joint : null;
    if (this.joint) return;
    this.held = null;
    for (const part of [...this.balls, this.line]) part.visible = false;
  }

  /// Where an end of the joint is now.
  place(bodies, end, target = new THREE.Vector3()) {
    const { frames } = this.joint, at = end === 'a' ? 0 : 7, body = end === 'a' ? this.joint.a : this.joint.b;
    return target.fromArray(frames, at).applyQuaternion(bodies.quaternion(body)).add(bodies.position(body));
  }
  update(bodies) {
    const ends = this.joint ? endsOf(this.joint) : [];
    for (const ball of this.balls) {
      const { end } = ball.userData;
      ball.visible = ends.includes(end);
      if (!ball.visible) continue;
      this.place(bodies, end, ball.position);
      ball.scale.setScalar(SIZE * this.stage.radius);
    }
    this.line.visible = Boolean(this.held && this.joint);
    if (!this.line.visible) return;
    const ball = this.balls.find((b) => b.userData.end === this.held.end);
    this.line.geometry.setFromPoints([ball.position, this.held.point]);
    ball.position.copy(this.held.point);
  }

  /// The ball under a point of the window: { end, point }, or null.
  at(clientX, clientY) {
    if (!this.joint) return null;
    const { stage } = this, box = stage.canvas.getBoundingClientRect(), r = stage.rectangles()[0];
    stage.aim(r);
    stage.camera.updateMatrixWorld();
    for (const ball of this.balls) {
      if (!ball.visible) continue;
      const p = ball.position.clone().project(stage.camera);
      const x = box.left + r.x + ((p.x + 1) / 2) * r.width, y = box.top + r.y + ((1 - p.y) / 2) * r.height;
      if (p.z < 1 && Math.hypot(x - clientX, y - clientY) < REACH) return { end: ball.userData.end, point: ball.position.clone() };
    }
    return null;
  }
}
