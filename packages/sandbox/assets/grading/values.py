# Values as JSON with their types. Only data crosses; it is rebuilt from Python's built-in types, so no foreign code arrives. An
# instance of a class crosses if it compares and counts like its built-in base type; the rebuilt value does too.


class Uncrossable(Exception):
    pass


class NestedTooDeep(MemoryError):
    """A value nested deeper than the sandbox passes on."""


def encode(value, depth=0):
    if depth > 40:
        raise NestedTooDeep()
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
    if kind.__module__ == "fractions" and kind.__name__ == "Fraction":
        return ["Fraction", format(value.numerator, "x"), format(value.denominator, "x")]
    if kind.__module__ == "decimal" and kind.__name__ == "Decimal":
        return ["Decimal", kind.__str__(value)]
    base = _plain_base(kind)
    if base is None:
        raise Uncrossable("a value of type " + kind.__name__)
    fields = getattr(kind, "_fields", None) if base is tuple else None
    return ["instance", kind.__name__, None if fields is None else list(fields), encode(_plain(base, value), depth + 1)]


# What a class may have of its own and still compare and count as its base: how it is made, shown and copied.
_of_no_account = {"__new__", "__init__", "__doc__", "__repr__", "__str__", "__format__", "__dir__", "__sizeof__"}
_of_no_account |= {"__getnewargs__", "__reduce__", "__reduce_ex__", "__class_getitem__"}


def _plain_base(kind):
    """The built-in type that a class compares and counts as; None where it has ways of its own."""
    own = []
    for base in kind.__mro__:
        if base in (int, float, complex, str, bytes, list, tuple, set, frozenset, dict):
            changed = any(name in vars(each) for each in own for name in vars(base) if name not in _of_no_account)
            return None if changed else base
        own.append(base)
    return None


def _plain(base, value):
    return base.__getitem__(value, slice(None)) if base in (str, bytes) else base(value)


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
    if kind == "Fraction":
        from fractions import Fraction

        return Fraction(int(rest[0], 16), int(rest[1], 16))
    if kind == "Decimal":
        from decimal import Decimal

        return Decimal(rest[0])
    if kind == "instance":
        return _instance(rest[0], rest[1], decode(rest[2]))
    raise Uncrossable("a value of unknown kind")


_kinds = {}


def _instance(name, fields, plain):
    """A value of a new class that has a name, and fields where it is a named tuple, and nothing else of its own."""
    from collections import namedtuple

    key = (name, None if fields is None else tuple(fields), type(plain))
    if key not in _kinds:
        _kinds[key] = type(name, (type(plain),), {}) if fields is None else namedtuple(name, fields)
    return _kinds[key](plain) if fields is None else _kinds[key]._make(plain)
