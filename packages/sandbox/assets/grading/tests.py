# Runs a benchmark's tests on answers that were recorded elsewhere. The candidate's code is never in this interpreter. A call
# whose answer is not known yet gets a stand-in that agrees with everything, so that one pass finds most arguments.
import ast
import builtins
import json
import random
import sys


class TooManyCalls(Exception):
    pass


def _agree(*_, **__):
    return True


def _self(self, *_, **__):
    return self


class Unknown:
    __hash__ = lambda self: 0
    __len__ = lambda self: 0
    __iter__ = lambda self: iter(())
    __float__ = lambda self: 1.0
    __int__ = lambda self: 1
    __index__ = lambda self: 1
    __str__ = lambda self: ""
    __getattr__ = _self


for name in "eq ne lt le gt ge contains bool instancecheck".split():
    setattr(Unknown, f"__{name}__", _agree)
for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift neg pos abs invert round getitem call".split():
    setattr(Unknown, f"__{name}__", _self)
    setattr(Unknown, f"__r{name}__", _self)


class Forgiving(ast.NodeTransformer):
    """Lets an assert fail that compared a stand-in: its verdict comes once all answers are known."""

    def visit_Assert(self, node):
        guard = ast.parse("try:\n  pass\nexcept Exception:\n  if not _waiting(): raise").body[0]
        guard.body = [node]
        return ast.copy_location(guard, node)


def run_tests():
    job = json.loads(sys.stdin.read())
    random.seed(0)  # tests that draw arguments draw the same ones every time
    known, calls, state = job["answers"], [], {"unknown": 0}

    def stub(*arguments, **named):
        if len(calls) >= job["maxCalls"]:
            raise TooManyCalls()
        call = [[encode(each) for each in arguments], [[name, encode(each)] for name, each in named.items()]]
        place = len(calls)
        calls.append(call)
        # Other arguments than last time, because an earlier answer was a stand-in then.
        if place >= len(known) or job["calls"][place] != call or state["unknown"] > 0:
            state["unknown"] += 1
            return Unknown()
        answer = known[place]
        if "value" in answer:
            return decode(answer["value"])
        name, text = answer["raised"]
        kind = getattr(builtins, name, None)
        raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else Exception)(text)

    space = {"__name__": "tests", "_waiting": lambda: state["unknown"] > 0}
    try:
        try:
            # Helpers that a prompt defines beside the function to write; prose has none.
            exec(compile(job["prompt"], "<prompt>", "exec"), space)
        except SyntaxError:
            pass
        space[job["entryPoint"]] = stub
        tree = ast.fix_missing_locations(Forgiving().visit(ast.parse(job["test"])))
        exec(compile(tree, "<tests>", "exec"), space)
        if not job["callsItself"]:
            space["check"](stub)
        outcome, error = "passed", None
    except TooManyCalls:
        outcome, error = "calls", None
    except BaseException as raised:
        if exit_code_of(raised) != 1:
            raise
        outcome, error = "failed", [type(raised).__name__, str(raised)[:300]]
    print()
    print(json.dumps({"calls": calls, "unknown": state["unknown"], "outcome": outcome, "error": error}))
