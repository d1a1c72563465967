# Reads a helper `aux` and a main function as text, runs neither, and prints what their syntax says, and a program for each assert.
import ast
import json
import sys


def functions(source):
    """Top-level functions by name; None for text that is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def inside(function):
    """What belongs to a function itself, without the functions inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def returns(function):
    return function is not None and any(isinstance(node, ast.Return) and node.value is not None for node in inside(function))


def calls(tree):
    """Calls of the helper."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "aux"]


def result_names(main):
    """Variables that hold what aux returned."""
    names = set()
    for node in ast.walk(main):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None and calls(node.value):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                names.update(name.id for name in ast.walk(target) if isinstance(name, ast.Name))
    return names


def uses(tree, names):
    return any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names for node in ast.walk(tree))


def statements(function):
    """Without the docstring."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return function.body[1:] if documented else function.body


branches = (ast.If, ast.IfExp, ast.While)
loops = (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
takers = (ast.Return, *branches, ast.For, ast.BinOp, ast.Compare, ast.BoolOp, ast.comprehension)


def schemes_of(main, names):
    """Cooperation that the MAGRPO paper saw emerge, by structure."""
    takes = lambda node: bool(calls(node)) or uses(node, names)
    of = lambda kinds: [node for node in ast.walk(main) if isinstance(node, kinds)]
    body = statements(main)
    returned = any(isinstance(node, ast.Return) and node.value is not None and takes(node.value) for node in body)
    seen = {
        "coordinator": len(calls(main)) > 1 or any(map(calls, of(loops))),
        "decorator": returned and any(map(is_guard, body)),
        "fallback": any(any(map(calls, node.body)) and any(is_work(line) for way in node.handlers for line in way.body) for node in of(ast.Try)),
        "strategy-filter": any(takes(node.test) for node in of(branches)),
    }
    return [name for name, is_seen in seen.items() if is_seen]


def is_work(statement):
    return not isinstance(statement, (ast.Pass, ast.Raise)) and not calls(statement)


def is_guard(statement):
    ends = any(isinstance(node, (ast.Return, ast.Raise)) for node in ast.walk(statement))
    return isinstance(statement, ast.If) and ends and not calls(statement)


def by_assert(test):
    """A check for each assert: what is set up stays, the other asserts go."""
    tree = ast.parse(test)
    check = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    whole, tests = check.body if check else [], []
    for kept in (node for node in whole if isinstance(node, ast.Assert)):
        check.body = [node for node in whole if node is kept or not isinstance(node, ast.Assert)]
        tests.append(ast.unparse(tree))
    return tests or [test]


job = json.load(sys.stdin)
aux = (functions(job["aux"]) or {}).get("aux")
main = (functions(job["main"]) or {}).get(job["entryPoint"])
whole = functions("\n".join([job["prompt"], job["aux"], job["main"]]))
names = result_names(main) if main else set()
print(json.dumps({
    "auxDefined": returns(aux),
    "mainDefined": returns(main),
    "parses": whole is not None,
    "callsAux": main is not None and bool(calls(main)),
    "isWrapper": main is not None and len(statements(main)) <= 2,
    "usesResult": main is not None and (uses(main, names) or any(isinstance(node, takers) and calls(node) for node in ast.walk(main))),
    "schemes": schemes_of(main, names) if main and calls(main) else [],
    "tests": by_assert(job["test"]),
}))
