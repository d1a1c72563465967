import ast as _ast


def _functions(source):
    """Top-level functions by name; None for text that is not Python."""
    try:
        tree = _ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {node.name: node for node in tree.body if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef))}


def _own(node):
    """What belongs to a function itself, without the functions inside it."""
    waiting = list(_ast.iter_child_nodes(node))
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda)):
            waiting.extend(_ast.iter_child_nodes(each))


def _returns(function):
    return any(isinstance(node, _ast.Return) and node.value is not None for node in _own(function))


def _calls(tree):
    """Calls of the helper."""
    calls = (node for node in _ast.walk(tree) if isinstance(node, _ast.Call))
    return [node for node in calls if isinstance(node.func, _ast.Name) and node.func.id == "aux"]


def _names_of_result(main):
    """Variables that hold what aux returned."""
    names = set()
    for node in _ast.walk(main):
        if isinstance(node, (_ast.Assign, _ast.AnnAssign, _ast.NamedExpr)) and node.value is not None and _calls(node.value):
            targets = node.targets if isinstance(node, _ast.Assign) else [node.target]
            for target in targets:
                names.update(each.id for each in _ast.walk(target) if isinstance(each, _ast.Name))
    return names


def _uses(tree, names):
    return any(isinstance(node, _ast.Name) and isinstance(node.ctx, _ast.Load) and node.id in names for node in _ast.walk(tree))


def _body(function):
    """Statements without the docstring."""
    body = function.body
    first = body[0] if body else None
    documented = isinstance(first, _ast.Expr) and isinstance(first.value, _ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if documented else body


_loops = (_ast.For, _ast.While, _ast.AsyncFor, _ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)


def _schemes(main, names):
    """Cooperation that the MAGRPO paper saw emerge, by structure."""
    takes = lambda node: bool(_calls(node)) or _uses(node, names)
    nodes, body = list(_ast.walk(main)), _body(main)
    of = lambda kinds: [node for node in nodes if isinstance(node, kinds)]
    returned = [node for node in body if isinstance(node, _ast.Return) and node.value is not None and takes(node.value)]
    seen = {
        "fallback": any(any(map(_calls, node.body)) and any(_own_work(each) for handler in node.handlers for each in handler.body) for node in of(_ast.Try)),
        "coordinator": len(_calls(main)) > 1 or any(map(_calls, of(_loops))),
        "strategy-filter": any(takes(node.test) for node in of((_ast.If, _ast.IfExp, _ast.While))),
        "decorator": bool(returned) and any(map(_is_guard, body)),
    }
    return sorted(name for name, is_seen in seen.items() if is_seen)


def _own_work(statement):
    return not isinstance(statement, (_ast.Pass, _ast.Raise)) and not _calls(statement)


def _is_guard(statement):
    ends = any(isinstance(node, (_ast.Return, _ast.Raise)) for node in _ast.walk(statement))
    return isinstance(statement, _ast.If) and ends and not _calls(statement)


def _asserts(test):
    """A check of its own for each assert: what is set up stays, the other asserts go."""
    tree = _ast.parse(test)
    check = next((node for node in tree.body if isinstance(node, _ast.FunctionDef) and node.name == "check"), None)
    if check is None:
        return [test]
    whole, tests = check.body, []
    for kept in (node for node in whole if isinstance(node, _ast.Assert)):
        check.body = [node for node in whole if node is kept or not isinstance(node, _ast.Assert)]
        tests.append(_ast.unparse(tree))
    return tests or [test]


def analyse_cooperation():
    """Reads aux and main as text, runs neither, and prints what they are."""
    import json
    import sys

    given = json.load(sys.stdin)
    aux = (_functions(given["aux"]) or {}).get("aux")
    main = (_functions(given["main"]) or {}).get(given["entryPoint"])
    whole = _functions(given["prompt"] + "\n" + given["aux"] + "\n" + given["main"])
    names = _names_of_result(main) if main else set()
    calls = _calls(main) if main else []
    used = bool(main) and (
        _uses(main, names)
        or any(_calls(node) for node in _ast.walk(main) if isinstance(node, (_ast.Return, _ast.If, _ast.IfExp, _ast.While, _ast.For, _ast.BinOp, _ast.Compare, _ast.BoolOp, _ast.comprehension)))
    )
    print(json.dumps({
        "auxDefined": bool(aux) and _returns(aux),
        "mainDefined": bool(main) and _returns(main),
        "parses": whole is not None,
        "callsAux": bool(calls),
        "isWrapper": bool(main) and len(_body(main)) <= 2,
        "usesResult": used,
        "schemes": _schemes(main, names) if main and calls else [],
        "tests": _asserts(given["test"]),
    }))
