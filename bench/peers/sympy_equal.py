# Compares expressions with SymPy: reads JSON lines of id, gold, answer; prints id, equal (null if undecided).
import json
import sys

import sympy
from sympy import I, Rational, binomial, cbrt, cos, exp, factorial, log, pi, root, sin, sqrt, symbols

a, b, n, t, x, y = symbols("a b n t x y", positive=True)
known = {
    **{"I": I, "Rational": Rational, "binomial": binomial, "cbrt": cbrt, "cos": cos, "exp": exp},
    **{"factorial": factorial, "log": log, "pi": pi, "root": root, "sin": sin, "sqrt": sqrt},
    **{"a": a, "b": b, "n": n, "t": t, "x": x, "y": y},
}


def whole(text):
    """Wraps number literals in SymPy types, so that quotients stay exact."""
    return sympy.parse_expr(text, local_dict=known, evaluate=True)


for line in sys.stdin:
    pair = json.loads(line)
    difference = whole(pair["gold"]) - whole(pair["answer"])
    equal = difference == 0
    if not equal:
        at = {name: Rational(7 + 2 * i, 5) for i, name in enumerate(sorted(difference.free_symbols, key=str))}
        value = difference.subs(at)
        equal = value == 0 or (value.is_number and not value.is_Rational and abs(sympy.N(value, 60)) < sympy.Float("1e-45", 60))
        if equal:
            rest = sympy.simplify(sympy.expand_log(sympy.expand_trig(difference), force=True))
            equal = True if rest == 0 or sympy.N(rest.subs({k: v + 1 for k, v in at.items()}), 40).is_zero else None
            if equal is None:
                again = difference.subs({k: v + Rational(1, 3) for k, v in at.items()})
                equal = bool(abs(sympy.N(again, 60)) < sympy.Float("1e-45", 60))
    print(json.dumps({"id": pair["id"], "equal": bool(equal)}))
