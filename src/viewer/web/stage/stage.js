// Camera, light, floor, and one view per simulation, all drawn into one canvas.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { makeEnvironment } from './environment.js';
import { makeFloor } from './floor.js';
import { Lights } from './lights.js';
import { THEMES } from './colors.js';
import { fit, outermost, viewDirection } from './framing.js';

const FOV = 38;  // °, of the free view
const LABEL = 44;  // px below a view for the name of its method
const SLOW = 150, PATIENCE = 12;  // ms for a picture, and how many such pictures in a row are too slow

export class Stage {
  /// `plain`: no shadows, no reflections, for machines without a graphics card.
  constructor(canvas, { plain = false } = {}) {
    this.canvas = canvas;
    this.plain = plain;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !plain, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(plain ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = !plain;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 0.98;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.01, 1000);
    this.views = [];  // one per simulation, see views.js
    this.radius = 3;
    this.center = new THREE.Vector3();
    this.towardsSun = new THREE.Vector3(-0.45, 0.8, 0.4);
    this.framed = null;  // what the camera was placed for, until the user moves it
    this.needed = true;
    this.addLights();
    this.floor = makeFloor();
    this.scene.add(this.floor.group);
    this.setUp([0, 1, 0]);
    this.setTheme('light');
    this.inset = { right: 0, top: 0, bottom: 0 };  // px that panels cover
    new ResizeObserver(() => (this.reframe(), this.invalidate())).observe(canvas);
  }

  addLights() {
    this.sky = new THREE.HemisphereLight('#ffffff', '#b9b2a6', 0.9);
    this.sun = new THREE.DirectionalLight('#fff3e2', 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.intensity = 0.85;
    this.scene.add(this.sky, this.sun, this.sun.target);
    this.lights = new Lights(this);
  }

  setTheme(name) {
    this.theme = THEMES[name];
    this.balanceLights();
    this.floor.setTheme(this.theme);
    this.invalidate();
  }

  /// The lights of a scene replace the sun; its headlight replaces the light from all around.
  setAppearance(appearance = {}, named = () => -1, starts = {}) {
    this.lights.set(appearance, named, starts);
    this.floor.setSky(appearance.sky);
    this.balanceLights();
    this.invalidate();
  }
  balanceLights() {
    const { theme, lights } = this;
    this.sun.visible = !lights.exist;
    this.sun.intensity = theme.sun;
    this.sky.intensity = lights.head ? 0 : theme.ambient;
    this.scene.environmentIntensity = lights.head ? 0.3 * theme.environment : theme.environment;
  }

  /// Looks through a camera, which placeMounted() moves. Null is the free view.
  mount(camera) {
    this.mounted = camera;
    this.controls.enableZoom = this.controls.enablePan = !camera;
    this.camera.fov = camera?.fov ?? FOV;
    this.invalidate();
  }
  placeMounted(position, turn) {
    this.camera.position.copy(position);
    this.camera.quaternion.copy(turn);
    this.camera.near = this.radius / 500;
    this.camera.far = this.radius * 60;
    // A drag of the mouse starts the free view from here.
    this.controls.target.copy(new THREE.Vector3(0, 0, -1).applyQuaternion(turn).multiplyScalar(Math.max(0.5 * this.radius, position.distanceTo(this.center))).add(position));
    this.framed = null;
    this.invalidate();
  }

  /// After the first picture, which should not wait for it.
  addEnvironment() {
    if (this.plain || this.scene.environment) return;
    this.scene.environment = makeEnvironment(this.renderer);
    this.invalidate();
  }

  setUp(up) {
    this.up = new THREE.Vector3(...up).normalize();
    const target = this.controls?.target.clone() ?? new THREE.Vector3();
    this.controls?.dispose();
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.target.copy(target);
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => {
      this.framed = null;
      if (this.mounted) this.released?.();
    });
    this.floor.place(this.up);
    this.invalidate();
  }

  /// Sees all of `points` (x, y, z, …) in what no panel covers, from `direction` or from where the motion is seen best.
  frame(points, direction = viewDirection(points, this.up)) {
    const { position, target, radius } = fit(points, direction, this.up, this.freeAngles());
    this.place(position, target, radius);
    this.framed = { points: outermost(points), direction };
  }
  /// The same points again after the window, the panels or the points have changed.
  reframe() {
    if (this.framed) this.frame(this.framed.points, this.framed.direction);
  }
  place(position, target, radius) {
    this.radius = radius;
    this.center = target.clone();
    const distance = position.distanceTo(target);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.camera.near = distance / 500;
    this.camera.far = distance * 60;
    this.floor.setCenter(target, this.up);
    this.turnSun(position.clone().sub(target));
    this.placeSun({ center: target, radius });
    this.floor.setScale(radius);
    this.controls.update();
    this.invalidate();
  }
  /// Camera, light and floor go along with a body.
  move(by) {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.center.add(by);
    this.floor.setCenter(this.center, this.up);
    this.framed = null;
    this.placeSun({ center: this.center, radius: this.radius });
  }
  /// Looks from where it stands towards a point, from a distance at which a ball of this radius fills the view.
  lookAt(center, radius) {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize(), points = [];
    for (const s of [-1, 1]) for (let k = 0; k < 3; ++k) points.push(...center.clone().setComponent(k, center.getComponent(k) + s * radius).toArray());
    this.frame(points, direction);
    this.framed = null;
  }

  /// The sun stands at the left of the camera, above and a little behind it, so that the faces that are seen are lit and shadows fall to the right.
  turnSun(direction) {
    const right = new THREE.Vector3().crossVectors(this.up, direction);
    if (right.lengthSq() < 1e-12 * direction.lengthSq()) return;  // the camera looks straight down
    const behind = new THREE.Vector3().crossVectors(right.normalize(), this.up);
    this.towardsSun.copy(this.up).multiplyScalar(1.05).addScaledVector(right, -0.38).addScaledVector(behind, 0.8).normalize();
  }
  placeSun({ center, radius }) {
    const reach = Math.min(Math.max(radius, 1e-4) * 2.6, 1e5);
    this.sun.position.copy(center).addScaledVector(this.towardsSun, reach * 2);
    this.sun.target.position.copy(center);
    const camera = this.sun.shadow.camera;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach * 0.1, far: reach * 5 });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = reach * 0.004;
    this.sun.shadow.bias = -0.0002;
  }

  /// Tangents of half the angles of the rectangle about the view's axis that no panel covers.
  freeAngles() {
    const { height, free } = this.rectangles()[0];
    const perPixel = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / (height / 2);
    return { tx: (perPixel * free.width) / 2, ty: (perPixel * free.height) / 2 };
  }
  setShadows(on) {
    this.sun.castShadow = on;
    this.invalidate();
  }
  /// What was seen stays in what is free: the camera goes back as far as that gets smaller.
  setInset(inset) {
    const before = this.freeAngles();
    this.inset = inset;
    const after = this.freeAngles(), { target } = this.controls;
    const back = Math.max(before.tx / after.tx, before.ty / after.ty);
    if (this.framed) this.reframe();
    else this.camera.position.sub(target).multiplyScalar(back).add(target);
    this.invalidate();
  }
  invalidate() {
    this.needed = true;
  }

  /// Rectangles of the views in CSS pixels from the top left, in rows. `free` is what no
  /// panel covers of each, at least a fifth of its sides. A single view fills the window; several share what is left of the panel at the right and of plots and tools at the bottom.
  rectangles() {
    const { right, top, bottom } = this.inset, n = Math.max(1, this.views.length);
    const height = Math.max(1, (this.canvas.clientHeight || 1) - (n > 1 ? bottom : 0)), width = (this.canvas.clientWidth || 1) - (n > 1 ? right : 0);
    // As many columns as make the smallest view largest.
    const room = (c) => Math.min(width / c, height / Math.ceil(n / c) - top - LABEL);
    let columns = 1;
    for (let c = 2; c <= n; ++c) if (room(c) > room(columns)) columns = c;
    const rows = Math.ceil(n / columns);
    return Array.from({ length: n }, (_, i) => {
      const row = Math.floor(i / columns), w = width / columns, h = height / rows;
      const above = row === 0 ? top : 0, below = n === 1 ? bottom : LABEL;
      return { x: (i % columns) * w, y: row * h, width: w, height: h, free: { x: 0, y: above, width: Math.max(0.2 * w, w - (n > 1 ? 0 : right)), height: Math.max(0.2 * h, h - above - below) } };
    });
  }

  /// The camera of one view: the middle of the picture is in the middle of what is free.
  aim({ width, height, free }) {
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, width / 2 - (free.x + free.width / 2), height / 2 - (free.y + free.height / 2), width, height);
  }

  /// The middle of what no panel covers of the first view, in window coordinates.
  middle() {
    const { x, y, free } = this.rectangles()[0], box = this.canvas.getBoundingClientRect();
    return { x: box.left + x + free.x + free.width / 2, y: box.top + y + free.y + free.height / 2 };
  }

  /// Which view is under a pointer, and where in it, from -1 to 1.
  at(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top;
    const rectangles = this.rectangles();
    const found = rectangles.findIndex((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height);
    const view = Math.max(0, found), r = rectangles[view];
    return { view, x: ((x - r.x) / r.width) * 2 - 1, y: 1 - ((y - r.y) / r.height) * 2, rectangle: r };
  }

  render() {
    if (!this.mounted) this.controls.update();
    if (!this.needed) return false;
    this.needed = false;
    const before = performance.now();
    this.draw();
    this.slow = performance.now() - before > SLOW ? (this.slow ?? 0) + 1 : 0;
    if (this.slow > PATIENCE && this.sun.castShadow) this.tooSlow?.();
    return true;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) this.renderer.setSize(width, height, false);
    const rectangles = this.rectangles();
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(this.theme.horizon);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    rectangles.forEach((r, i) => {
      this.beforeView?.(i);
      this.lights.followCamera(this.camera);
      this.aim(r);
      const y = height - r.y - r.height;
      this.renderer.setViewport(r.x, y, r.width, r.height);
      this.renderer.setScissor(r.x, y, r.width, r.height);
      this.renderer.render(this.scene, this.camera);
    });
  }
}
