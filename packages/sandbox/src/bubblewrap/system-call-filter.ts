/**
 * System calls of a Python program without network, threads and children: numbers on x86-64 and arm64 (Linux's
 * `unistd_64.h` and `asm-generic/unistd.h`); a dash if missing. Programs that it executes inherit the filter.
 */
const allowed = {
  memory: `brk 12 214, mmap 9 222, mprotect 10 226, mremap 25 216, msync 26 227, munmap 11 215, madvise 28 233`,
  "open files": `read 0 63, readv 19 65, write 1 64, writev 20 66, pread64 17 67, pwrite64 18 68, lseek 8 62, close 3 57,
    close_range 436 436, dup 32 23, dup2 33 -, dup3 292 24, fsync 74 82, fdatasync 75 83, ftruncate 77 46,
    getdents64 217 61, pipe 22 -, pipe2 293 59`,
  "files by name": `open 2 -, openat 257 56, access 21 -, faccessat 269 48, faccessat2 439 439, stat 4 -, lstat 6 -, fstat 5 80,
    newfstatat 262 79, statx 332 291, readlink 89 -, readlinkat 267 78, getcwd 79 17, chdir 80 49, fchdir 81 50,
    umask 95 166, mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35, rename 82 -,
    renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36, truncate 76 45,
    chmod 90 -, fchmod 91 52, fchmodat 268 53, utimensat 280 88, getxattr 191 8, lgetxattr 192 9, listxattr 194 11,
    llistxattr 195 12`,
  time: `clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169, time 201 -, times 100 153, nanosleep 35 101,
    clock_nanosleep 230 115, alarm 37 -, getitimer 36 102, setitimer 38 103, poll 7 -, ppoll 271 73, select 23 -,
    pselect6 270 72, restart_syscall 219 128`,
  signals: `rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, sigaltstack 131 132, kill 62 129,
    tgkill 234 131`,
  itself: `execve 59 221, exit 60 93, exit_group 231 94, wait4 61 260, futex 202 98, getpid 39 172, gettid 186 178,
    getppid 110 173, getpgrp 111 -, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177,
    getgroups 115 158, prlimit64 302 261, getrusage 98 165, sched_yield 24 124, sched_getaffinity 204 123,
    uname 63 160, sysinfo 99 179, getrandom 318 278, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293,
    arch_prctl 158 -`,
};
/** Python asks with `ioctl` whether a stream is a terminal. */
const ioctl = { x64: 16, arm64: 29 } as const;
const fcntl = { x64: 72, arm64: 25 } as const;
/**
 * Copies, flags and record locks, which databases need. Others reach outside: leases, notifications, signals, large
 * pipes.
 */
const fcntlCommands = [0, 1, 2, 3, 4, 5, 6, 7, 1030] as const; // F_DUPFD to F_SETLKW, F_DUPFD_CLOEXEC
const audits = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

const [load, jumpIfEqual, end] = [0x20, 0x15, 0x06] as const;
const [killProcess, allow] = [0x80000000, 0x7fff0000] as const;
/** `ENOSYS` makes libraries use an older call. `ENOTTY` for `ioctl`, `EINVAL` for `fcntl`. */
const [noSuchCall, notATerminal, noSuchCommand] = [0x00050000 + 38, 0x00050000 + 25, 0x00050000 + 22] as const;
/** The kernel reads only the lower half of a command. */
const [architectureAt, numberAt, commandAt] = [4, 0, 24] as const;

/** Null for an unknown processor. */
export function allowedCalls(processor: string = process.arch): ReadonlyMap<string, number> | null {
  if (processor !== "x64" && processor !== "arm64") return null;
  const rows = Object.values(allowed).flatMap((group) => group.split(/,\s+/u).map((row) => row.split(" ")));
  const registry = rows.map(([name = "", x64, arm64]) => [name, Number(processor === "x64" ? x64 : arm64)] as const);
  return new Map(registry.filter(([, number]) => !Number.isNaN(number)));
}

/**
 * Seccomp program in classic BPF: no processes, threads, sockets, namespaces or unknown calls. Null for an unknown
 * processor.
 */
export function systemCallFilter(processor: string = process.arch): Buffer | null {
  const named = allowedCalls(processor);
  if (named === null) return null;
  const registry = processor as keyof typeof audits;
  const calls = [...named.values()];
  const [refusal, command] = [6 + calls.length, 8 + calls.length];
  const allowance = command + fcntlCommands.length + 2;
  const jumpFrom = (index: number, to: number, value: number) => [jumpIfEqual, to - index - 1, 0, value] as const;
  const program: (readonly [code: number, jumpTrue: number, jumpFalse: number, value: number])[] = [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 1, 0, audits[registry]],
    [end, 0, 0, killProcess],
    // The x32 table has numbers above all listed ones.
    [load, 0, 0, numberAt],
    jumpFrom(4, refusal + 1, ioctl[registry]),
    jumpFrom(5, command, fcntl[registry]),
    ...calls.map((call, i) => jumpFrom(6 + i, allowance, call)),
    [end, 0, 0, noSuchCall],
    [end, 0, 0, notATerminal],
    [load, 0, 0, commandAt],
    ...fcntlCommands.map((fcntlCommand, i) => jumpFrom(command + 1 + i, allowance, fcntlCommand)),
    [end, 0, 0, noSuchCommand],
    [end, 0, 0, allow],
  ];
  const bytes = Buffer.alloc(8 * program.length);
  program.forEach(([code, jumpTrue, jumpFalse, value], i) => {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(jumpTrue, 8 * i + 2);
    bytes.writeUInt8(jumpFalse, 8 * i + 3);
    bytes.writeUInt32LE(value, 8 * i + 4);
  });
  return bytes;
}
