#!/usr/bin/env python3
"""Writes the scenes that come from formulas: scripts/make_scenes.py [NAME...], from anywhere.

Scenes written by hand stand in scenes/ only.
"""
import json
import math
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")


def short(value):
    """Numbers with 12 digits: far below any tolerance, and readable."""
    if isinstance(value, float):
        rounded = float(f"{value:.12g}")
        return 0 if rounded == 0 else rounded
    if isinstance(value, (list, tuple)):
        return [short(v) for v in value]
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items()}
    return value


def write(name, description, world, method, run, camera=None):
    """One body or joint a line, so that changes can be read. A description that the file has already is kept: it is edited there."""
    path = os.path.join(FOLDER, name + ".json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as before:
            description = json.load(before)["description"]
    lines = []
    for key, value in world.items():
        if key in ("bodies", "joints", "forces", "generate"):
            items = ",\n      ".join(json.dumps(short(v), ensure_ascii=False) for v in value)
            lines.append(f'    "{key}": [\n      {items} ]')
        else:
            lines.append(f'    "{key}": {json.dumps(short(value), ensure_ascii=False)}')
    text = f'{{ "rigor": 1, "name": "{name}",\n  "description": {json.dumps(description, ensure_ascii=False)},\n'
    text += '  "world": {\n' + ",\n".join(lines) + " },\n"
    text += f'  "method": {json.dumps(method)},\n  "run": {json.dumps(run)}'
    text += f',\n  "camera": {json.dumps(camera)} }}\n' if camera else " }\n"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def product(a, b):
    """Of quaternions [w, x, y, z]."""
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def about(axis, angle):
    """The rotation about a coordinate axis, 0 to 2."""
    q = [math.cos(angle / 2), 0, 0, 0]
    q[1 + axis] = math.sin(angle / 2)
    return q


def rotate(q, v):
    return product(product(q, [0] + list(v)), [q[0], -q[1], -q[2], -q[3]])[1:]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def dominoes():
    """Along a quarter of a circle and a straight line, 0.45 m apart."""
    bodies, spacing, radius = [], 0.45, 4.0
    count, bend = 30, 14
    step = spacing / radius
    x, z = 0.0, 0.0
    for i in range(count):
        angle = min(i, bend) * step
        if i > 0 and i <= bend:
            x, z = radius * math.sin(angle), radius * (1 - math.cos(angle))
        elif i > bend:
            x, z = x + spacing * math.cos(angle), z + spacing * math.sin(angle)
        bodies.append({"name": f"domino_{i}", "shape": {"box": [0.12, 1, 0.5]}, "position": [x, 0.5, z],
                       "orientation": about(1, -angle), "material": "ivory"})
    ball = {"name": "ball", "shape": {"sphere": 0.15}, "position": [-0.6, 0.8, 0], "velocity": [2.5, 1, 0], "material": "ivory"}
    write("dominoes", "A ball knocks the first of thirty dominoes over. What to look for: they fall one after the other, round the bend "
          "and along the line, the wave runs at an even speed, and each comes to rest leaning on the next.",
          {"materials": {"ivory": {"density": 1700, "friction": 0.3}}, "bodies": bodies + [ball]},
          "soft-step", {"dt": 1 / 120, "duration": 8})


def card_house():
    """Two cards lean on each other at the angle a; the next storey stands on cards that lie across the ridges."""
    length, width, t, a = 0.9, 0.6, 0.02, math.radians(25)
    pitch = 2 * length * math.sin(a) + 0.06
    half_x, half_y = (length * math.sin(a) + t * math.cos(a)) / 2, (length * math.cos(a) + t * math.sin(a)) / 2
    bodies = []

    def storey(count, base, level):
        for i in range(count):
            x = (i - (count - 1) / 2) * pitch
            for side, name in ((-1, "left"), (1, "right")):
                bodies.append({"name": f"{name}_{level}_{i}", "shape": {"box": [t, length, width]},
                               "position": [x + side * half_x, base + half_y, 0], "orientation": about(2, side * a),
                               "material": "card"})
        ridge = base + 2 * half_y
        for i in range(count - 1):
            # Cards that meet on a ridge leave a slit; the outer ends hang over.
            left = (i - (count - 1) / 2) * pitch + (-0.05 if i == 0 else 0.001)
            right = (i + 1 - (count - 1) / 2) * pitch + (0.05 if i == count - 2 else -0.001)
            bodies.append({"name": f"floor_{level}_{i}", "shape": {"box": [right - left, t, width]},
                           "position": [(left + right) / 2, ridge + t / 2, 0], "material": "card"})
        return ridge + t

    base = 0.0
    for level in range(3):
        base = storey(3 - level, base, level)
    write("card-house", "Fifteen cards in three storeys, the length of a card 0.9 m, lean on each other at 25 degrees. What to look for: the "
          "house stands, held by friction alone; friction below tan 25° = 0.47 lets the feet slip and it comes down "
          "(set the friction of the card to 0.3).",
          {"materials": {"card": {"density": 700, "friction": 0.7}}, "ground": {"friction": 0.7}, "bodies": bodies},
          "soft-step", {"dt": 1 / 60, "duration": 10})


def masonry_arch():
    """Half a ring of wedges between radius r and R on the ground."""
    r, big_r, depth, count = 4.4, 5.6, 1.5, 15
    bodies, wedge = [], math.pi / count
    for i in range(count):
        middle = math.pi - (i + 0.5) * wedge
        c, s = 0.5 * (r + big_r), math.sin(wedge / 2)
        points = []
        for radius in (r, big_r):
            for side in (-1, 1):
                for z in (-depth / 2, depth / 2):
                    points.append([radius * math.cos(wedge / 2) - c, side * radius * s, z])
        bodies.append({"name": f"stone_{i}", "shape": {"hull": points},
                       "position": [c * math.cos(middle), c * math.sin(middle), 0], "orientation": about(2, middle),
                       "material": "stone"})
    write("masonry-arch", "Half a circle of fifteen wedges without mortar stands on the ground. What to look for: it stands by friction and its "
          "own weight, the line of thrust within the ring (thicker than a tenth of its radius); with a friction of 0.2 the "
          "springers slide out and it falls.",
          {"materials": {"stone": {"density": 2400, "friction": 0.7}}, "ground": {"friction": 0.7}, "bodies": bodies},
          "soft-step", {"dt": 1 / 60, "duration": 10})


def wall_and_ball():
    write("wall-and-ball", "A ball of two tonnes at 15 m/s goes through a wall of 64 bricks. What to look for: the bricks that it meets fly off with "
          "it, the ones beside stay, those above come down; no brick is faster than the ball by more than an impact can make it.",
          {"materials": {"brick": {"density": 1900, "friction": 0.6}, "iron": {"density": 7800, "friction": 0.4}},
           "generate": [{"wall": {"name": "brick", "columns": 8, "courses": 8, "box": [1, 0.4, 0.5], "material": "brick"}}],
           "bodies": [{"name": "ball", "shape": {"sphere": 0.4}, "position": [0, 1.4, 6], "velocity": [0, 1.5, -15],
                       "material": "iron"}]},
          "soft-step", {"dt": 1 / 120, "duration": 5})


def conveyor_belt():
    """The belt ends over a bin's edge; boxes begin at rest on it."""
    bodies = [{"name": "belt", "shape": {"box": [12, 0.4, 2]}, "position": [0, 0.8, 0], "fixed": True,
               "material": {"friction": 0.5, "surface_velocity": [2, 0, 0]}},
              {"name": "brake", "shape": {"box": [3, 0.4, 2]}, "position": [7.5, 0.8, 0], "fixed": True}]
    for i in range(4):
        bodies.append({"name": f"box_{i}", "shape": {"box": [0.5, 0.5, 0.5]}, "position": [-5.5 + 1.5 * i, 1.25, 0]})
    bodies.append({"name": "ball", "shape": {"sphere": 0.25}, "position": [-5.5, 1.25, 0.7]})
    write("conveyor-belt", "The belt stands still, its surface runs at 2 m/s. What to look for: boxes slip until they have its speed, after "
          "v/(µg) = 0.41 s, and ride along on it; on the table behind they brake within v²/(2µg) = 0.41 m. The ball comes along at 2/7 of the "
          "speed only, and rolls against it.",
          {"bodies": bodies}, "soft-step", {"dt": 1 / 60, "duration": 6})


def gyroscope():
    """Steady precession with a level axle: I3 w3 P = m g l, exactly, since the term with P² has the factor cos 90°."""
    radius, height, l, density, spin, g = 0.3, 0.1, 0.5, 2000.0, 60.0, 9.81
    mass = density * math.pi * radius * radius * height
    precession = mass * g * l / (0.5 * mass * radius * radius * spin)
    wheel = {"name": "wheel", "shape": {"cylinder": {"radius": radius, "height": height}}, "density": density,
             "position": [l, 1, 0], "orientation": about(2, -math.pi / 2), "velocity": [0, 0, -precession * l],
             "angular_velocity": [spin, precession, 0], "can_collide": False}
    write("gyroscope", f"A wheel at the end of a level axle of {l} m whose other end is held at one point spins at {spin:g} rad/s. What to look for: it "
          f"does not fall but goes round, at g l / (r²/2 · ω) = {precession:.6f} rad/s, and stays level.",
          {"ground": False,
           "bodies": [wheel],
           "joints": [{"type": "ball", "name": "support", "a": "world", "b": "wheel", "anchor": [0, 1, 0]}]},
          "soft-step", {"dt": 1 / 120, "duration": 10}, {"trails": ["wheel"]})


def spinning_top():
    """Cones on their tips. Upright spin is stable above w = 2 sqrt(A m g l) / C, A about the tip."""
    radius, height = 0.4, 0.6
    a, c, l = 3 / 5 * (radius * radius / 4 + height * height), 3 / 10 * radius * radius, 3 / 4 * height  # per mass
    critical = 2 * math.sqrt(a * 9.81 * l) / c
    bodies = []
    for name, x, spin in (("fast", -1, 1.6 * critical), ("slow", 1, 0.5 * critical)):
        lean = 0.05
        bodies.append({"name": name, "shape": {"cone": {"radius": radius, "height": height}},
                       "position": [x - math.sin(lean) * height / 2, math.cos(lean) * height / 2, 0],
                       "orientation": product(about(2, lean), about(0, math.pi)),
                       "angular_velocity": rotate(about(2, lean), [0, spin, 0]),
                       "velocity": [0, 0, 0]})
    write("spinning-top", f"Two cones on their tips lean by 0.05 rad. Upright they are stable above 2 √(A m g l) / C = {critical:.1f} rad/s. "
          "What to look for: the fast one, at 1.6 times that, stays up and its axis goes round; the slow one, at half of it, falls over.",
          {"bodies": bodies}, "soft-step", {"dt": 1 / 240, "duration": 10})


def stacks():
    for name, method, what in (
            ("stack-sequential", "garstenauer-sequential", "ten rounds of sequential impulses: the boxes sink into each other, tilt, and the stack "
             "collapses. The same stack as stack-simultaneous; with --method garstenauer-shock it stands"),
            ("stack-simultaneous", "garstenauer", "ten rounds of Gauss–Seidel on one problem for all contacts: the stack stands. The same stack as "
             "stack-sequential")):
        write(name, f"Ten boxes (Garstenauer 2006, 8.3, one of the two parallel simulations) under {what}.",
              {"generate": [{"stack": {"name": "box", "count": 10, "box": [1, 1, 1]}}]}, method, {"dt": 0.01, "duration": 10})


def interpenetrating_boxes():
    write("interpenetrating-boxes", "Garstenauer 2006, 8.4: three boxes begin stuck in the floor, the small one tilted. What to look for: after one step they "
          "lie on the floor, and nothing moves. With --set solver.correction=baumgarte --set solver.correction.erp=1 they shoot "
          "out of the floor instead.",
          {"bodies": [{"name": "large", "shape": {"box": [2, 2, 2]}, "position": [-2.5, 0.6, 0]},
                      {"name": "middle", "shape": {"box": [1.5, 1, 1]}, "position": [0.3, 0.35, 0]},
                      {"name": "small", "shape": {"box": [0.6, 0.6, 0.6]}, "position": [2.2, 0.2, 0],
                       "orientation": about(2, 0.3)}]},
          {"preset": "garstenauer", "solver.correction": "simultaneous-position"}, {"dt": 0.01, "duration": 3})


def self_assembly():
    """Letters of boxes; each is glued to the one before, the first of a letter to the world."""
    bar = 0.4
    letters = {  # length along the bar, center x, y, whether it lies; the first one hangs in the air
        "G": [(2.0, 0.0, 2.0, True), (1.6, -0.8, 1.0, False), (2.0, 0.0, 0.0, True), (0.8, 0.8, 0.6, False)],
        "U": [(2.4, -0.8, 1.0, False), (1.2, 0.0, 0.0, True), (2.4, 0.8, 1.0, False)],
        "P": [(2.4, -0.8, 1.0, False), (1.2, 0.0, 2.0, True), (1.4, 0.8, 1.5, False), (1.2, 0.0, 1.0, True)]}
    bodies, joints = [], []
    for k, (letter, bars) in enumerate(letters.items()):
        last, last_place = "world", [0.0, 0.0, 0.0]
        for i, (size, x, y, lies) in enumerate(bars):
            place = [(k - 1) * 3.0 + x, y + 2.0, 0.0]
            name = f"{letter}_{i}"
            # They lie on the floor in the order of the figure, in front of where they go.
            bodies.append({"name": name, "shape": {"box": [size, bar, bar] if lies else [bar, size, bar]},
                           "position": [(k - 1) * 3.0 + 0.3 * i, bar / 2, 2.0 + 0.9 * i],
                           "orientation": about(1, 0.4 * i) if lies else product(about(1, 0.4 * i), about(2, math.pi / 2))})
            joints.append({"type": "fixed", "name": f"glue_{name}", "a": last, "b": name,
                           "frame_a": {"position": [p - q for p, q in zip(place, last_place)]}, "frame_b": {"position": [0, 0, 0]}})
            last, last_place = name, place
    write("self-assembly", "Garstenauer 2006, 8.4: boxes lie on the floor, joints that are far from closed glue them to each other and three of them to the "
          "air. What to look for: error correction carries the boxes to their places, and after some seconds the letters GUP hang there. "
          "A program that makes the joints inactive lets them fall again.",
          {"bodies": bodies, "joints": joints}, "soft-step", {"dt": 1 / 60, "duration": 10})


def ragdoll_stairs():
    """The doll of the scene ragdoll, thrown from the landing of a stair."""
    with open(os.path.join(FOLDER, "ragdoll.json"), encoding="utf-8") as file:
        doll = json.load(file)["world"]
    steps, rise, tread = 12, 0.2, 0.3
    landing = steps * rise
    shift = [-0.2, landing - 0.8, 0]
    bodies = []
    for body in doll["bodies"]:
        moved = dict(body)
        moved["position"] = add(body["position"], shift)
        moved["velocity"] = [3.5, 0, 0]
        bodies.append(moved)
    joints = [dict(j, anchor=add(j["anchor"], shift)) for j in doll["joints"]]
    bodies.append({"name": "landing", "shape": {"box": [3, landing, 3]}, "position": [-1.5, landing / 2, 0], "fixed": True, "material": "stairs"})
    for i in range(1, steps):
        height = landing - i * rise
        bodies.append({"name": f"step_{i}", "shape": {"box": [tread, height, 3]}, "position": [(i - 0.5) * tread, height / 2, 0],
                       "fixed": True, "material": "stairs"})
    materials = dict(doll["materials"], stairs={"friction": 0.3})
    write("ragdoll-stairs", "Garstenauer 2006, 8.5: a doll is thrown down a stair of twelve steps. What to look for: it tumbles to the bottom, its "
          "joints stay closed and within their limits, and no limb sinks into a step.",
          {"materials": materials, "bodies": bodies, "joints": joints}, {"preset": "garstenauer-sequential", "solver.collision": {"iterations": 50}, "solver.contact": {"iterations": 50},
           "solver.joint": {"iterations": 50}}, {"dt": 0.0025, "duration": 8})


class Lcg:
    """The random numbers of the shared benchmark scenes."""

    def __init__(self):
        self.state = 12345

    def symmetric(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (2 * ((self.state >> 11) / 9007199254740992.0) - 1) * bound


def f_ragdolls():
    random, bodies, joints = Lcg(), [], []
    for i in range(8):
        for j in range(8):
            one_ragdoll(i, j, random, bodies, joints)
    write("f-ragdolls", "64 dolls of eleven bodies fall to the ground in a heap: ball joints with cones and twists, hinges with limits. A doll does not "
          "collide with itself. What to look for: how far joints come apart.",
          {"materials": {"flesh": {"density": 985, "friction": 0.5}}, "bodies": bodies, "joints": joints},
          {"preset": "soft-step", "sleep": "never"}, {"dt": 1 / 60, "duration": 10})


def one_ragdoll(i, j, random, bodies, joints):
    origin = [(i - 3.5) * 1.2, 1.0 + 1.5 * ((i + 3 * j) % 4), (j - 3.5) * 1.2]
    yaw = about(1, random.symmetric(math.pi))
    tilt = product(about(0, random.symmetric(0.4)), yaw)
    doll = f"{i}{j}_"
    # Dolls of one group are 4.8 m apart at least.
    group = 1 + (i % 4) * 4 + j % 4
    mask = [g for g in range(17) if g != group]

    def body(name, shape, place, turn=(1, 0, 0, 0)):
        bodies.append({"name": doll + name, "shape": shape, "position": add(origin, rotate(tilt, place)),
                       "orientation": product(tilt, list(turn)), "material": "flesh", "groups": [group], "mask": mask})

    def limb(name, a, b, radius):
        size = math.dist(a, b)
        d = [(y - x) / size for x, y in zip(a, b)]
        # Limbs lie along x or y: the capsule's axis is turned from y.
        turn = (1, 0, 0, 0) if d[1] > 0.5 else (0, 1, 0, 0) if d[1] < -0.5 else about(2, -math.copysign(math.pi / 2, d[0]))
        shape = {"capsule": {"radius": radius, "length": 2 * max(0.01, size / 2 - radius * 0.9)}}
        body(name, shape, [(x + y) / 2 for x, y in zip(a, b)], turn)

    def joint(kind, a, b, anchor, axis, limits):
        joints.append({"type": kind, "name": doll + b, "a": doll + a, "b": doll + b,
                       "anchor": add(origin, rotate(tilt, anchor)), "axis": rotate(tilt, axis), **limits})

    def cone(a, b, anchor, axis, swing, twist):
        joint("ball", a, b, anchor, axis, {"max_swing": swing, "min_twist": -twist, "max_twist": twist})

    def hinge(a, b, anchor, axis, lower, upper):
        joint("hinge", a, b, anchor, axis, {"lower": lower, "upper": upper})

    body("pelvis", {"box": [0.3, 0.2, 0.2]}, [0, 0.95, 0])
    body("chest", {"box": [0.36, 0.4, 0.22]}, [0, 1.27, 0])
    body("head", {"sphere": 0.12}, [0, 1.64, 0])
    for name, s in (("left", 1), ("right", -1)):
        limb(name + " upper arm", [s * 0.20, 1.42, 0], [s * 0.50, 1.42, 0], 0.05)
        limb(name + " forearm", [s * 0.50, 1.42, 0], [s * 0.80, 1.42, 0], 0.045)
    for name, s in (("left", 1), ("right", -1)):
        limb(name + " thigh", [s * 0.09, 0.85, 0], [s * 0.09, 0.45, 0], 0.07)
        limb(name + " shin", [s * 0.09, 0.45, 0], [s * 0.09, 0.03, 0], 0.055)
    cone("pelvis", "chest", [0, 1.06, 0], [0, 1, 0], 0.5, 0.4)
    cone("chest", "head", [0, 1.50, 0], [0, 1, 0], 0.6, 0.6)
    cone("chest", "left upper arm", [0.20, 1.42, 0], [1, 0, 0], 1.2, 0.6)
    cone("chest", "right upper arm", [-0.20, 1.42, 0], [-1, 0, 0], 1.2, 0.6)
    hinge("left upper arm", "left forearm", [0.50, 1.42, 0], [0, 1, 0], -2.2, 0.0)
    hinge("right upper arm", "right forearm", [-0.50, 1.42, 0], [0, 1, 0], 0.0, 2.2)
    cone("pelvis", "left thigh", [0.09, 0.87, 0], [0, -1, 0], 0.8, 0.4)
    cone("pelvis", "right thigh", [-0.09, 0.87, 0], [0, -1, 0], 0.8, 0.4)
    hinge("left thigh", "left shin", [0.09, 0.45, 0], [1, 0, 0], 0.0, 2.2)
    hinge("right thigh", "right shin", [-0.09, 0.45, 0], [1, 0, 0], 0.0, 2.2)


SCENES = {"dominoes": dominoes, "card-house": card_house, "masonry-arch": masonry_arch, "wall-and-ball": wall_and_ball,
          "conveyor-belt": conveyor_belt, "gyroscope": gyroscope, "spinning-top": spinning_top, "stacks": stacks,
          "interpenetrating-boxes": interpenetrating_boxes, "self-assembly": self_assembly, "ragdoll-stairs": ragdoll_stairs,
          "f-ragdolls": f_ragdolls}


def main():
    names = sys.argv[1:] or list(SCENES)
    for name in names:
        if name not in SCENES:
            sys.exit(f"unknown scene '{name}'; known are {', '.join(SCENES)}")
        SCENES[name]()


if __name__ == "__main__":
    main()
