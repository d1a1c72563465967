# Programs that try to get out of a sandbox, one a section. They are data for self-test.ts, and no module.
#
# Names that each finds: SECRET, a file's path, in FOLDER; PORT, where somebody listens; CALLS, numbers that are not tried; reached(),
# which tells success. A section of the kind `kernel` reaches for the machine, and changes nothing where it succeeds.

#= open a host file
print(open(SECRET).read())
#= open a host file by descriptor
print(os.read(os.open(SECRET, os.O_RDONLY), 99))
#= climb out with ..
print(open("../../../../../.." + SECRET).read())
#= link to a host file
os.symlink(SECRET, "/tmp/link")
print(open("/tmp/link").read())
#= write a host file
open(SECRET + "-2", "w").write("x")
#= walk the host's folders
print([open(os.path.join(d, "secret")).read() for d, _, f in os.walk("/tmp") if "secret" in f])
#= read the environment
print(dict(os.environ))
#= read other environments
import glob
print([open(f, "rb").read() for f in glob.glob("/proc/[0-9]*/environ")])
#= a shell
print(os.popen("cat " + SECRET).read())
os.system("cat " + SECRET)
#= a process
import subprocess
print(subprocess.run(["cat", SECRET], capture_output=True))
#= fork and read
pid = os.fork()
print(open(SECRET).read())
#= the C library
import ctypes
print(ctypes.CDLL(None).system(b"cat " + SECRET.encode()))
#= the JavaScript host
import js
print(js.process.env.LACONIC_SANDBOX_SECRET)
#= a port of this machine
import socket
print(socket.create_connection(("127.0.0.1", PORT), timeout=1).recv(99))
#= a port by name
import socket
print(socket.create_connection(("localhost", PORT), timeout=1).recv(99))
#= the metadata address
import urllib.request
print(urllib.request.urlopen("http://169.254.169.254/", timeout=1).read())
#= threads
import threading
threading.Thread(target=lambda: print(open(SECRET).read())).start()
#= open a kernel setting for writing | kernel
import itertools
named = ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"]
roots = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/sys"]
found = (os.path.join(d, f) for root in roots for d, _, files in os.walk(root) for f in files)
for path in itertools.islice(itertools.chain(named, found), 20000):
    try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError: continue
    reached(path)
    break
#= write outside of /tmp | kernel
import sys
for folder in ["/", "/dev", "/dev/shm", "/etc", "/home", "/run", "/sys", "/usr", "/var", "/var/tmp", sys.prefix]:
    path = folder + "/laconic-attempt"
    try: os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except OSError: continue
    os.unlink(path)
    reached(folder)
#= change the mode of a device | kernel
for name in ["null", "zero", "full", "random", "urandom", "tty"]:
    try: os.chmod("/dev/" + name, os.stat("/dev/" + name).st_mode & 0o7777)
    except (AttributeError, OSError): continue
    reached("/dev/" + name)
#= hold or watch a file that the machine shares | kernel
import fcntl
for path in [os.__file__, "/usr", "/usr/bin/python3"]:
    for act in [
        lambda: fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK),
        lambda: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_CREATE),
    ]:
        try: act()
        except OSError: continue
        reached(path)
#= a socket of any family | kernel
import _socket as socket
for family in range(64):
    for kind in (1, 2, 3, 5):
        for make in (lambda: socket.socket(family, kind).close(), lambda: socket.socketpair(family, kind)):
            try: make()
            except (AttributeError, OSError): continue
            reached("family", family, "of kind", kind)
#= a descriptor that was left open | kernel
import sys
for fd in range(3, 3 if sys.platform == "wasi" else 1024): # in WebAssembly all are of its own
    try: os.fstat(fd)
    except OSError: continue
    reached("descriptor", fd)
#= a child | kernel
try: pid = os.fork()
except (AttributeError, OSError): pid = None
if pid == 0: os._exit(0)
if pid: reached("fork")
#= a system call that Python does not need | kernel
import ctypes, errno
call = ctypes.CDLL(None, use_errno=True).syscall
for number in [*range(600), *range(1 << 30, (1 << 30) + 600)]: # x86-64 has a second table on top of the first
    if number & 1023 in CALLS: continue
    ctypes.set_errno(0)
    result = call(number, *[ctypes.c_long(-1)] * 6)
    if result == 0 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM, errno.ENOTTY): reached("call", number)
