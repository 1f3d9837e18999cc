// The selected body's outline, and the line between the mouse and the body that it holds.
import * as THREE from 'three';

const COLOR = '#d9782b', WIDTH = 2.5;  // of the outline, px

/// The back of the body, a little larger on the screen than its front.
function outlineMaterial() {
  return new THREE.ShaderMaterial({
    side: THREE.BackSide, toneMapped: false,
    uniforms: { color: { value: new THREE.Color(COLOR) }, pixel: { value: new THREE.Vector2(1e-3, 1e-3) } },
    vertexShader: `uniform vec2 pixel;
      void main() {
        vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        vec2 n = (projectionMatrix * vec4(normalMatrix * normal, 0.0)).xy;
        p.xy += normalize(n + vec2(1e-6)) * pixel * p.w;
        gl_Position = p;
      }`,
    fragmentShader: `uniform vec3 color;
      void main() {
        gl_FragColor = vec4(color, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

export class Selection {
  constructor() {
    this.group = new THREE.Group();
    this.index = -1;
    this.outlines = [];
    this.material = outlineMaterial();
    const shown = { color: COLOR, depthTest: false, toneMapped: false };
    this.rope = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial(shown));
    this.knob = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial(shown));
    for (const part of [this.rope, this.knob]) {
      part.frustumCulled = false;
      part.visible = false;
      part.renderOrder = 12;
      this.group.add(part);
    }
  }

  select(index, shape) {
    this.group.remove(...this.outlines);
    this.index = index;
    this.outlines = (shape?.parts ?? []).filter(Boolean).map((part) => {
      const outline = new THREE.Mesh(part.geometry, this.material);
      outline.matrixAutoUpdate = false;
      outline.frustumCulled = false;
      outline.userData.local = part.matrix;
      this.group.add(outline);
      return outline;
    });
  }

  update(bodies, pulls, { radius, canvas }) {
    const there = this.index >= 0 && bodies.items[this.index]?.flag > 0;
    this.material.uniforms.pixel.value.set((2 * WIDTH) / canvas.clientWidth, (2 * WIDTH) / canvas.clientHeight);
    if (there) {
      const pose = new THREE.Matrix4().compose(bodies.position(this.index), bodies.quaternion(this.index), new THREE.Vector3(1, 1, 1));
      for (const outline of this.outlines) outline.matrix.multiplyMatrices(pose, outline.userData.local);
    }
    for (const outline of this.outlines) outline.visible = there;
    const pull = pulls?.[0];
    this.rope.visible = this.knob.visible = Boolean(pull);
    if (!pull) return;
    this.rope.geometry.setFromPoints([new THREE.Vector3(...pull.from), new THREE.Vector3(...pull.to)]);
    this.knob.position.set(...pull.to);
    this.knob.scale.setScalar(radius * 0.014);
  }
}
