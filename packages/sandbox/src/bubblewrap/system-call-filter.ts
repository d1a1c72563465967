/** Numbers of what a program in the sandbox may not ask of the kernel: other processes, other namespaces, its side doors. */
const refused = {
  // clone, fork, vfork, clone3, ptrace, mount, unshare, setns, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring
  x64: {
    audit: 0xc000003e,
    calls: [56, 57, 58, 435, 101, 165, 272, 308, 248, 249, 250, 321, 298, 323, 425],
    // The 32-bit table on top of the same architecture.
    highest: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    calls: [220, 435, 117, 40, 97, 268, 217, 218, 219, 280, 241, 282, 425],
    highest: 0x40000000,
  },
} as const;

const [load, jumpIfEqual, jumpIfAtLeast, end] = [0x20, 0x15, 0x35, 0x06] as const;
const [killProcess, notPermitted, allow] = [0x80000000, 0x00050001, 0x7fff0000] as const;
const [architectureAt, numberAt] = [4, 0] as const;

/**
 * A seccomp program, in the kernel's classic BPF, that refuses new processes and threads and the kernel's side doors: a
 * limit on processes does not bind root.
 * @returns null on a processor whose system calls are not listed here
 */
export function systemCallFilter(processor: string = process.arch): Buffer | null {
  if (processor !== "x64" && processor !== "arm64") return null;
  const { audit, calls, highest } = refused[processor];
  const count = calls.length;
  const program: (readonly [code: number, jumpTrue: number, jumpFalse: number, value: number])[] = [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 1, 0, audit],
    [end, 0, 0, killProcess],
    [load, 0, 0, numberAt],
    // Past what is compared and the permission, to the refusal.
    [jumpIfAtLeast, count + 1, 0, highest],
    ...calls.map((call, i) => [jumpIfEqual, count - i, 0, call] as const),
    [end, 0, 0, allow],
    [end, 0, 0, notPermitted],
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
