import type { SandboxStatus } from "@laconic/sandbox";
import { sectionsOf } from "../../src/self-test.ts";

export interface Escape {
  readonly name: string;
  readonly program: string;
  readonly ends: readonly SandboxStatus[];
  /** Whether it succeeds visibly without a sandbox. */
  readonly isSeen: boolean;
  readonly isCall: boolean;
}

/** System calls that could allow an escape, with numbers on x86-64 and arm64; -1 for a missing call. */
const calls = `ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272, pidfd_open 434 434,
pidfd_getfd 438 438, pidfd_send_signal 424 424, rt_sigqueueinfo 129 138, clone 56 220, clone3 435 435, unshare 272 97, setns 308 268,
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433,
open_tree 428 428, move_mount 429 429, mount_setattr 442 442, openat2 437 437, name_to_handle_at 303 264, open_by_handle_at 304 265,
mknodat 259 33, socket 41 198, socketpair 53 199, connect 42 203, sendmsg 46 211, recvmsg 47 212, io_uring_setup 425 425,
io_uring_enter 426 426, io_uring_register 427 427, io_setup 206 0, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282,
memfd_create 319 279, memfd_secret 447 447, execveat 322 281, inotify_init1 294 26, fanotify_init 300 262, signalfd4 289 74,
eventfd2 290 19, timerfd_create 283 85, epoll_create1 291 20, add_key 248 217, request_key 249 218, keyctl 250 219, shmget 29 194,
shmat 30 196, semget 64 190, msgget 68 186, mq_open 240 180, mq_unlink 241 181, splice 275 76, tee 276 77, vmsplice 278 75,
copy_file_range 326 285, sendfile 40 71, personality 135 92, prctl 157 167, seccomp 317 277, landlock_create_ruleset 444 444,
capset 126 91, setuid 105 146, setgid 106 144, setgroups 116 159, setresuid 117 147, setfsuid 122 151, setsid 112 157, setpgid 109 154,
sched_setscheduler 144 119, sched_setaffinity 203 122, setpriority 141 140, ioprio_set 251 30, mlockall 151 230, mbind 237 235,
move_pages 279 239, sethostname 170 161, setdomainname 171 162, settimeofday 164 170, clock_settime 227 112, adjtimex 159 171,
syslog 103 116, acct 163 89, quotactl 179 60, swapon 167 224, reboot 169 142, init_module 175 105, finit_module 313 273,
delete_module 176 106, kexec_load 246 104, kexec_file_load 320 294, iopl 172 -1, ioperm 173 -1, modify_ldt 154 -1, pkey_alloc 330 289,
lookup_dcookie 212 18, vhangup 153 58, fallocate 285 47, setxattr 188 5, fchownat 260 54`;

/** Makes every call with invalid arguments: existing calls refuse them without effect. */
function kernelCalls(): Escape[] {
  return calls.split(/,\s+/u).map((row): Escape => {
    const [call = "", x64, arm64] = row.split(" ");
    const program = [
      "import ctypes, errno, platform",
      `number = ${arm64} if platform.machine() == "aarch64" else ${x64}`,
      "result = ctypes.CDLL(None, use_errno=True).syscall(number, *[ctypes.c_long(-1)] * 6)",
      `if result >= 0 or ctypes.get_errno() != errno.ENOSYS: reached("a call", result, errno.errorcode.get(ctypes.get_errno()))`,
    ].join("\n");
    // Kernels built without the call give the same error.
    return { name: `the call ${call}`, program, ends: ["ok", "exception", "unsupported"], isSeen: false, isCall: true };
  });
}

export function escapes(): Escape[] {
  const table = sectionsOf(new URL("escapes.py", import.meta.url)).map(
    ({ name, fields: [ends = "", seen], program }): Escape => ({
      name,
      program,
      // A call that the sandbox lacks also raises an exception.
      ends: ends.replace("exception", "exception unsupported").split(" ") as SandboxStatus[],
      isSeen: seen === "seen",
      isCall: false,
    }),
  );
  return [...table, ...kernelCalls()];
}
