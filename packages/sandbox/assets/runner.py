# Runs one program and leaves. Standard input holds the program's length in eight characters, the program in UTF-8, and
# then what the program reads as its own standard input. Exit code: 0 done, 1 exception, 86 out of memory, 87 unsupported.
import errno
import os
import sys

# A program may replace the built-in ones.
from builtins import AttributeError, MemoryError, ModuleNotFoundError, OSError, OverflowError, isinstance, str, type

_out_of_memory, _unsupported = 86, 87
# Codes of calls that the sandbox refuses, of either kind.
_refused = {errno.ENOSYS, errno.ENOTSUP, errno.EPERM, errno.EROFS, getattr(errno, "ENOTCAPABLE", -1)}
_is_32_bit = sys.maxsize < 1 << 32
# A WebAssembly build lacks functions of these.
_system_modules = ["os", "posix", "select", "signal", "socket", "_socket"]


def provide(name, source):
    """Makes a module that programs can import."""
    module = type(sys)(name)
    module.exit_code_of = exit_code_of
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    sys.modules[name] = module


def exit_code_of(error):
    """The code of a limit that an error, or one that it was raised from, reports; 1 for any other error."""
    while error is not None:
        # The parser's own MemoryError, and a program's, have a text.
        if isinstance(error, MemoryError) and str(error) == "":
            return _out_of_memory
        if _is_refusal(error):
            return _unsupported
        error = error.__cause__ or error.__context__
    return 1


def _is_refusal(error):
    if isinstance(error, OSError):
        return error.errno in _refused
    if isinstance(error, AttributeError):
        return isinstance(error.obj, type(sys)) and error.obj.__name__ in _system_modules
    if isinstance(error, OverflowError):
        return _is_32_bit and any(size in str(error) for size in ("ssize_t", "index-sized", "C long"))
    return isinstance(error, ModuleNotFoundError) or str(error) == "can't start new thread"


def run():
    code = 1
    try:
        code = _execute(_read_program())
    finally:
        os._exit(code)


def _read_program():
    size = int(os.read(0, 8))
    parts = []
    while size > 0:
        part = os.read(0, size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts).decode()


def _execute(program):
    import atexit

    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    try:
        exec(compile(program, "<program>", "exec"), main.__dict__)
        atexit._run_exitfuncs()
        sys.stdout.flush()
        return 0
    except SystemExit as exit:
        return _leave(exit.code)
    except BaseException as error:
        code = exit_code_of(error)
        if code == _out_of_memory:
            # Whatever still refers to the program's frames holds its memory.
            main.__dict__.clear()
        _report()
        return code


def _leave(code):
    sys.stdout.flush()
    if code is None or code == 0:
        return 0
    if type(code) is int:
        # Limits have the codes from 86, and crashes those from 128.
        return code & 255 if code & 255 < _out_of_memory else 1
    print(code, file=sys.stderr)
    return 1


def _report():
    import traceback

    kind, error, trace = sys.exc_info()
    # The first frame is this file's. Python itself shows the last 1,000 too.
    traceback.print_exception(kind, error, trace and trace.tb_next, limit=-1000)
    sys.stdout.flush()
    sys.stderr.flush()
