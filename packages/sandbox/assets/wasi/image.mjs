// A started interpreter, kept as the bytes of its memory. Each run gets a copy, so it begins in an interpreter that has
// never seen another program, and skips the tenth of a second that starting one takes.
import { createSystem, OutputLimit, SleepLimit } from "./system.mjs";

/** Modules that programs commonly use; imported once, before the image is taken. */
const preloaded = `
import ast, bisect, collections, copy, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq
import itertools, json, math, operator, random, re, statistics, string, time, traceback, typing
`;

/** A recursion limit that marks the thread state in memory. */
const mark = 987_654_321;

/** Prints the address of the function, then calls the host once more, without releasing the interpreter's lock. */
const pause = `
def start():
    sys.setrecursionlimit(1000)
    sys.maxsize = (1 << 63) - 1 # programs take it for infinity
    run()
spare = bytearray(2 << 20)
del spare
sys.setrecursionlimit(${mark})
os.write(1, b"%d %d" % (id(start), id(())))
time.time()
`;

const typeOffset = 4; // PyObject.ob_type
const callOffset = 64; // PyTypeObject.tp_call, on 32 bits
const pageBytes = 65_536;

/**
 * Pages of the stack that programs get in place of the build's 512 KiB, which 57 nested calls through C fill. The memory
 * limit does not count them, and untouched pages cost nothing.
 */
export const stackPages = (256 << 20) / pageBytes;
/** Nested calls through C before RecursionError; the build allows 500. A level of @cache takes three. */
const nestedCalls = 60_000;
/** Top part of the stack that is cleared after each run. A program that used more leaves its memory to the garbage collector. */
const clearedBytes = 1 << 20;

class Paused extends Error {}

/**
 * @param {object} shim the module @bjorn3/browser_wasi_shim
 * @param {WebAssembly.Module} module
 * @param {{ offset: number, data: Uint8Array }[]} segments
 * @param {{ runner: string, maximumPages: number, seed: number }} options `runner` is Python that defines `run`; `maximumPages`
 * include the stack's
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
  const [start, noArguments] = system.stdout().toString().split(" ").map(Number);
  const image = new Uint8Array(memory.buffer).slice();
  allowNestedCalls(new Int32Array(image.buffer));
  const view = new DataView(image.buffer);
  return {
    module,
    shim,
    maximumPages,
    bytes: image,
    call: { index: view.getUint32(view.getUint32(start + typeOffset, true) + callOffset, true), start, noArguments },
  };
}

/** Sets `c_recursion_remaining`, which follows `py_recursion_remaining` and `py_recursion_limit` in PyThreadState. */
function allowNestedCalls(words) {
  const places = [];
  for (let i = words.indexOf(mark); i >= 0; i = words.indexOf(mark, i + 1))
    if (mark - words[i - 1] < 100 && words[i + 1] > 0 && words[i + 1] <= 500) places.push(i);
  if (places.length !== 1) throw new Error(`${places.length} thread states in the interpreter's memory, expected 1`);
  words[places[0] + 1] = nestedCalls;
}

/** Runs programs one after another, each in a copy of the image, with a stack of its own behind the image. */
export function imageRunner({ module, shim, maximumPages, bytes, call }) {
  const stackTop = bytes.length + stackPages * pageBytes;
  let memory = null;
  return (job) => {
    memory ??= new WebAssembly.Memory({ initial: stackTop / pageBytes, maximum: maximumPages });
    new Uint8Array(memory.buffer).set(bytes);
    const system = createSystem(shim, job);
    const instance = new WebAssembly.Instance(module, { env: { memory }, wasi_snapshot_preview1: system.imports });
    instance.exports.stackPointer.value = stackTop;
    system.wasi.inst = instance;
    const end = endOf(shim, () => instance.exports.table.get(call.index)(call.start, call.noArguments, 0));
    // Frames are smaller than a page, so a stack that passed a page has written to it.
    const isWritten = (address) =>
      new BigUint64Array(memory.buffer, address, pageBytes / 8).some((word) => word !== 0n);
    const isOverflown = isWritten(bytes.length);
    // A memory cannot shrink.
    if (memory.buffer.byteLength > stackTop || isWritten(stackTop - clearedBytes - pageBytes)) memory = null;
    else new Uint8Array(memory.buffer, stackTop - clearedBytes).fill(0);
    const output = { stdout: system.stdout().toString(), stderr: system.stderr().toString(), slept: system.slept() };
    return { ...(isOverflown ? { status: "crashed" } : end), ...output };
  };
}

function endOf(shim, start) {
  try {
    start();
  } catch (error) {
    if (error instanceof OutputLimit) return { status: "output" };
    if (error instanceof SleepLimit) return { status: "time" };
    if (error instanceof shim.WASIProcExit) return { status: "exit", exitCode: error.code };
  }
  return { status: "crashed" };
}
