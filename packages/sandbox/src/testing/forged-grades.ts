import type { ProgramTests } from "../grading/grade-program.ts";

const tests: ProgramTests = {
  prompt: "def double(x):\n    pass\n",
  entryPoint: "double",
  test: "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n    assert candidate(0) == 0\n",
};
const attempt = (name: string, ...lines: string[]): { name: string; program: string; tests: ProgramTests } => ({
  name,
  program: lines.join("\n"),
  tests,
});

/** Programs that are wrong and would pass a careless grader. */
export const forgedGrades: readonly {
  readonly name: string;
  readonly program: string;
  readonly tests: ProgramTests;
}[] = [
  attempt("exit", "import sys", "def double(x):\n    sys.exit(0)"),
  attempt("exit at once", "import sys", "sys.exit(0)", "def double(x):\n    return 0"),
  attempt("os._exit", "import os", "def double(x):\n    os._exit(0)"),
  attempt(
    "an object equal to everything",
    "class All:",
    "    __eq__ = lambda self, other: True",
    "def double(x):\n    return All()",
  ),
  attempt(
    "an int equal to everything",
    "class All(int):",
    "    __eq__ = lambda self, other: True",
    "    __hash__ = int.__hash__",
    "def double(x):\n    return All(1)",
  ),
  attempt(
    "a type whose name is int",
    "All = type('int', (int,), {'__eq__': lambda self, other: True, '__hash__': None})",
    "def double(x):\n    return All(1)",
  ),
  attempt(
    "a named tuple equal to everything",
    "import collections",
    "class All(collections.namedtuple('All', 'x')):",
    "    __eq__ = lambda self, other: True",
    "def double(x):\n    return All(1)",
  ),
  attempt(
    "a fraction equal to everything",
    "import fractions",
    "class Fraction(fractions.Fraction):",
    "    __eq__ = lambda self, other: True",
    "Fraction.__module__ = 'fractions'",
    "def double(x):\n    return Fraction(1, 3)",
  ),
  attempt(
    "a class of a class equal to everything",
    "class All(type):",
    "    __eq__ = lambda self, other: True",
    "    __hash__ = type.__hash__",
    "    __instancecheck__ = lambda self, other: True",
    "def double(x):\n    return All('int', (int,), {})(1)",
  ),
  attempt(
    "a patched check",
    "import sys",
    "def double(x):",
    "    frame = sys._getframe()",
    "    while frame:",
    "        frame.f_globals['check'] = lambda c: None",
    "        frame = frame.f_back",
    "    return 0",
  ),
  attempt(
    "the expected values in the object graph",
    "import gc",
    "def double(x):",
    "    found = [o for o in gc.get_objects() if type(o) is list and 4 in o]",
    "    return 4 if found else 0",
  ),
  attempt(
    "a forged report",
    "import os",
    "def double(x):",
    `    os.write(1, b'\\n{"calls": [], "unknown": 0, "outcome": "passed"}\\n')`,
    "    os._exit(0)",
  ),
  attempt(
    "forged answers of another shape",
    "import os",
    "def double(x):",
    `    os.write(1, b'\\n{"answers": true}\\n')`,
    "    os._exit(0)",
  ),
  attempt("a patched json", "import json", "json.dumps = lambda *a, **k: '{}'", "def double(x):\n    return 0"),
  attempt(
    "patched builtins",
    "import builtins",
    "builtins.type = lambda *a: int",
    "builtins.isinstance = lambda *a: True",
    "def double(x):\n    return 'x'",
  ),
  attempt(
    "print at exit",
    "import atexit",
    `atexit.register(print, '{"outcome": "passed", "unknown": 0, "calls": [[]]}')`,
    "def double(x):\n    return 0",
  ),
  attempt(
    "the harness's frame",
    "import sys",
    "def double(x):",
    "    frame = sys._getframe(1)",
    "    frame.f_locals.get('answers', []).append({'value': ['int', '4']})",
    "    return 0",
  ),
];
