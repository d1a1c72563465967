# Values as JSON with their types: exact built-in types only, so that nothing that crosses brings code of its own.


class Uncrossable(Exception):
    pass


def encode(value, depth=0):
    if depth > 40:
        raise Uncrossable("a value nested more than 40 deep")
    kind = type(value)
    if value is None:
        return ["none"]
    if kind is bool:
        return ["bool", 1 if value else 0]
    if kind is int:
        return ["int", format(value, "x")]
    if kind is float:
        return ["float", value.hex()]
    if kind is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if kind is str:
        return ["str", value]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind is list or kind is tuple:
        return [kind.__name__, [encode(each, depth + 1) for each in value]]
    if kind is set or kind is frozenset:
        # In an order that does not depend on hashes.
        return [kind.__name__, sorted((encode(each, depth + 1) for each in value), key=str)]
    if kind is dict or (kind.__module__ == "collections" and kind.__name__ in ("OrderedDict", "defaultdict", "Counter")):
        return ["dict", [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in dict.items(value)]]
    if kind is range:
        return ["range", value.start, value.stop, value.step]
    raise Uncrossable("a value of type " + kind.__name__)


def decode(data):
    kind, rest = data[0], data[1:]
    if kind == "none":
        return None
    if kind == "bool":
        return rest[0] == 1
    if kind == "int":
        return int(rest[0], 16)
    if kind == "float":
        return float.fromhex(rest[0])
    if kind == "complex":
        return complex(float.fromhex(rest[0]), float.fromhex(rest[1]))
    if kind == "str":
        return rest[0]
    if kind == "bytes":
        return bytes.fromhex(rest[0])
    if kind in ("list", "tuple", "set", "frozenset"):
        made = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
        return made(decode(each) for each in rest[0])
    if kind == "dict":
        return {decode(key): decode(item) for key, item in rest[0]}
    if kind == "range":
        return range(rest[0], rest[1], rest[2])
    raise Uncrossable("a value of unknown kind")
