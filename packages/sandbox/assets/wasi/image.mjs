// A started interpreter, kept as the bytes of its memory. Each run gets a copy, so it begins in an interpreter that has
// never seen another program, and skips the tenth of a second that starting one takes.
import { createSystem, OutputLimit, SleepLimit } from "./system.mjs";

/** Modules that programs commonly use; imported once, before the image is taken. */
const preloaded = `
import ast, bisect, collections, copy, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq
import itertools, json, math, operator, random, re, statistics, string, time, traceback, typing
`;

/** Says where the function is, then calls the host once more, without the lock of the interpreter being released. */
const pause = `
spare = bytearray(2 << 20)
del spare
os.write(1, b"%d %d" % (id(run), id(())))
time.time()
`;

const typeOffset = 4; // PyObject.ob_type
const callOffset = 64; // PyTypeObject.tp_call, on 32 bits
const pageBytes = 65_536;
const outOfMemory = 86;

class Paused extends Error {}

/**
 * @param {object} shim the module @bjorn3/browser_wasi_shim
 * @param {WebAssembly.Module} module
 * @param {{ offset: number, data: Uint8Array }[]} segments
 * @param {{ runner: string, maximumPages: number, seed: number }} options `runner` is Python that defines `run`
 */
export function startImage(shim, module, segments, { runner, maximumPages, seed }) {
  const args = ["python", "-I", "-S", "-B", "-X", "utf8", "-c", runner + preloaded + pause];
  const system = createSystem(shim, { args, stdin: new Uint8Array(), files: {}, outputBytes: pageBytes, seed });
  const memory = new WebAssembly.Memory({ initial: 160, maximum: maximumPages });
  let told = false;
  const imports = {
    ...system.imports,
    fd_write: (...rest) => {
      told = true;
      return system.imports.fd_write(...rest);
    },
    clock_time_get: (...rest) => {
      if (told) throw new Paused();
      return system.imports.clock_time_get(...rest);
    },
  };
  const instance = new WebAssembly.Instance(module, { env: { memory }, wasi_snapshot_preview1: imports });
  const bytes = new Uint8Array(memory.buffer);
  for (const { offset, data } of segments) bytes.set(data, offset);
  try {
    system.wasi.start(instance);
    throw new Error(`the interpreter ended while it started: ${system.stderr().toString()}`);
  } catch (error) {
    if (!(error instanceof Paused)) throw error;
  }
  const [run, noArguments] = system.stdout().toString().split(" ").map(Number);
  const image = new Uint8Array(memory.buffer).slice();
  const view = new DataView(image.buffer);
  return {
    module,
    shim,
    maximumPages,
    bytes: image,
    // The host's call returns never; what it would return to stays below this pointer, untouched.
    stackPointer: instance.exports.stackPointer.value,
    call: { index: view.getUint32(view.getUint32(run + typeOffset, true) + callOffset, true), run, noArguments },
  };
}

/** Runs programs one after another, each in a copy of the image. */
export function imageRunner(image) {
  const { module, shim, maximumPages, bytes, stackPointer, call } = image;
  let memory;
  return (job) => {
    // A memory cannot shrink: one that grew is left to the garbage collector.
    if (memory?.buffer.byteLength !== bytes.length)
      memory = new WebAssembly.Memory({ initial: bytes.length / pageBytes, maximum: maximumPages });
    new Uint8Array(memory.buffer).set(bytes);
    const system = createSystem(shim, job);
    const instance = new WebAssembly.Instance(module, { env: { memory }, wasi_snapshot_preview1: system.imports });
    instance.exports.stackPointer.value = stackPointer;
    system.wasi.inst = instance;
    const end = finish(() => instance.exports.table.get(call.index)(call.run, call.noArguments, 0));
    return { ...end, stdout: system.stdout().toString(), stderr: system.stderr().toString(), slept: system.slept() };

    function finish(start) {
      try {
        start();
        return { status: "crashed", exitCode: null };
      } catch (error) {
        if (error instanceof OutputLimit) return { status: "output", exitCode: null };
        if (error instanceof SleepLimit) return { status: "time", exitCode: null };
        if (!(error instanceof shim.WASIProcExit)) return { status: "crashed", exitCode: null };
        const exitCode = error.code;
        return { status: exitCode === 0 ? "ok" : exitCode === outOfMemory ? "memory" : "exception", exitCode };
      }
    }
  };
}
