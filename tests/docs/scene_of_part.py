"""Makes a whole scene of a part of one that a page shows, so that `rigor check` can read it: bodies and joints that the part names are added."""
import json

SENSOR_AXIS_JOINT = "hinge"


def parsed(text):
    """The values of a JSON block: one value, members of an object, or one value per line. ValueError if it is none of these."""
    for candidate in (text, "{" + text + "}"):
        try:
            return [json.loads(candidate)]
        except ValueError:
            pass
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def names_in(value, keys):
    """All texts under these keys, at any depth, in their order."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in keys:
                found += [inner] if isinstance(inner, str) else [v for v in inner if isinstance(v, str)] if isinstance(inner, list) else []
            found += names_in(inner, keys)
    elif isinstance(value, list):
        for inner in value:
            found += names_in(inner, keys)
    return list(dict.fromkeys(found))


def bodies(names):
    return [{"name": name, "shape": {"box": [0.2, 0.2, 0.2]}, "position": [0.5 * i, 1, 0]} for i, name in enumerate(names) if name not in ("world", "ground")]


def joint_named(name, axes_needed):
    """A joint that a gear, a drive or a sensor can refer to."""
    kind = next((k for k in ("cylindrical", "slider") if k in name), "hinge")
    joint = {"type": kind, "name": name, "a": "world", "b": f"body of {name}", "anchor": [0, 1, 0], "axis": [0, 0, 1]}
    if axes_needed and kind != "cylindrical":
        joint |= {"motor": "velocity", "motor_force": 10}
    return joint


def scene_of_part(value):
    """A scene with the part in its place, or None if the part is of no known kind."""
    scene, world = {"rigor": 1, "name": "part"}, {}
    linked = names_in(value, {"first", "second", "joint"})
    world["joints"] = [joint_named(name, "drives" in value) for name in linked]
    named = names_in(value, {"a", "b", "bodies", "except", "body", "target", "follow", "trails"}) if "pairs" not in value else []
    world["bodies"] = bodies(named + [f"body of {name}" for name in linked])
    keys = set(value)
    if "type" in keys and ({"a", "first"} & keys) and value["type"] != "spring":
        world["joints"].append(value)
    elif "type" in keys:
        world["forces"] = [value]
    elif "preset" in keys:
        scene["method"] = value
    elif "pairs" in keys:
        world["material_rules"] = value
        world["materials"] = {name: {} for name in names_in(value, {"a", "b"})}
    elif keys & {"mesh", "hull"}:
        world["bodies"] = [{"name": "part", "shape": value, "fixed": True}]
    elif "drives" in keys:
        world |= value
    elif keys & {"appearance", "sensors", "camera"}:
        scene |= value
        world["materials"] = {name: {} for name in value.get("appearance", {}).get("textures", {})}
    else:
        return None
    return scene | {"world": world}
