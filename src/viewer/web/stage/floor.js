// Background, floor and grid: the floor fades into the background, so that it has no edge.
import * as THREE from 'three';

const gridVertex = `
  varying vec3 world;
  void main() {
    vec4 p = modelMatrix * vec4(position, 1.0);
    world = p.xyz;
    gl_Position = projectionMatrix * viewMatrix * p;
  }`;
const gridFragment = `
  varying vec3 world;
  uniform vec3 color, tint, axisA, axisB, center;
  uniform float cell, reach, solid;
  float lines(vec2 p) {
    vec2 width = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5) / max(width, vec2(1e-6));
    float fade = 1.0 - smoothstep(0.25, 0.9, max(width.x, width.y));
    return (1.0 - min(min(d.x, d.y), 1.0)) * fade;
  }
  void main() {
    vec2 p = vec2(dot(world, axisA), dot(world, axisB)) / cell;
    float r = length(world - center) / reach;
    float fade = 1.0 - smoothstep(0.15, 1.0, r);
    float line = max(lines(p) * 0.32, lines(p / 10.0) * 0.6);
    float base = solid * fade;
    float alpha = clamp(base * 0.55 + line * fade * 0.55, 0.0, 1.0);
    gl_FragColor = vec4(mix(tint, color, line), alpha);
    #include <colorspace_fragment>
  }`;
const skyFragment = `
  varying vec3 world;
  uniform vec3 sky, horizon, up, top, bottom;
  uniform float own;
  void main() {
    float t = dot(normalize(world), up);
    vec3 usual = mix(horizon, sky, smoothstep(-0.05, 0.55, abs(t)));
    gl_FragColor = vec4(mix(usual, mix(bottom, top, smoothstep(-0.7, 0.7, t)), own), 1.0);
    #include <colorspace_fragment>
  }`;

export function makeFloor() {
  const group = new THREE.Group();
  const grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
    vertexShader: gridVertex, fragmentShader: gridFragment, transparent: true, depthWrite: false, side: THREE.DoubleSide,
    uniforms: { color: { value: new THREE.Color() }, tint: { value: new THREE.Color() }, axisA: { value: new THREE.Vector3(1, 0, 0) },
                axisB: { value: new THREE.Vector3(0, 0, 1) }, center: { value: new THREE.Vector3() }, cell: { value: 1 },
                reach: { value: 30 }, solid: { value: 1 } },
  }));
  const shadow = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({ opacity: 0.3, depthWrite: false }));
  shadow.receiveShadow = true;
  const sky = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 16), new THREE.ShaderMaterial({
    vertexShader: `varying vec3 world; void main() { world = position; vec4 p = projectionMatrix * mat4(mat3(viewMatrix)) * vec4(position, 1.0);
      gl_Position = p.xyww; }`,
    fragmentShader: skyFragment, side: THREE.BackSide, depthTest: false, depthWrite: false,
    uniforms: { sky: { value: new THREE.Color() }, horizon: { value: new THREE.Color() }, own: { value: 0 },
                top: { value: new THREE.Color() }, bottom: { value: new THREE.Color() }, up: { value: new THREE.Vector3(0, 1, 0) } },
  }));
  sky.frustumCulled = false;
  sky.renderOrder = -10;
  grid.renderOrder = -2;
  shadow.renderOrder = -1;
  for (const mesh of [grid, shadow]) mesh.frustumCulled = false;
  group.add(sky, grid, shadow);
  let height = 0, wanted = true, covered = false;  // whether the user wants the grid, and whether a textured ground hides it

  return {
    group,
    setTheme(theme) {
      sky.material.uniforms.sky.value.set(theme.sky);
      sky.material.uniforms.horizon.value.set(theme.horizon);
      grid.material.uniforms.color.value.set(theme.grid);
      grid.material.uniforms.tint.value.set(theme.floor);
      shadow.material.opacity = theme.shadow;
    },
    /// `own` has the colours at the zenith (`top`) and the nadir (`bottom`). Without it the sky has the colours of the theme.
    setSky(own) {
      const { uniforms } = sky.material;
      uniforms.own.value = own ? 1 : 0;
      if (own) uniforms.top.value.set(own.top), uniforms.bottom.value.set(own.bottom);
    },
    place(up) {
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
      for (const mesh of [grid, shadow]) mesh.quaternion.copy(turn);
      grid.material.uniforms.axisA.value.set(1, 0, 0).applyQuaternion(turn);
      grid.material.uniforms.axisB.value.set(0, 1, 0).applyQuaternion(turn);
      sky.material.uniforms.up.value.copy(up);
    },
    /// A cell is a power of ten near a fifth of the scene.
    setScale(radius) {
      const reach = Math.max(radius * 14, 1e-3);
      grid.scale.setScalar(reach);
      shadow.scale.setScalar(reach);
      grid.material.uniforms.reach.value = reach;
      grid.material.uniforms.cell.value = 10 ** Math.round(Math.log10(radius / 3));
    },
    /// Without a ground there is nothing to cast a shadow on; the faint grid stays, for the sense of scale. A ground with a texture is drawn in the same plane and has its own shadows, so it
    /// replaces both.
    setGround(exists, isTextured = false) {
      covered = isTextured;
      shadow.visible = exists && !covered;
      grid.material.uniforms.solid.value = exists ? 1 : 0;
      grid.visible = wanted && !covered;
    },
    /// How far above the origin the floor is. A ground is at the origin; without one the grid is below everything that moves, so that its lines do not cross bodies.
    setHeight(value) {
      height = value;
    },
    /// The floor is about the center of the scene, and goes along with a camera that follows a body. Its lines stay where they are.
    setCenter(center, up) {
      for (const mesh of [grid, shadow]) mesh.position.copy(center).addScaledVector(up, height - center.dot(up));
      grid.material.uniforms.center.value.copy(grid.position);
    },
    setGrid(visible) {
      wanted = visible;
      grid.visible = wanted && !covered;
    },
  };
}
