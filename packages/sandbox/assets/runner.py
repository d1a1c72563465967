# Runs one program and leaves. Standard input holds the program's length in eight characters, the program in UTF-8, and
# then what the program reads as its own standard input. Exit code: 0 done, 1 exception, 86 out of memory.
import os
import sys


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
    except MemoryError:
        # Whatever still refers to the program's frames holds its memory.
        main.__dict__.clear()
        _report()
        return 86
    except BaseException:
        _report()
        return 1


def _leave(code):
    sys.stdout.flush()
    if code is None or code == 0:
        return 0
    if type(code) is int:
        return code & 255
    print(code, file=sys.stderr)
    return 1


def _report():
    import traceback

    kind, error, trace = sys.exc_info()
    # The first frame is this file's.
    traceback.print_exception(kind, error, trace and trace.tb_next)
    sys.stdout.flush()
    sys.stderr.flush()
