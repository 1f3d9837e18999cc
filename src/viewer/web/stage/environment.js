// Light from all around: a bright sky, a warm floor and a soft window, blurred into what surfaces reflect.
import * as THREE from 'three';

const fragment = `
  varying vec3 direction;
  void main() {
    vec3 d = normalize(direction);
    vec3 color = mix(vec3(0.62, 0.58, 0.53), vec3(0.86, 0.93, 1.0), smoothstep(-0.4, 0.5, d.y));
    float window = smoothstep(0.62, 0.95, dot(d, normalize(vec3(0.5, 0.75, 0.45))));
    gl_FragColor = vec4(color * 0.9 + window * vec3(5.0, 4.7, 4.2), 1.0);
  }`;

export function makeEnvironment(renderer) {
  const scene = new THREE.Scene();
  scene.add(new THREE.Mesh(new THREE.SphereGeometry(10, 24, 16), new THREE.ShaderMaterial({
    vertexShader: 'varying vec3 direction; void main() { direction = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: fragment, side: THREE.BackSide,
  })));
  const generator = new THREE.PMREMGenerator(renderer);
  const { texture } = generator.fromScene(scene);
  generator.dispose();
  return texture;
}
