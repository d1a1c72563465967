import type { Attempt } from "./attempts.ts";
import type { SandboxResult } from "./sandbox.ts";
import { allowedCalls } from "./bubblewrap/system-call-filter.ts";

/** Programs print what they got hold of in lines of this form. */
const reached = "reached";

/** What a kernel attempt got hold of; also where it did not live to try all. */
export function reachedOf({ status, stdout }: Pick<SandboxResult, "status" | "stdout">): string[] {
  const found = [...stdout.matchAll(new RegExp(`^${reached} (.+)$`, "gmu"))].map(([, what]) => what as string);
  return ["ok", "exception", "unsupported"].includes(status) ? found : [...found, `ended with ${status}`];
}

const attempt = (name: string, ...lines: string[]): Attempt => ({
  name,
  code: ["import os", `def reached(*what): print(${JSON.stringify(reached)}, *what, flush=True)`, ...lines].join("\n"),
});

/**
 * Ways to change the machine rather than to read from it. Nothing is changed where one succeeds: files of the kernel are opened
 * for writing and closed again, modes are set to what they are, and calls get arguments that none takes.
 */
export function kernelAttempts(): Attempt[] {
  return [...fileAttempts(), ...callAttempts()];
}

function fileAttempts(): Attempt[] {
  return [
    attempt(
      "open a kernel setting for writing",
      "import itertools",
      "named = ['/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory', '/proc/sysrq-trigger']",
      "roots = ['/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/sys']",
      "found = (os.path.join(d, f) for root in roots for d, _, files in os.walk(root) for f in files)",
      "for count, path in enumerate(itertools.chain(named, found)):",
      "    if count == 20000: break",
      "    try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))",
      "    except OSError: continue",
      "    reached(path)",
      "    break",
    ),
    attempt(
      "write outside of /tmp",
      "import sys",
      "for folder in ['/', '/dev', '/dev/shm', '/etc', '/home', '/run', '/sys', '/usr', '/var', '/var/tmp', sys.prefix]:",
      "    path = folder + '/laconic-attempt'",
      "    try: os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))",
      "    except OSError: continue",
      "    os.unlink(path)",
      "    reached(folder)",
    ),
    attempt(
      "change the mode of a device",
      "for name in ['null', 'zero', 'full', 'random', 'urandom', 'tty']:",
      "    try: os.chmod('/dev/' + name, os.stat('/dev/' + name).st_mode & 0o7777)",
      "    except (AttributeError, OSError): continue",
      "    reached('/dev/' + name)",
    ),
    attempt(
      "hold or watch a file that the machine shares",
      "import fcntl",
      "for path in [os.__file__, '/usr', '/usr/bin/python3']:",
      "    for act in [",
      "        lambda: fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB),",
      "        lambda: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK),",
      "        lambda: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_CREATE),",
      "    ]:",
      "        try: act()",
      "        except OSError: continue",
      "        reached(path)",
    ),
  ];
}

function callAttempts(): Attempt[] {
  return [
    attempt(
      "a socket of any family",
      "import _socket as socket",
      "for family in range(64):",
      "    for kind in (1, 2, 3, 5):",
      "        try: socket.socket(family, kind).close()",
      "        except OSError: pass",
      "        else: reached('family', family, 'of kind', kind)",
      "        try: socket.socketpair(family, kind)",
      "        except (AttributeError, OSError): pass",
      "        else: reached('a pair of family', family, 'of kind', kind)",
    ),
    attempt(
      "a descriptor that was left open",
      "import sys",
      // In WebAssembly all are of its own.
      "for fd in range(3, 3 if sys.platform == 'wasi' else 1024):",
      "    try: os.fstat(fd)",
      "    except OSError: continue",
      "    reached('descriptor', fd)",
    ),
    attempt(
      "a child",
      "try: pid = os.fork()",
      "except (AttributeError, OSError): pid = None",
      "if pid == 0: os._exit(0)",
      "if pid: reached('fork')",
    ),
    attempt(
      "a system call that Python does not need",
      "import ctypes, errno",
      "call = ctypes.CDLL(None, use_errno=True).syscall",
      `allowed = {${[...(allowedCalls()?.values() ?? []), ...untried].join(", ")}}`,
      // x86-64 has a second table on top of the first.
      "for number in [*range(600), *range(1 << 30, (1 << 30) + 600)]:",
      "    if number & 1023 in allowed: continue",
      "    ctypes.set_errno(0)",
      "    result = call(number, *[ctypes.c_long(-1)] * 6)",
      "    if result == 0 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM, errno.ENOTTY): reached('call', number)",
    ),
  ];
}

/**
 * Of x86-64: pause, fork and vfork, which a sweep would not come back from alone; uretprobe and uprobe, which no filter sees. On both
 * fcntl, of which a part is allowed.
 */
const untried = process.arch === "x64" ? [34, 57, 58, 72, 335, 336] : [25];
