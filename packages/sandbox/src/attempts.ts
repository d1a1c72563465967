import type { ProgramTests } from "./grading/grade-program.ts";

/** A program that tries something that it must not be able to do. */
export interface Attempt {
  readonly name: string;
  readonly code: string;
}

/** Ways to a file in `folder`, to the environment, to a port, to other processes. What they find they print. */
export function escapeAttempts({ folder, port }: { readonly folder: string; readonly port: number }): Attempt[] {
  const path = JSON.stringify(`${folder}/secret`);
  const attempt = (name: string, ...lines: string[]): Attempt => ({ name, code: lines.join("\n") });
  const connect = (address: string): string[] => [
    "import socket",
    `print(socket.create_connection((${JSON.stringify(address)}, ${port}), timeout=1).recv(99))`,
  ];
  return [
    attempt("open a host file", `print(open(${path}).read())`),
    attempt("open a host file by descriptor", "import os", `print(os.read(os.open(${path}, os.O_RDONLY), 99))`),
    attempt("climb out with ..", `print(open("../../../../../.." + ${path}).read())`),
    attempt("link to a host file", "import os", `os.symlink(${path}, "/tmp/link")`, 'print(open("/tmp/link").read())'),
    attempt("write a host file", `open(${path} + "-2", "w").write("x")`),
    attempt(
      "walk the host's folders",
      "import os",
      'print([open(os.path.join(d, "secret")).read() for d, _, f in os.walk("/tmp") if "secret" in f])',
    ),
    attempt("read the environment", "import os", "print(dict(os.environ))"),
    attempt(
      "read other environments",
      "import glob",
      'print([open(f, "rb").read() for f in glob.glob("/proc/[0-9]*/environ")])',
    ),
    attempt("a shell", "import os", `print(os.popen("cat " + ${path}).read())`, `os.system("cat " + ${path})`),
    attempt("a process", "import subprocess", `print(subprocess.run(["cat", ${path}], capture_output=True))`),
    attempt("fork and read", "import os", "pid = os.fork()", `print(open(${path}).read())`),
    attempt("the C library", "import ctypes", `print(ctypes.CDLL(None).system(b"cat " + ${path}.encode()))`),
    attempt("the JavaScript host", "import js", "print(js.process.env.LACONIC_SANDBOX_SECRET)"),
    attempt("a port of this machine", ...connect("127.0.0.1")),
    attempt("a port by name", ...connect("localhost")),
    attempt(
      "the metadata address",
      "import urllib.request",
      'print(urllib.request.urlopen("http://169.254.169.254/", timeout=1).read())',
    ),
    attempt("threads", "import threading", `threading.Thread(target=lambda: print(open(${path}).read())).start()`),
  ];
}

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
export const gradingAttempts: readonly {
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
