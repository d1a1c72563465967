// What a program in WebAssembly can reach of the outside: in-memory standard streams and read-only files, a clock, and
// random bytes that a seed decides. Everything else is refused.
import { createHash } from "node:crypto";

const badDescriptor = 8;
const notSupported = 58;
const readOnlyFileSystem = 69;
const create = 1;
const truncate = 8;

const changes =
  "path_create_directory path_filestat_set_times path_link path_remove_directory path_rename path_symlink path_unlink_file fd_allocate fd_filestat_set_size fd_filestat_set_times fd_pwrite";
const sockets = "sock_accept sock_recv sock_send sock_shutdown";
const refused = Object.fromEntries([
  ...changes.split(" ").map((name) => [name, () => readOnlyFileSystem]),
  ...sockets.split(" ").map((name) => [name, () => notSupported]),
]);

/** Thrown out of a write; ends the run. */
export class OutputLimit extends Error {}
/** Thrown out of a sleep that would be too long with those before it; ends the run. */
export class SleepLimit extends Error {}

/**
 * @param {object} shim the module @bjorn3/browser_wasi_shim
 * @param {{ args?: string[], stdin: Uint8Array, files: Record<string, Uint8Array>, outputBytes: number, seed: number, sleepSeconds?: number }} options
 */
export function createSystem(shim, { args = [], stdin, files, outputBytes, seed, sleepSeconds = 0 }) {
  const stdout = [];
  const stderr = [];
  let left = outputBytes;
  const sink = (chunks) =>
    new shim.ConsoleStdout((bytes) => {
      chunks.push(Buffer.from(bytes.subarray(0, Math.max(0, left))));
      left -= bytes.length;
      if (left < 0) throw new OutputLimit();
    });
  const file = (bytes) => new shim.File(bytes, { readonly: true });
  const folder = new Map(Object.entries(files).map(([name, bytes]) => [name, file(bytes)]));
  const wasi = new shim.WASI(
    args,
    [],
    [new shim.OpenFile(file(stdin)), sink(stdout), sink(stderr), new shim.PreopenDirectory("/", folder)],
    { debug: false },
  );
  const memory = () => wasi.inst.exports.memory.buffer;
  let slept = 0;
  const sleep = (milliseconds) => {
    slept += milliseconds / 1000;
    if (slept > sleepSeconds) throw new SleepLimit();
    Atomics.wait(nobody, 0, 0, milliseconds);
  };
  const imports = {
    ...wasi.wasiImport,
    ...refused,
    fd_write: (fd, ...rest) => (fd === 1 || fd === 2 ? wasi.wasiImport.fd_write(fd, ...rest) : badDescriptor),
    path_open: (fd, flags, path, length, openFlags, ...rest) =>
      openFlags & (create | truncate)
        ? readOnlyFileSystem
        : wasi.wasiImport.path_open(fd, flags, path, length, openFlags, ...rest),
    poll_oneoff: (...rest) => waitForClock(sleep, new DataView(memory()), ...rest),
    random_get: randomBytes(seed, (at, size) => new Uint8Array(memory(), at, size)),
  };
  return {
    wasi,
    imports,
    stdout: () => Buffer.concat(stdout),
    stderr: () => Buffer.concat(stderr),
    slept: () => slept,
  };
}

/** SHA-256 of seed and counter, so that hashes and `random` repeat exactly. */
function randomBytes(seed, view) {
  let counter = 0;
  return (at, size) => {
    const target = view(at, size);
    for (let done = 0; done < size; done += 32) {
      const block = createHash("sha256").update(`${seed}:${counter++}`).digest();
      target.set(block.subarray(0, Math.min(32, size - done)), done);
    }
    return 0;
  };
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** One clock subscription, waited for without using the processor; the shim would spin. */
function waitForClock(sleep, view, input, output, count, written) {
  const clock = 0;
  if (count !== 1 || view.getUint8(input + 8) !== clock) return notSupported;
  const realtime = view.getUint32(input + 16, true) === 0;
  const absolute = view.getUint16(input + 40, true) & 1;
  const now = realtime ? performance.timeOrigin + performance.now() : performance.now();
  const milliseconds = Number(view.getBigUint64(input + 24, true)) / 1e6 - (absolute ? now : 0);
  sleep(Math.max(milliseconds, 0));
  view.setBigUint64(output, view.getBigUint64(input, true), true);
  view.setUint32(output + 8, 0, true);
  view.setUint32(written, 1, true);
  return 0;
}
