// What can be done, by name: the buttons, the keys and the help text all come from here.
import { download } from './ui/dom.js';

function spawnDefinition(kind, size) {
  const shapes = {
    box: { box: [size, size, size] },
    sphere: { sphere: size / 2 },
    capsule: { capsule: { radius: size / 3, length: size } },
    cylinder: { cylinder: { radius: size / 2, height: size } },
    cone: { cone: { radius: size / 2, height: size } },
  };
  return shapes[kind];
}

/// The nearest of 1, 2, 5, 10, 20, … of the same order: lengths that people type.
export function roundLength(length) {
  const order = 10 ** Math.floor(Math.log10(length));
  return Number(([1, 2, 5, 10].findLast((m) => length >= 0.75 * m * order) * order).toPrecision(1));
}

/// The nearest multiple of a length of roundLength(), with as many decimals as it has itself: 0.3, not 0.30000000000000004.
function roundTo(length, unit) {
  const decimals = Math.max(0, Math.ceil(-Math.log10(unit) - 1e-9));
  return Number((Math.round(length / unit) * unit).toFixed(decimals));
}

export function makeActions(app) {
  const { connection, model, stage, picking } = app;
  const size = () => roundLength(Math.max(stage.radius * 0.16, 1e-3));
  const running = () => model.state?.playing;
  /// The kind and the first number that no body has yet.
  const newName = (kind) => {
    const taken = new Set([...model.bodies.values()].map((body) => body.name));
    let number = 1;
    while (taken.has(`${kind} ${number}`) || given.has(`${kind} ${number}`)) ++number;
    given.add(`${kind} ${number}`);
    return `${kind} ${number}`;
  };
  /// As soon as the page knows the body.
  const selectNew = (index) => {
    if (model.bodies.has(index)) model.select(index);
    else model.addEventListener('scene', () => selectNew(index), { once: true });
  };
  const given = new Set();  // names of bodies that the program may not have made yet
  model.on('scene', ({ fresh }) => fresh && given.clear());

  const actions = {
    play: () => connection.tell(running() ? 'pause' : 'play'),
    step: () => connection.tell('step', { count: 1 }),
    many: () => connection.tell('step', { count: app.stepCount }),
    back: () => connection.tell('seek', { step: Math.max(model.state.history.first, (model.frame?.step ?? 0) - 1) }),
    reset: () => connection.tell('reset'),
    slower: () => actions.speed(model.state.speed / 2),
    faster: () => actions.speed(model.state.speed * 2),
    speed: (value) => connection.tell('speed', { value: Math.min(10, Math.max(0.01, value)) }),
    unlimited: () => connection.tell('speed', { unlimited: true, value: model.state.speed }),
    frame: () => app.frameAll(),
    follow: () => app.toggleFollow(),
    remove: () => model.selected >= 0 && connection.ask('remove', { body: model.selected }).then(() => model.select(-1), () => {}),
    unselect: () => model.select(-1),
    undo: () => connection.tell('undo'),
    redo: () => connection.tell('redo'),
    throw: () => {
      picking.cast(picking.pointer.x, picking.pointer.y);
      const { origin, direction } = picking.ray.ray, speed = 6 * Math.sqrt(9.81 * stage.radius);
      connection.tell('spawn', { definition: {
        name: newName('ball'), shape: { sphere: size() / 2 },
        material: { name: 'steel', density: 2500, friction: 0.5, restitution: 0.3 },
        position: origin.clone().addScaledVector(direction, stage.radius * 0.2).toArray(),
        velocity: direction.clone().multiplyScalar(speed).toArray() } });
    },
    /// At the pointer, or at the `middle` of what no panel covers.
    spawn: (kind = 'box', middle = false) => {
      const edge = size(), at = picking.place(middle ? stage.middle() : undefined).addScaledVector(stage.up, edge);
      const position = at.toArray().map((x) => roundTo(x, edge / 10));
      const definition = { name: newName(kind), shape: spawnDefinition(kind, edge), position };
      connection.ask('spawn', { definition }).then(({ body }) => middle && selectNew(body), () => {});
    },
    save: async () => {
      const { name, text } = await connection.ask('save');
      download(`${name || 'scene'}.json`, text, 'application/json');
    },
    picture: () => app.picture(),
    link: () => app.link.copy(),
    plots: () => app.plots.toggle(),
    scenes: () => app.scenes.toggle(),
    help: () => app.help.toggle(),
    theme: () => app.toggleTheme(),
  };
  return actions;
}

/// [key, action, what it does]; a key with a layer's name switches that overlay.
const KEYS = [
  [' ', 'play', 'play or pause'],
  ['.', 'step', 'one step'],
  [',', 'back', 'one step back'],
  ['n', 'many', 'N steps, as set beside the step button'],
  ['r', 'reset', 'back to the beginning'],
  ['-', 'slower', 'half the speed'],
  ['+', 'faster', 'twice the speed'],
  ['f', 'frame', 'see everything'],
  ['w', 'follow', 'follow the selected body'],
  ['b', 'throw', 'throw a ball at the pointer'],
  ['x', 'spawn', 'drop a box at the pointer'],
  ['Delete', 'remove', 'delete the selected body'],
  ['z', 'undo', 'undo the last change by hand'],
  ['y', 'redo', 'redo it'],
  ['Escape', 'unselect', 'select nothing'],
  ['c', 'layer:contact-points', 'contact points'],
  ['v', 'layer:velocities', 'velocities'],
  ['o', 'layer:normal-forces', 'contact forces'],
  ['a', 'layer:bounds', 'bounding boxes'],
  ['i', 'layer:inertias', 'inertia ellipsoids'],
  ['j', 'layer:joint-limits', 'joint limits'],
  ['g', 'layer:islands', 'islands by colour'],
  ['h', 'layer:tree', 'tree of the broad phase'],
  ['t', 'trails', 'trails'],
  ['p', 'plots', 'plots'],
  ['l', 'scenes', 'scenes'],
  ['s', 'save', 'save the scene as it is now'],
  ['k', 'picture', 'save a picture'],
  ['u', 'link', 'copy a link to this scene, these methods and this time'],
  ['d', 'theme', 'light or dark'],
  ['?', 'help', 'this list'],
];

const WATCHING = new Set(['play', 'step', 'back', 'reset', 'slower', 'faster', 'frame', 'follow', 'unselect', 'trails', 'plots', 'picture', 'theme', 'help']);

/// Those that do something here: a replay can only be watched.
export function keys() {
  return window.rigorReplay ? KEYS.filter(([, action]) => WATCHING.has(action)) : KEYS;
}

/// Keys belong to what has the focus: text to fields, the space bar and arrows to what they work on.
function isTaken({ key, target }) {
  if (target.tagName === 'SELECT' || target.tagName === 'TEXTAREA') return true;
  if (target.tagName !== 'INPUT') return false;
  if (target.type === 'checkbox') return key === ' ';
  return target.type !== 'range' || key.startsWith('Arrow');
}

export function listenToKeys(app) {
  addEventListener('keydown', (event) => {
    // Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y are what fingers know; with any other modifier a key is the browser's.
    const habit = (event.ctrlKey || event.metaKey) && !event.altKey ? { z: event.shiftKey ? 'y' : 'z', Z: 'y', y: 'y' }[event.key] : undefined;
    if (((event.ctrlKey || event.metaKey || event.altKey) && !habit) || isTaken(event) || !app.model.state) return;
    if (event.key === ' ' && event.target.tagName === 'BUTTON') event.target.blur();
    const pressed = habit ?? event.key;
    const found = keys().find(([key]) => key === pressed || (key === '+' && event.key === '='));
    if (!found) return;
    event.preventDefault();
    const [, action] = found;
    if (action.startsWith('layer:')) app.model.setLayer(action.slice(6), !app.model.layers.has(action.slice(6)));
    else if (action === 'trails') app.setTrails(!app.trailsOn);
    else if (event.key === 'Escape' && app.dialogs.closeOne()) return;
    else app.actions[action]();
  });
}
