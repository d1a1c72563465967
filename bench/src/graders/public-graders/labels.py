# Labelled pairs of a grader's test file, read from its syntax; nothing of it runs. Python source on standard input,
# a line of JSON for each pair on standard output, and how many labels were left out because their sides are no texts.
import ast
import json
import sys

NAMES = {"sqrt": "\\sqrt{%s}", "Abs": "\\left|%s\\right|", "_Abs": "\\left|%s\\right|", "floor": "\\lfloor %s \\rfloor",
         "ceiling": "\\lceil %s \\rceil", "factorial": "(%s)!", "_factorial": "(%s)!", "exp": "e^{%s}"}
PLAIN = {"sin", "cos", "tan", "gcd", "lcm", "sinh", "cosh", "tanh", "csc", "sec", "cot"}
INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
PAIRED = {"_Add": " + ", "Add": " + ", "_Mul": " \\cdot ", "Mul": " \\cdot "}
CONSTANTS = {"pi": "\\pi", "E": "e", "I": "i", "oo": "\\infty", "theta": "\\theta"}


def latex(node):
    """SymPy's expression, as Python writes it, in LaTeX. Raises KeyError for what has no plain counterpart."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return "{:f}".format(node.value).rstrip("0").rstrip(".") if isinstance(node.value, float) else str(node.value)
    if isinstance(node, ast.Name):
        return CONSTANTS.get(node.id) or (node.id if len(node.id) == 1 else {}[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "-(%s)" % latex(node.operand)
    if isinstance(node, ast.BinOp):
        a, b = latex(node.left), latex(node.right)
        form = {ast.Add: "(%s) + (%s)", ast.Sub: "(%s) - (%s)", ast.Mult: "(%s) \\cdot (%s)",
                ast.Div: "\\frac{%s}{%s}", ast.Pow: "(%s)^{%s}"}[type(node.op)]
        return form % (a, b)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name, given = node.func.id, node.args
        if name in ("UnevaluatedExpr", "Integer"):
            return latex(given[0])
        if name == "Rational":
            if isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
                return given[0].value
            return "\\frac{%s}{%s}" % (latex(given[0]), latex(given[1]) if len(given) > 1 else "1")
        if name in PAIRED:
            return PAIRED[name].join("(%s)" % latex(each) for each in given)
        if name in ("Pow", "_Pow"):
            return "(%s)^{%s}" % (latex(given[0]), latex(given[1]))
        if name == "binomial":
            return "\\binom{%s}{%s}" % (latex(given[0]), latex(given[1]))
        if name in PLAIN:
            return "\\%s(%s)" % (name, ", ".join(latex(each) for each in given))
        if name in INVERSE:
            return "\\%s(%s)" % (INVERSE[name], latex(given[0]))
        return NAMES[name] % latex(given[0])
    return {}[type(node).__name__]


left_out = 0


def say(gold, prediction, verdict, **params):
    print(json.dumps({"gold": gold, "prediction": prediction, "verdict": bool(verdict), "params": params}))


def say_expression(text, node):
    global left_out
    try:
        say(latex(node), ast.literal_eval(text), True)
    except (KeyError, ValueError, IndexError):
        left_out += 1


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def parametrized(decorator):
    """Rows of pytest's table, whose columns are named."""
    global left_out
    columns = [each.strip() for each in ast.literal_eval(decorator.args[0]).split(",")]
    if not {"gold", "pred", "expected"} <= set(columns):
        return
    for row in decorator.args[1].elts:
        try:
            held = dict(zip(columns, ast.literal_eval(row)))
            params = {key: held[key] for key in ("match_types", "precision", "strict", "allow_set_relation_comp")
                      if key in held}
            say(held["gold"], held["pred"], held["expected"], **params)
        except (ValueError, TypeError):
            left_out += 1


def function_labels(function):
    held = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            held[node.targets[0].id] = node.value

    def text(node):
        node = held.get(node.id, node) if isinstance(node, ast.Name) else node
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None

    def call(node, named):
        node = held.get(node.id, node) if isinstance(node, ast.Name) else node
        return node if isinstance(node, ast.Call) and name_of(node.func) == named else None

    for node in ast.walk(function):
        if isinstance(node, ast.Call) and name_of(node.func) in ("assertTrue", "assertFalse") and node.args:
            asked = call(node.args[0], "is_equiv")
            sides = [text(each) for each in asked.args[:2]] if asked else []
            if len(sides) == 2 and None not in sides:
                say(sides[1], sides[0], name_of(node.func) == "assertTrue")
        elif isinstance(node, ast.Call) and name_of(node.func) == "assertEqual" and len(node.args) > 1:
            asked = call(node.args[0], "normalize_final_answer")
            given, said = text(asked.args[0]) if asked else None, text(node.args[1])
            if given is not None and said is not None:
                say(said, given, True)
        elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            asked = call(node.test.left, "normalize_latex")
            given, said = text(asked.args[0]) if asked else None, text(node.test.comparators[0])
            if given is not None and said is not None:
                say(said, given, True)
        elif isinstance(node, ast.Call) and name_of(node.func) == "assert_equal" and len(node.args) > 1:
            say_expression(node.args[0], node.args[1])


for node in ast.walk(ast.parse(sys.stdin.read())):
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and name_of(decorator.func) == "parametrize":
                parametrized(decorator)
        function_labels(node)
    elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "GOOD_PAIRS":
        for pair in node.value.elts:
            say_expression(pair.elts[0], pair.elts[1])
print(json.dumps({"left_out": left_out}))
