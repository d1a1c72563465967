import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allowedCalls, systemCallFilter } from "./system-call-filter.ts";

const audits = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const processors = ["x64", "arm64"] as const;

/** What the kernel's machine for classic BPF decides about a call. */
function verdict(program: Buffer, architecture: number, call: number, command = 0): string {
  let loaded = 0;
  for (let index = 0; index < program.length; index += 8) {
    const [code, value] = [program.readUInt16LE(index), program.readUInt32LE(index + 4)];
    if (code === 0x20) loaded = { 0: call, 4: architecture, 24: command }[value] ?? Number.NaN;
    else if (code === 0x15) index += 8 * program.readUInt8(index + (loaded === value ? 2 : 3));
    else if (code === 0x06) return verdicts[value] ?? `unknown verdict ${value}`;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("the program has no end");
}
const verdicts: Readonly<Record<number, string>> = {
  0x7fff0000: "allowed",
  0x80000000: "killed",
  [0x50000 + 38]: "no such call",
  [0x50000 + 25]: "no terminal",
  [0x50000 + 22]: "no such command",
};

describe.each(processors)("the filter for %s", (processor) => {
  const program = systemCallFilter(processor) as Buffer;
  const [ioctl, fcntl] = processor === "x64" ? [16, 72] : [29, 25];
  test("allows what is listed and nothing else, in either table", () => {
    const allowed = new Set(allowedCalls(processor)?.values());
    expect(allowed.size).toBeGreaterThan(80);
    for (let call = 0; call < 1024; call++) {
      const isAllowed = allowed.has(call) || call === fcntl;
      const expected = call === ioctl ? "no terminal" : isAllowed ? "allowed" : "no such call";
      expect(verdict(program, audits[processor], call), `call ${call}`).toBe(expected);
      expect(verdict(program, audits[processor], 0x40000000 + call), `call ${call} of x32`).toBe("no such call");
    }
  });
  test("fcntl allows copies, flags and locks of parts of a file", () => {
    const allowed = Array.from({ length: 2000 }, (_, command) => command).filter(
      (command) => verdict(program, audits[processor], fcntl, command) === "allowed",
    );
    expect(allowed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 1030]);
    expect(verdict(program, audits[processor], fcntl, 1024)).toBe("no such command");
  });
  test("ends what calls as another processor", () => {
    const other = processors.find((text) => text !== processor) as (typeof processors)[number];
    for (const architecture of [audits[other], 0x40000003, 0]) expect(verdict(program, architecture, 0)).toBe("killed");
  });
});

test("a processor whose calls are not listed has no filter", () => {
  expect(systemCallFilter("riscv64")).toBeNull();
});

/** Where Linux's headers say which number a call has. */
const headers = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
} as const;
/** Ways to other processes, networks, namespaces, and into the kernel. */
const sideDoors =
  `clone clone3 fork vfork execveat ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd kcmp socket socketpair connect
  bind sendmsg recvmsg mount umount2 unshare setns pivot_root chroot move_mount fsopen open_tree mknod mknodat chown fchown lchown
  fchownat setxattr bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_setup keyctl add_key request_key memfd_create
  memfd_secret open_by_handle_at kexec_load init_module finit_module reboot swapon personality prctl flock seccomp capset setuid setgid
  setresuid setgroups shmget shmat msgget semget mq_open splice vmsplice tee syslog acct quotactl iopl modify_ldt`.split(
    /\s+/u,
  );

test.for(processors)("the numbers for %s are the headers', and none is a side door's", (processor, { skip }) => {
  if (!existsSync(headers[processor])) return skip(`${headers[processor]} is not installed`);
  const defined = [...readFileSync(headers[processor], "utf8").matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gmu)];
  const numbers = new Map(
    defined.map(([, name, number]) => [name === "fstatat" ? "newfstatat" : name, Number(number)]),
  );
  const allowed = allowedCalls(processor) ?? new Map<string, number>();
  expect([...allowed].filter(([name, number]) => numbers.get(name) !== number)).toEqual([]);
  const open = sideDoors.filter((name) => [...allowed.values()].includes(numbers.get(name) ?? -1));
  expect(open).toEqual([]);
});
