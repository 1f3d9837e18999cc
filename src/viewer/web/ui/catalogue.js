// What things are called beside their short names: scenes with groups, methods with a sentence on their character.

export const GROUPS = ['Stacks', 'Machines', 'Chaos', 'Free flight', 'Benchmarks'];

/// name → [group, title]. A scene that is not here is shown by its name under the last group. The order is that of the thumbnails: new ones come last.
export const SCENES = {
  'stack-sequential': ['Stacks', 'A stack that falls'],
  'stack-simultaneous': ['Stacks', 'The same stack, which stands'],
  'card-house': ['Stacks', 'House of cards'],
  'masonry-arch': ['Stacks', 'Arch without mortar'],
  dominoes: ['Stacks', 'A row of dominoes'],
  'interpenetrating-boxes': ['Stacks', 'Boxes that begin in the floor'],
  'self-assembly': ['Stacks', 'Letters that build themselves'],
  'wall-and-ball': ['Stacks', 'A ball through a wall'],
  car: ['Machines', 'Car with springs and steering'],
  'bender-car': ['Machines', 'Car with a motor per wheel'],
  'walking-machine': ['Machines', 'Walking machine on six legs'],
  bridge: ['Machines', 'Rope bridge'],
  'newtons-cradle': ['Machines', 'Newton’s cradle'],
  springs: ['Machines', 'Masses on springs'],
  seesaw: ['Machines', 'Seesaw as a catapult'],
  'seesaw-text': ['Machines', 'Seesaw with the numbers of the text'],
  'conveyor-belt': ['Machines', 'Conveyor belt'],
  buoyancy: ['Machines', 'Things in water'],
  ragdoll: ['Machines', 'A doll falls'],
  'ragdoll-stairs': ['Machines', 'A doll on the stairs'],
  'double-pendulum': ['Chaos', 'Double pendulum'],
  chain: ['Chaos', 'Chain with a heavy ball'],
  pendulum: ['Chaos', 'Pendulum'],
  explosion: ['Chaos', 'Explosion'],
  magnets: ['Chaos', 'Compass needles'],
  'spinning-top': ['Chaos', 'Two spinning tops'],
  gyroscope: ['Chaos', 'Gyroscope'],
  dzhanibekov: ['Free flight', 'The handle that flips (Dzhanibekov)'],
  'free-top': ['Free flight', 'Two tops in free flight'],
  'free-cloud': ['Free flight', 'A thousand bodies drift'],
  kepler: ['Free flight', 'A planet on an ellipse (Kepler)'],
  planets: ['Free flight', 'A small solar system'],
  projectile: ['Free flight', 'Thrown balls with and without air'],
  'a-pyramid': ['Benchmarks', 'Flat pyramid of 210 boxes'],
  'b-pyramid-3d': ['Benchmarks', 'Square pyramid of 1240 boxes'],
  'c-column-10': ['Benchmarks', 'Column of ten boxes'],
  'c-column-30': ['Benchmarks', 'Column of thirty boxes'],
  'd-pit': ['Benchmarks', 'A thousand bodies in a pit'],
  'e-chains': ['Benchmarks', 'Ten chains of a hundred links'],
  'f-ragdolls': ['Benchmarks', 'A heap of 64 dolls'],
  'g-tumbling': ['Benchmarks', 'A tumbling box'],
  'h-mass-ratio': ['Benchmarks', '1000 kg on 1 kg'],
  'i-slope-25': ['Benchmarks', 'A slope that holds'],
  'i-slope-30': ['Benchmarks', 'A slope that lets go'],
  'j-tree': ['Benchmarks', 'A tree of 127 rods'],
  'gears-and-ropes': ['Machines', 'Gears, a rope and a wire'],
};
/// Thumbnails in a row of ui/scenes.webp, which tests/browser/pictures.mjs --thumbnails makes.
export const COLUMNS = 6;
export const titleOf = (name) => SCENES[name]?.[1] ?? name;
export const groupOf = (name) => SCENES[name]?.[0] ?? GROUPS.at(-1);

/// name → [what it is, its character].
export const METHODS = {
  'soft-step': ['Soft sub-steps', 'The default: quick and steady for stacks, machines and crowds; joints and contacts give way a little.'],
  garstenauer: ['Impulses for all contacts at once', 'Stacks stand with few iterations; errors of position are pushed out over some steps.'],
  'garstenauer-sequential': ['Impulses contact by contact', 'Simple and quick; high stacks need many iterations.'],
  'garstenauer-shock': ['Impulses with shock propagation', 'High stacks stand with few iterations, because what lies below counts as fixed at the end.'],
  hahn: ['Impulses for everything', 'Even rest is a series of small impacts; contacts are treated from the ground upwards.'],
  guendelman: ['Impacts apart from rest', 'Bounces stay lively and stacks stay calm, because two solvers share the work.'],
  'stewart-trinkle': ['One exact contact problem', 'Friction and contact are solved exactly; slow for more than some dozen contacts.'],
  'cline-pai': ['One problem, errors afterwards', 'As exact as the solver, and positions are mended apart from velocities, which adds no energy.'],
  sombatpanich: ['Fourth-order steps with impulses', 'Free motion is very exact; contacts are treated one by one.'],
  baraff: ['Back to the time of impact', 'Nothing ever overlaps; every impact costs a smaller step.'],
  'baltman-radeztsky': ['Verlet with springs at rest', 'Impacts by impulses, resting contact by springs.'],
  bender: ['Joints by prediction, one by one', 'Joints end each step closed to a tolerance.'],
  'bender-schmitt': ['Joints by prediction, all at once', 'Long chains and loops of joints end each step closed; made for machines.'],
  'moore-wilhelms': ['Penalty springs', 'Everything is a spring: easy to follow, needs small steps.'],
  servin: ['Constraints with compliance', 'Stiff and soft joints in one sparse system; chains stay together at any mass ratio.'],
  featherstone: ['Joint coordinates', 'Joints cannot come apart, because only their angles are simulated.'],
  jakobsen: ['Positions without velocities', 'Very robust and quick; energy is lost.'],
  xpbd: ['Positions with compliance', 'Robust with many small sub-steps; stiffness does not depend on the step.'],
  avbd: ['Implicit, body by body', 'Large steps stay stable; motion is damped.'],
  tgs: ['Many small steps, one iteration each', 'High stacks and large mass ratios at a low price.'],
  nncg: ['Conjugate gradients', 'As impulses for all at once, with fewer iterations for the same error.'],
  nsgs: ['Exact contacts, one after the other', 'True friction cones; converges surely and slowly.'],
  admm: ['Friction cones by splitting', 'True friction cones; even convergence, hard to stop early.'],
  'newton-cone': ['Friction cones by Newton', 'True friction cones to high accuracy; each iteration solves a linear system.'],
  sap: ['One smooth problem per step', 'Contacts and joints give way a little and converge in every step; impacts of many bodies at once are slow.'],
  'mujoco-like': ['Soft contacts as in MuJoCo', 'For comparing with MuJoCo’s models; nothing bounces.'],
  cenic: ['As accurate as asked', 'Makes its steps as short as an accuracy needs: exact impacts and rolling, slow heaps.'],
  'free-flight': ['Nothing but free motion', 'Keeps energy and momentum to rounding; bodies pass through each other.'],
  'free-flight-exact': ['Exact rotation', 'Rotation by elliptic functions; bodies pass through each other.'],
  'course-notes': ['Textbook Runge–Kutta', 'Free motion of order four; bodies pass through each other.'],
};
export const methodTitle = (name) => METHODS[name]?.[0] ?? name;

/// Parameters that change what one sees, the most telling first; a panel shows the step and the first two that a method has.
export const KNOBS = [/^stepping\.(count|sub_?steps|substeps)$/, /^stepping\.iterations$/, /^solver\.(collision|contact)\.iterations$/, /^solver\.\w+\.iterations$/,
  /^solver\.correction\.(erp|factor|rate)$/, /^stepping\.(contact_stiffness|stiffness)$/, /^stepping\.(joint_stiffness|compliance|damping|contact_damping)$/, /\.warm_start$/,
  /^stepping\.tolerance$/, /\.tolerance$/, /stiffness$/, /^gyroscopic$/, /restitution_threshold$/];

/// Plain names of parameters among KNOBS whose own names say little outside of their stage.
export const KNOB_NAMES = [[/^stepping\.(count|sub_?steps|substeps)$/, 'sub-steps'], [/correction\.(erp|factor|rate)$/, 'error correction']];
