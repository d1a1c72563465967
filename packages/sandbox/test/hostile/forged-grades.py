# Programs that are wrong and want to be called right, one a section. They are data for forged-grades.ts, and no module.
#
# A section's head: its name, how the verdict begins, and the sandboxes where a careless grader, which runs program and tests in one
# process, is fooled. Each is to write double(x), which is x + x.

#= leave when it is called | Exception: 0 | wasi bubblewrap
import sys
def double(x): sys.exit(0)
#= leave at once | does not load: SystemExit | wasi bubblewrap
import sys
sys.exit(0)
#= leave without a goodbye | left before | wasi bubblewrap
import os
def double(x): os._exit(0)
#= raise what ends the interpreter well | Exception: 0 | wasi bubblewrap
def double(x): raise SystemExit(0)
#= leave from a handler of exceptions | AssertionError
import sys, os
sys.excepthook = lambda *_: os._exit(0)
def double(x): return 0
#= leave at exit | AssertionError
import atexit, os
atexit.register(os._exit, 0)
def double(x): return 0
#= leave when it is deleted | AssertionError
import os
class Late:
    def __del__(self): os._exit(0)
held = Late()
def double(x): return 0
#= leave from a signal's handler | left before | wasi bubblewrap
import os, signal
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
def double(x): signal.raise_signal(signal.SIGTERM)
#= leave from an alarm | does not load: AttributeError or left before or the sandbox lacks | bubblewrap
import os, signal, time
signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
signal.setitimer(signal.ITIMER_REAL, 0.01)
def double(x): time.sleep(1)
#= leave from a trace | AssertionError | wasi bubblewrap
import os, sys
def trace(frame, event, value):
    if frame.f_code.co_name == "check" and event == "line": os._exit(0)
    return trace
sys.settrace(trace)
def double(x): return 0
#= leave from a profiler | AssertionError | wasi bubblewrap
import os, sys
sys.setprofile(lambda frame, event, value: event == "call" and frame.f_code.co_name == "check" and os._exit(0))
def double(x): return 0
#= leave from an audit hook | left before | wasi bubblewrap
import os, sys
sys.addaudithook(lambda event, given: event == "compile" and os._exit(0))
def double(x): compile("1", "", "eval")
#= become another program | AttributeError or FileNotFoundError: [Errno 2] No such file or directory or the sandbox lacks
import os
def double(x): os.execv("/bin/true", ["true"])
#= a child that fails in its stead | AttributeError or OSError: [Errno 38] Function not implemented or the sandbox lacks
import os
def double(x):
    if os.fork() == 0: return 0
    os.waitpid(-1, 0)
    os._exit(0)

#= an object equal to everything | returned a value | wasi bubblewrap
class All:
    def __eq__(self, other): return True
def double(x): return All()
#= an int equal to everything | returned a value | wasi bubblewrap
class All(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
def double(x): return All(1)
#= a text equal to everything | returned a value | wasi bubblewrap
class All(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def double(x): return All("")
#= a list equal to everything | returned a value | wasi bubblewrap
class All(list):
    def __eq__(self, other): return True
def double(x): return All()
#= a float that is equal by its difference | returned a value | wasi bubblewrap
class All(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __abs__(self): return 0.0
def double(x): return All(1)
#= a dict equal to everything | returned a value | wasi bubblewrap
class All(dict):
    def __eq__(self, other): return True
def double(x): return All()
#= a tuple equal to everything | returned a value | wasi bubblewrap
class All(tuple):
    def __eq__(self, other): return True
def double(x): return All()
#= a type with the name of another | returned a value | wasi bubblewrap
All = type("int", (int,), {"__eq__": lambda self, other: True, "__hash__": None})
def double(x): return All(1)
#= a class of a class equal to everything | AttributeError | wasi bubblewrap
class Kind(type):
    def __eq__(self, other): return True
    __hash__ = type.__hash__
class All(metaclass=Kind):
    def __eq__(self, other): return True
def double(x): return All()
#= equality that is put in later | AssertionError
class Plain(int): pass
def double(x):
    value = Plain(1)
    Plain.__repr__ = lambda self: "4"
    return value
#= equality from a base between | returned a value | wasi bubblewrap
class Between(int):
    def __eq__(self, other): return True
class All(Between): pass
def double(x): return All(1)
#= a named tuple equal to everything | returned a value | wasi bubblewrap
import collections
class All(collections.namedtuple("All", "x")):
    def __eq__(self, other): return True
def double(x): return All(1)
#= a fraction with a numerator that changes | AssertionError
import fractions
class Fraction(fractions.Fraction):
    numerator = property(lambda self: 5)
    def __eq__(self, other): return self.numerator == 6
Fraction.__module__ = "fractions"
def double(x): return Fraction(1, 3)
#= a decimal that is shown as another | AssertionError | wasi bubblewrap
import decimal
class Decimal(decimal.Decimal):
    def __eq__(self, other): return True
    def __str__(self): return "5"
Decimal.__module__ = "decimal"
def double(x): return Decimal(1)
#= a counter that is none | AssertionError | wasi bubblewrap
class Counter(dict):
    def __eq__(self, other): return True
    def items(self): return [(1, 1)]
Counter.__module__ = "collections"
def double(x): return Counter()
#= a data class equal to everything | returned a value | wasi bubblewrap
import dataclasses
@dataclasses.dataclass(eq=False)
class All:
    x: int = 1
    def __eq__(self, other): return True
def double(x): return All()
#= a mock | returned a value | wasi bubblewrap
import unittest.mock
def double(x): return unittest.mock.ANY
#= not a number | AssertionError
def double(x): return float("nan")
#= infinity | AssertionError
def double(x): return float("inf")
#= true | AssertionError
def double(x): return True
#= nothing | AssertionError
def double(x): return None
#= not implemented | returned a value
def double(x): return NotImplemented
#= every answer in one | AssertionError
def double(x): return [4, -6, "abab", [1, 1]]
#= an iterator | returned a value
def double(x): yield 4
#= a promise | returned a value
async def double(x): return 4
#= itself | memory limit: NestedTooDeep
def double(x):
    value = []
    value.append(value)
    return value

#= the check replaced in every frame | Exception: 0 | wasi bubblewrap
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        frame.f_globals["check"] = lambda candidate: None
        frame = frame.f_back
    raise SystemExit(0)
#= the check's code replaced | Exception: 0 | wasi bubblewrap
import gc
def other(candidate): pass
def double(x):
    for each in gc.get_objects():
        if getattr(each, "__name__", "") == "check" and hasattr(each, "__code__"): each.__code__ = other.__code__
    raise SystemExit(0)
#= assertions turned into nothing | AssertionError
import builtins, os, sys
class AssertionError(Exception):
    def __init__(self, *given): os._exit(0)
builtins.AssertionError = AssertionError
sys.unraisablehook = sys.excepthook = lambda *_: os._exit(0)
def double(x): return 0
#= built-ins replaced | left before
import builtins
builtins.type = lambda *_: int
builtins.isinstance = lambda *_: True
builtins.len = lambda _: 0
def double(x): return "x"
#= every built-in exception replaced | Exception: 0 | wasi bubblewrap
import builtins, os
for name in dir(builtins):
    if name.endswith("Error"): setattr(builtins, name, SystemExit)
def double(x): raise AssertionError(0) if False else SystemExit(0)
#= JSON replaced | AssertionError
import json
json.dumps = lambda *_, **__: "{}"
json.loads = lambda *_, **__: {}
def double(x): return 0
#= the encoder replaced | AssertionError
import sys
module = sys.modules.get("laconic_grading")
if module:
    module.encode = lambda value, depth=0: ["bool", 1]
    module.decode = lambda data: 1
def double(x): return 0
#= the harness's report replaced | AssertionError
import sys
module = sys.modules.get("laconic_grading")
if module:
    module.run_tests = module.answer_calls = lambda: print('{"calls": [[[], []]], "unknown": 0, "outcome": "passed", "error": null}')
def double(x): return 0
#= an import hook | AssertionError
import sys
class Hook:
    def find_spec(self, name, path, target=None):
        sys.modules[name] = type(sys)(name)
        return None
sys.meta_path.insert(0, Hook())
def double(x): return 0
#= modules forgotten | AssertionError
import sys
sys.modules.clear()
def double(x): return 0
#= the function swapped after it was loaded | AssertionError
def double(x):
    globals()["double"] = lambda y: 4
    return 0
#= a function that learns from the first call | AssertionError
seen = []
def double(x):
    seen.append(x)
    return 4 if len(seen) == 1 else 0
#= the tests in the object graph | AssertionError
import gc
def double(x):
    found = [o for o in gc.get_objects() if type(o) in (list, tuple) and 4 in o and "abab" in o]
    return 4 if found else 0
#= constants of the tests in a caller's code | AssertionError | wasi bubblewrap
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        if frame.f_code.co_name == "check":
            golds = [each for each in frame.f_code.co_consts if each is not None]
            raise SystemExit(0)
        frame = frame.f_back
    return 0
#= the source of the tests | AssertionError
import inspect
def double(x):
    for frame in inspect.stack():
        if "candidate(2)" in "".join(frame.code_context or []): return 4
    return 0
#= the tests in the input | AssertionError
import sys
def double(x):
    sys.stdin.seek(0) if sys.stdin.seekable() else None
    return 4 if "== 4" in sys.stdin.read() else 0
#= the tests on the command line | AssertionError
import sys
def double(x): return 4 if "== 4" in " ".join(sys.argv + sys.orig_argv) else 0
#= the tests in memory, by address | does not load: ModuleNotFoundError or AssertionError or the sandbox lacks
import ctypes
def double(x): return 4 if b"assert candidate(2) == 4" in ctypes.string_at(id(double), 1 << 20) else 0
#= the tests in a traceback | AssertionError
import sys, traceback
def double(x):
    try: raise ValueError
    except ValueError: return 4 if "candidate(2)" in "".join(traceback.format_stack()) else 0
#= names beside the function's | AssertionError
check = lambda candidate: None
candidate = None
def double(x): return 0
#= a check of its own, run by itself | AssertionError
def check(candidate): print("all tests passed")
print('{"calls": [[[["int", "2"]], []]], "unknown": 0, "outcome": "passed", "error": null}')
def double(x): return 0

#= a report that says passed | left before | wasi bubblewrap
import os
def double(x):
    os.write(1, b'\n{"calls": [[[["int","2"]],[]]], "unknown": 0, "outcome": "passed", "error": null}\n')
    os._exit(0)
#= the word that graders look for | left before | wasi bubblewrap
import os
def double(x):
    os.write(1, b"\nOK\nPASSED\n1 passed\nall tests passed\n")
    os._exit(0)
#= answers of another shape | left before | wasi bubblewrap
import os
def double(x):
    os.write(1, b'\n{"answers": true}\n')
    os._exit(0)
#= answers in the place of others | AssertionError | wasi bubblewrap
import os
def double(x):
    os.write(1, b'\n{"answers": [{"value": ["bool", 1]}, {"value": ["bool", 1]}, {"value": ["bool", 1]}, {"value": ["bool", 1]}]}\n')
    os._exit(0)
#= answers of a stand-in | Uncrossable: a value of unknown kind | wasi bubblewrap
import os
def double(x):
    os.write(1, b'\n{"answers": [' + b",".join([b'{"value": ["Unknown"]}'] * 4) + b"]}\n")
    os._exit(0)
#= an answer that is code | ValueError | wasi bubblewrap
import os
def double(x):
    answer = b'{"value": ["instance", "int", ["x = __import__(\'os\')._exit(0)"], ["tuple", [["int", "4"]]]]}'
    os.write(1, b'\n{"answers": [' + b",".join([answer] * 4) + b"]}\n")
    os._exit(0)
#= an answer of a class called as a built-in | AssertionError | wasi bubblewrap
import os
def double(x):
    answer = b'{"value": ["instance", "__eq__", null, ["int", "1"]]}'
    os.write(1, b'\n{"answers": [' + b",".join([answer] * 4) + b"]}\n")
    os._exit(0)
#= an answer that raises what ends well | Exception: 0 | wasi bubblewrap
import os
def double(x):
    os.write(1, b'\n{"answers": [' + b",".join([b'{"raised": ["SystemExit", "0"]}'] * 4) + b"]}\n")
    os._exit(0)
#= a result file | AssertionError
for name in ("result.json", "/tmp/result.json", "report.xml", "/tmp/verdict"):
    try: open(name, "w").write('{"correct": true, "passed": true}')
    except OSError: pass
def double(x): return 0
#= every descriptor | AssertionError
import os
for fd in range(3, 20):
    try: os.write(fd, b'{"correct": true, "outcome": "passed"}\n')
    except OSError: pass
def double(x): return 0
#= a closed output | left before
import os, sys
def double(x):
    os.close(1)
    return 0
#= output that says nothing more | AssertionError
import sys
sys.stdout = None
sys.stderr = None
def double(x): return 0
#= output over the output | AttributeError or left before or the sandbox lacks
import os
def double(x):
    os.dup2(2, 1)
    return 0
#= a thread that answers later | RuntimeError or the sandbox lacks
import threading
def double(x):
    threading.Thread(target=print, args=('{"outcome": "passed"}',)).start()
    return 0
#= print at exit | AssertionError
import atexit
atexit.register(print, '{"outcome": "passed", "unknown": 0, "calls": [[]]}')
def double(x): return 0
#= output beyond its limit | output limit
def double(x):
    while True: print("passed " * 1000)
#= time beyond its limit | time limit
def double(x):
    while True: pass
#= a warning as an error | AssertionError
import warnings
warnings.simplefilter("error")
def double(x): return 0
#= optimised assertions | AssertionError
import sys
sys.flags = type("flags", (), {"optimize": 2})()
def double(x): return 0
#= a decoy that only loads once | AssertionError
import os
if os.path.exists("/tmp/seen"): os._exit(0)
try: open("/tmp/seen", "w").close()
except OSError: pass
def double(x): return 0
#= a text that ends the program's quotes | does not load: SyntaxError
"""' + __import__('os')._exit(0) #"""
def double(x): return 0
''' )
#= a function by another name | does not load: KeyError
def Double(x): return x + x
#= a class in the function's place | AssertionError
class double:
    def __new__(cls, x): return 0
#= an answer that is changed by whoever holds it | AssertionError
held = []
def double(x):
    held.append(0)
    return held
#= an argument that is changed | AssertionError
def double(x):
    if type(x) is list: x.clear()
    return x
