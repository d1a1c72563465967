"""Reads pairs of typed expressions as SymPy does, and says which are equal. JSON lines in, JSON out.

Equality is numeric, at 30 digits and at complex points: another method than the grader's own.
"""
import json
import sys

import sympy
from sympy.parsing.sympy_parser import convert_xor, factorial_notation, implicit_multiplication, parse_expr, rationalize, standard_transformations

transformations = standard_transformations + (rationalize, factorial_notation, convert_xor, implicit_multiplication)
points = [("0.71", "1.33", 3), ("1.9", "0.37", 5), ("-2.3", "4.1", 2), ("57.1", "-31.7", 7), ("2017.3", "-4409.9", 3001), ("-7919.7", "911.3", 12007)]


def read(text):
    names = {"ceil": sympy.ceiling, "abs": sympy.Abs, "max": sympy.Max, "min": sympy.Min, "oo": sympy.oo, "pi": sympy.pi, "I": sympy.I}
    names["log2"] = lambda x: sympy.log(x, 2)
    names["e"] = sympy.E
    return parse_expr(text, local_dict=names, transformations=transformations)


def value(expression, point):
    x, y, n = point
    return sympy.N(expression.subs({"x": sympy.Rational(x), "y": sympy.Rational(y), "n": n}), 30)


def equal(a, b):
    if a == b:
        return True
    defined = 0
    for point in points:
        u, v = value(a, point), value(b, point)
        if not (u.is_number and v.is_number) or u.has(sympy.nan, sympy.zoo) or v.has(sympy.nan, sympy.zoo):
            continue
        defined += 1
        if abs(u - v) > sympy.Float("1e-18") * max(abs(u), abs(v)):
            return False
    return True if defined else None


for line in sys.stdin:
    a, b = json.loads(line)
    try:
        print(json.dumps(equal(read(a), read(b))))
    except Exception as error:  # The parser's errors have no common class.
        print(json.dumps(f"{type(error).__name__}: {error}"))
