# Programs that try to get out of a sandbox, one a section. They are data for hostile.ts, and no module.
#
# A section's head: its name, how its run may end, and whether the same program without a sandbox is seen to succeed.
# Names that each finds: SECRET, a file's path, in FOLDER; PORT, UDP, ABSTRACT and SOCKET, where somebody listens; NEIGHBOUR, a process
# with a secret in its environment; MARK, a word that is on the command line of whatever is left; reached(), which tells success.

#= open a host file | exception | seen
print(open(SECRET).read())
#= open a host file by descriptor | exception | seen
print(os.read(os.open(SECRET, os.O_RDONLY), 99))
#= climb out with .. | exception | seen
print(open("../" * 40 + SECRET.lstrip("/")).read())
#= climb from a folder's descriptor | exception | seen
here = os.open("/", os.O_RDONLY)
print(os.read(os.open("tmp/../.." + SECRET, os.O_RDONLY, dir_fd=here), 99))
#= a symbolic link to a host file | exception | seen
import random
link = "/tmp/" + MARK + str(random.random())
os.symlink(SECRET, link)
try: print(open(link).read())
finally: os.unlink(link)
#= a symbolic link to the root of all | exception | seen
import random
link = "/tmp/" + MARK + str(random.random())
os.symlink("/", link)
try: print(open(link + SECRET).read())
finally: os.unlink(link)
#= a hard link to a host file | exception | seen
os.link(SECRET, FOLDER + "/hard")
#= follow a link that was there before | exception | seen
print(open(FOLDER + "/link").read())
#= a path with slashes, dots and bytes | exception | seen
print(open(b"//." + SECRET.encode().replace(b"/", b"//./")).read())
#= open relative to every descriptor | ok exception
for fd in range(64):
    for path in (SECRET.lstrip("/"), "../../../.." + SECRET, SECRET):
        try: print(os.read(os.open(path, os.O_RDONLY, dir_fd=fd), 99))
        except (OSError, NotImplementedError): pass
#= walk all folders for the file | ok exception
for folder, _, files in os.walk("/"):
    if "secret" in files: print(open(os.path.join(folder, "secret")).read())
    if folder.count("/") > 6: break
#= tell whether a host file is there | ok exception | seen
if os.path.exists(SECRET): reached("its presence")
#= list a host folder | exception | seen
reached(os.listdir(FOLDER))
#= import from a host folder | exception | seen
sys.path.insert(0, FOLDER)
import canary_module
#= compile from a host file | exception | seen
import runpy
runpy.run_path(FOLDER + "/canary_module.py")
#= map a host file into memory | exception | seen
import mmap
print(mmap.mmap(os.open(SECRET, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])
#= copy a host file | exception | seen
import shutil
shutil.copy(SECRET, "/tmp/" + MARK)
print(open("/tmp/" + MARK).read())
os.unlink("/tmp/" + MARK)
#= the C library reads the file | exception | seen
import ctypes
c = ctypes.CDLL(None)
text = ctypes.create_string_buffer(99)
c.read(c.open(SECRET.encode(), 0), text, 99)
print(text.value)
if not text.value: raise OSError
#= a database of a host file | exception | seen
import sqlite3
sqlite3.connect("file:" + FOLDER + "/secret?mode=rwc", uri=True).execute("create table t (x)")

#= write a host file | exception | seen
open(SECRET, "a").write("x")
#= make a file in a host folder | exception | seen
open(FOLDER + "/made", "w").write("x")
#= make a folder in a host folder | exception | seen
os.mkdir(FOLDER + "/made")
#= shorten a host file | exception | seen
os.truncate(SECRET, 1)
#= rename a host file | exception | seen
os.rename(SECRET, SECRET + "-2")
#= remove a host file | exception | seen
os.unlink(SECRET)
#= change the mode of a host file | ok exception | seen
os.chmod(SECRET, 0o600)
#= change the times of a host file | exception | seen
os.utime(SECRET, (1e9, 1e9))
#= an attribute of a host file | exception
os.setxattr(SECRET, "user.laconic", b"x")
reached("an attribute")
#= a pipe with a name in a host folder | exception | seen
os.mkfifo(FOLDER + "/pipe")
#= a device of one's own | ok exception
import stat
for folder in ("/tmp", FOLDER, "."):
    try: os.mknod(folder + "/disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0))
    except (OSError, AttributeError): continue
    reached("a disk in", folder)
#= write where programs are | ok exception
for folder in ("/", "/usr", "/usr/bin", "/usr/lib", "/lib", "/lib64", "/etc", "/dev", "/dev/shm", "/var/tmp", "/run", "/home", sys.prefix):
    try: os.close(os.open(folder + "/" + MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except OSError: continue
    os.unlink(folder + "/" + MARK)
    reached("a file in", folder)
#= replace the interpreter | ok exception
for path in (sys.executable, os.__file__):
    if sys.platform == "wasi": break # there both are its own memory
    try: os.close(os.open(path, os.O_WRONLY))
    except (OSError, TypeError, ValueError): continue
    reached(path)
#= lock a file that others see | ok exception
import fcntl
for path in (os.__file__, "/usr/bin/python3", "/usr"):
    for kind in (fcntl.LOCK_EX, fcntl.LOCK_SH):
        try: fcntl.flock(os.open(path, os.O_RDONLY), kind | fcntl.LOCK_NB)
        except OSError: continue
        reached("a lock on", path)
#= a lease on a file that others see | ok exception
import fcntl
for path in (os.__file__, "/usr/bin/python3"):
    try: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError: continue
    reached("a lease on", path)
#= be told of changes in folders that others see | ok exception
import fcntl
for path in ("/usr/lib", "/usr/bin"):
    try: fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_MODIFY | fcntl.DN_CREATE)
    except OSError: continue
    reached("changes of", path)
#= pipes that hold megabytes of the kernel's | ok exception
import fcntl
for _ in range(20):
    try: size = fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
    except OSError: continue
    if size >= 1 << 20: reached("a pipe of", size)

#= one's environment | ok exception | seen
print(dict(os.environ))
#= the C library's environment | ok exception | seen
import ctypes
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"LACONIC_CANARY"))
#= one's environment in /proc | exception | seen
print(open("/proc/self/environ", "rb").read())
#= the environment of another process | exception | seen
print(open(f"/proc/{NEIGHBOUR}/environ", "rb").read())
#= every environment in /proc | ok exception
import glob
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ"):
    try: print(open(path, "rb").read())
    except OSError: pass
#= command lines of others | ok exception | seen
import glob
for path in glob.glob("/proc/[0-9]*/cmdline"):
    if open(path, "rb").read(): reached(path); break
#= the root of another process | exception | seen
print(open(f"/proc/{NEIGHBOUR}/root" + SECRET).read())
#= the folder of another process | exception | seen
reached(os.listdir(f"/proc/{NEIGHBOUR}/cwd"))
#= descriptors of another process | exception | seen
reached([os.readlink(f"/proc/{NEIGHBOUR}/fd/{fd}") for fd in os.listdir(f"/proc/{NEIGHBOUR}/fd")][0])
#= memory of another process | exception | seen
os.close(os.open(f"/proc/{NEIGHBOUR}/maps", os.O_RDONLY))
reached("its map")
#= the root of the first process | ok exception
for pid in (1, 2, "self", "thread-self"):
    try: print(open(f"/proc/{pid}/root" + SECRET).read())
    except OSError: pass
#= a kernel setting | ok exception
for name in ("kernel/core_pattern", "vm/overcommit_memory", "kernel/hostname", "net/ipv4/ip_forward"):
    try: os.close(os.open("/proc/sys/" + name, os.O_RDWR))
    except OSError: continue
    reached(name)
#= the kernel's trigger | exception
os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))
reached("the trigger")
#= control groups | ok exception
for root, folders, files in os.walk("/sys/fs/cgroup"):
    for name in files:
        try: os.close(os.open(os.path.join(root, name), os.O_WRONLY))
        except OSError: continue
        reached(root, name)
    break
#= disks and memory by device | ok exception
for name in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "loop-control", "kvm", "fuse", "net/tun", "ptmx", "tty", "console", "shm", "mqueue", "null", "zero", "full", "random"):
    try: os.close(os.open("/dev/" + name, os.O_RDWR | os.O_NONBLOCK))
    except OSError: continue
    reached("/dev/" + name)
#= endless input from a device | exception
print(len(open("/dev/zero", "rb").read(1 << 20)))
reached("/dev/zero")
#= push text into a terminal (TIOCSTI) | ok exception
import fcntl
for fd in range(3):
    for byte in b"id\n":
        try: fcntl.ioctl(fd, 0x5412, bytes([byte]))
        except OSError: continue
        reached("a terminal at", fd)
#= take a terminal (TIOCSCTTY) | ok exception
import fcntl
for fd in range(3):
    for request in (0x540E, 0x5410, 0x5422, 0x541C):
        try: fcntl.ioctl(fd, request, 0)
        except OSError: continue
        reached(hex(request), "at", fd)
#= descriptors that were left open | ok exception | seen
for fd in range(3, 1024):
    if sys.platform == "wasi": break # there all are of its own
    try: os.fstat(fd)
    except OSError: continue
    reached("descriptor", fd)
#= write into one's own input | ok exception time
os.set_blocking(0, False)
try: os.write(0, b"x" * 99)
except OSError: pass

#= the port over IPv4 | exception | seen
import socket
print(socket.create_connection(("127.0.0.1", PORT), timeout=1).recv(99))
#= the port over IPv6 | exception | seen
import socket
print(socket.create_connection(("::1", PORT), timeout=1).recv(99))
#= the port by name | exception | seen
import socket
print(socket.create_connection(("localhost", PORT), timeout=1).recv(99))
#= the port by a web request | exception | seen
import http.client
client = http.client.HTTPConnection("127.0.0.1", PORT, timeout=1)
client.request("GET", "/")
print(client.getresponse().read())
#= the port by asyncio | exception | seen
import asyncio
async def ask():
    reader, _ = await asyncio.open_connection("127.0.0.1", PORT)
    print(await reader.read(99))
asyncio.run(ask())
#= a datagram | exception | seen
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", UDP))
#= an abstract socket | exception | seen
import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect("\0" + ABSTRACT)
except OSError: s.connect("\0" + ABSTRACT.ljust(107, "\0")) # as older Nodes name it
print(s.recv(99))
#= a socket with a name | exception | seen
import socket
s = socket.socket(socket.AF_UNIX)
s.connect(SOCKET)
print(s.recv(99))
#= a raw socket | exception
import socket
socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
reached("a raw socket")
#= a packet socket | exception
import socket
socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
reached("a packet socket")
#= netlink | exception | seen
import socket
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
s.bind((0, 0))
reached("netlink")
#= the kernel's ciphers by socket | exception
import socket
socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
reached("AF_ALG")
#= a virtual machine's host | exception
import socket
socket.socket(40, socket.SOCK_STREAM).connect((2, PORT))
reached("AF_VSOCK")
#= a socket of any family | ok exception | seen
import _socket
for family in range(64):
    for kind in (1, 2, 3, 5):
        try: _socket.socket(family, kind).close()
        except OSError: continue
        reached("family", family, "of kind", kind)
#= a pair of sockets | exception | seen
import socket
socket.socketpair()
reached("a pair")
#= a server | exception | seen
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
reached("listens")
#= the streams as sockets | ok exception
import socket
for fd in range(3):
    try: socket.socket(fileno=os.dup(fd)).send(b"x")
    except OSError: continue
    reached("stream", fd, "is a socket that sends")
#= pass a descriptor on | ok exception
import array, socket
for fd in range(3):
    try: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(fd)).sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
    except OSError: continue
    reached("a descriptor over", fd)
#= resolve a name | exception | seen
import socket
reached(socket.gethostbyname("localhost"))

#= a shell | ok exception | seen
os.system("cat " + SECRET)
print(os.popen("cat " + SECRET).read())
#= a process | exception | seen
import subprocess
print(subprocess.run(["/bin/cat", SECRET], capture_output=True).stdout)
#= posix_spawn | exception | seen
os.waitpid(os.posix_spawn("/bin/cat", ["cat", SECRET], {}), 0)
#= fork | exception | seen
if os.fork() == 0:
    reached("a child")
    os._exit(0)
os.wait()
#= a pool of processes | exception
import multiprocessing
print(multiprocessing.get_context("fork").Pool(2).map(len, ["a"]))
reached("a pool")
#= a thread | exception | seen
import threading
thread = threading.Thread(target=lambda: reached("a thread"))
thread.start()
thread.join()
#= a fork bomb, six generations | exception
for _ in range(6): os.fork()
reached("fork")
#= a daemon that outlives | exception
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sleep", ["sleep", "300", MARK])
    os._exit(0)
reached("a daemon")
#= another program in its place | ok exception crashed
os.execv("/bin/cat", ["cat", SECRET])
#= another program that opens sockets | ok exception crashed
os.execv(sys.executable or "/usr/bin/python3", ["python3", "-I", "-c", f"import socket; print(socket.create_connection(('127.0.0.1', {PORT})).recv(99))"])
#= another program that forks | ok exception crashed
os.execv("/bin/sh", ["sh", "-c", f"(sleep 300; : {MARK}) & echo reached a child of a shell"])
#= a program that runs as root | ok exception crashed
os.execv("/usr/bin/su", ["su", "-c", "echo reached root"])
#= a program that mounts | ok exception crashed
os.execv("/usr/bin/unshare", ["unshare", "-Urm", "sh", "-c", "echo reached a namespace"])
#= a sandbox in the sandbox | ok exception crashed
os.execv("/usr/bin/bwrap", ["bwrap", "--dev-bind", "/", "/", "cat", SECRET])
#= a program in a file without a name | exception
fd = os.memfd_create("x")
os.write(fd, open("/bin/cat", "rb").read())
os.execve(fd, ["cat", SECRET], {})
#= a program in /tmp | ok exception crashed
with open("/tmp/own", "wb") as file: file.write(open("/bin/cat", "rb").read())
os.chmod("/tmp/own", 0o4777)
os.execv("/tmp/own", ["own", SECRET])
#= signal another process | exception | seen
import signal
os.kill(NEIGHBOUR, signal.SIGUSR2)
#= signal every process | ok exception crashed
import signal
for pid in range(1, 5000):
    if pid in (os.getpid(), 1): continue
    try: os.kill(pid, 0)
    except OSError: continue
    reached("process", pid)
#= end all, the first one too | ok exception crashed
import signal
for pid in (1, -1, os.getppid()):
    for name in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
        try: os.kill(pid, name)
        except OSError: pass
#= end itself as the machine would | exception crashed
import signal
os.kill(os.getpid(), signal.SIGKILL)
#= stop itself and wait | exception time
import signal
os.kill(os.getpid(), signal.SIGSTOP)
#= leave an image of its memory | exception crashed
import resource
try: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)); reached("images of memory")
except ValueError: pass
os.abort()
#= jump to nowhere | exception crashed
import ctypes
ctypes.CFUNCTYPE(None)(8)()
#= code of its own making, with a call of another processor | exception crashed
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3")) # mov eax, 20; int 0x80; ret
print("reached", ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
#= bytecode beyond the stack | ok exception crashed time
def f(): pass
f.__code__ = f.__code__.replace(co_code=bytes([100, 255, 83, 0]) * 50)
f()
#= raise its limits | ok exception
import resource
for name in ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU"):
    try: resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError): continue
    reached(name)
#= other limits for the first process | ok exception crashed
import resource
for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_AS", "RLIMIT_CPU"):
    try: resource.prlimit(1, getattr(resource, name), (0, 0))
    except (ValueError, OSError): pass

#= a loop without end | time
while True: pass
#= a loop that ignores every signal | exception time
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
#= a handler that goes on | exception time
import signal
signal.signal(signal.SIGTERM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
signal.signal(signal.SIGALRM, lambda *_: None)
while True:
    try:
        while True: pass
    except BaseException: pass
#= an exit that never comes | exception time
import atexit
class Stay:
    def __del__(self):
        while True: pass
held = Stay()
atexit.register(lambda: [0 for _ in iter(int, 1)])
del held
#= sleep, in pieces | time
import time
while True: time.sleep(0.05)
#= wait for input that never comes | ok exception time
import select
sys.stdin.read()
select.select([0], [], [], 60)
#= a search that never ends | time
import re
re.match("(a+)+$", "a" * 60 + "b")
#= a number without end | memory exception crashed time
x = 9 ** 9 ** 9
#= memory in one piece | memory exception crashed
x = bytearray(1 << 40)
#= memory bit by bit | memory exception crashed time
x = []
while True: x.append(bytearray(1 << 20))
#= memory past its limit, caught | memory exception crashed time ok
x = []
try:
    while True: x.append(bytearray(1 << 20))
except MemoryError: pass
if len(x) > 300: reached(len(x), "MiB")
#= memory that is mapped | exception memory
import mmap
maps = [mmap.mmap(-1, 64 << 20) for _ in range(20)]
reached("a gigabyte")
#= a recursion without end | exception crashed memory time
sys.setrecursionlimit(10 ** 9)
def f(): return f()
f()
#= descriptors without end | ok exception crashed memory time
held = []
try:
    while True: held.append(os.open("/", os.O_RDONLY))
except OSError: pass
if len(held) > 100: raise SystemExit(3)
#= a disk that fills | exception
for n in range(100):
    with open(f"/tmp/{n}", "wb") as file: file.write(b"x" * (1 << 20))
reached("100 MB")
#= a hole of a terabyte | exception crashed
with open("/tmp/hole", "wb") as file: file.truncate(1 << 40)
reached("a terabyte")
#= files without end | exception time
n = 0
while True:
    open(f"/tmp/{n}", "w").close()
    n += 1
    if n == 10_000_000: reached(n, "files")
#= output without end | output
while True: print("x" * 1000)
#= errors without end | output
while True: os.write(2, b"x" * 1000)
#= one piece of output, larger than all | output exception memory
os.write(1, b"x" * (50 << 20))
sys.stdout.write("x" * (50 << 20))
#= an error of megabytes | output exception
raise ValueError("x" * (30 << 20))

#= the host's JavaScript | exception
import js
print(js.process.env.LACONIC_CANARY)
#= eval in the host by module names | ok exception
for name in ("js", "pyodide", "pyodide_js", "node", "_pyodide_core", "emscripten", "wasi"):
    try: reached(__import__(name))
    except ImportError: pass
#= packages from elsewhere | ok exception crashed
import runpy
try: runpy.run_module("pip", run_name="__main__")
except ImportError: pass
#= what other programs left in memory | ok exception
import gc
for held in gc.get_objects():
    if isinstance(held, (str, bytes)) and "laconic-canary-secret" in str(held)[:9999]: print(held)
#= frames of whoever runs it | ok exception
frame = sys._getframe()
while frame:
    for held in list(frame.f_locals.values()) + list(frame.f_globals.values()):
        if "canary-secret" in repr(held)[:9999]: print(held)
    frame = frame.f_back
#= an interpreter that ends itself | crashed
os.abort()
#= calls through C that fill every stack | exception crashed time memory output
sys.setrecursionlimit(2 ** 31 - 1)
class Same:
    def __eq__(self, other): return sum(Same() == other for _ in [0])
Same() == 1
#= iterators that nest beyond every stack | crashed time
nested = [1]
for _ in range(500_000): nested = map(str, nested)
next(nested)
