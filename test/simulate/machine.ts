import crypto from "node:crypto";
import { setMaxListeners } from "node:events";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { Transform } from "node:stream";
import timersPromises from "node:timers/promises";
import zlib from "node:zlib";
import { isSimulated, simulatedFiles } from "./node-files.ts";
import { hear, hearRequest } from "./secret.ts";
import type { World } from "./world.ts";

type Functions = Record<string, (...given: never[]) => unknown>;

export type SimulatedServer = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Runs work with the world's files, timers, clocks, `fetch` and randomness, only for programs of the world. Packages
 * run unchanged with their platform layers. Node serves all other callers and paths.
 */
export async function onMachine<T>(world: World, server: SimulatedServer | null, work: () => Promise<T>): Promise<T> {
  const restore: (() => void)[] = [];
  const replace = (
    target: object,
    name: string,
    make: (original: (...given: unknown[]) => unknown) => unknown,
  ): void => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    const original = (target as Functions)[name] as (...given: unknown[]) => unknown;
    Object.defineProperty(target, name, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: make(original.bind(target)),
    });
    restore.push(() => (before ? Object.defineProperty(target, name, before) : Reflect.deleteProperty(target, name)));
  };
  /** Redirected to the world inside programs. */
  const inside = (target: object, name: string, own: (...given: never[]) => unknown): void =>
    replace(
      target,
      name,
      (original) =>
        (...input: unknown[]) =>
          world.program ? (own as (...given: unknown[]) => unknown)(...input) : original(...input),
    );
  for (const [name, own] of Object.entries(simulatedFiles(world)))
    replace(
      name in fsPromises ? fsPromises : fs,
      name,
      (original) =>
        (...input: unknown[]) =>
          isSimulated(input[0]) ? (own as (...given: unknown[]) => unknown)(...input) : original(...input),
    );
  replaceTime(world, inside);
  const chance = world.random.split("chance");
  inside(Math, "random", () => chance.uniform());
  inside(crypto, "randomUUID", () => `00000000-0000-4000-8000-${String(chance.integer(1e12)).padStart(12, "0")}`);
  inside(os, "hostname", () => "simulated");
  // Node's compression threads would answer in random order.
  const { gzipSync } = zlib;
  const packed = (bytes: Uint8Array | string): Buffer => {
    hear(world, "what is packed", bytes);
    return gzipSync(bytes);
  };
  inside(zlib, "gzipSync", packed);
  inside(zlib, "gzip", (bytes: Uint8Array, done: Coded) => coded(done, () => packed(bytes)));
  for (const name of ["stdout", "stderr"] as const)
    inside(process[name], "write", (text: string | Uint8Array) => {
      hear(world, name, text);
      return true;
    });
  inside(process, "emitWarning", (warning: string | Error) => hear(world, "a warning of the process", warning));
  inside(zlib, "deflateRaw", (bytes: Uint8Array, options: zlib.ZlibOptions, done: Coded) =>
    coded(done, () => zlib.deflateRawSync(bytes, options)),
  );
  inside(zlib, "inflateRaw", (bytes: Uint8Array, options: zlib.ZlibOptions, done: Coded) =>
    coded(done, () => zlib.inflateRawSync(bytes, options)),
  );
  inside(zlib, "createGunzip", () => gunzipAtEnd());
  inside(globalThis, "fetch", (url: string | URL, init: RequestInit = {}) => {
    if (!server) throw new Error("no server is simulated");
    if (init.signal) setMaxListeners(0, init.signal); // several requests may share one signal
    hearRequest(world, String(url), init);
    return server(String(url), init);
  });
  syncBuiltinESMExports();
  try {
    return await world.drive(work());
  } finally {
    for (const each of restore.toReversed()) each();
    syncBuiltinESMExports();
  }
}

type Coded = (error: unknown, bytes?: Buffer) => void;

function coded(done: Coded, code: () => Buffer): void {
  let bytes: Buffer;
  try {
    bytes = code();
  } catch (error) {
    return done(error);
  }
  done(null, bytes);
}

/** Unpacks after all input has arrived. */
function gunzipAtEnd(): Transform {
  const held: Buffer[] = [];
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      held.push(chunk);
      done();
    },
    flush: (done) => {
      try {
        done(null, zlib.gunzipSync(Buffer.concat(held)));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function replaceTime(
  world: World,
  inside: (target: object, name: string, own: (...given: never[]) => unknown) => void,
): void {
  const sleep = (
    ms: number,
    value: unknown,
    { signal, ref = true }: { readonly signal?: AbortSignal; readonly ref?: boolean } = {},
  ): Promise<unknown> =>
    new Promise((go, stop) => {
      const letGo = ref ? holdTimer(world, ms) : () => undefined;
      const abort = (): void => {
        callOff();
        letGo();
        stop(Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" }));
      };
      const callOff = world.after(ms, `slept ${Math.round(ms)}`, () => {
        signal?.removeEventListener("abort", abort);
        letGo();
        go(value);
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  const timeout = (call: (...given: unknown[]) => void, ms = 1, ...input: unknown[]): SimulatedTimer =>
    new SimulatedTimer(world, () => call(...input), Math.max(1, ms));
  inside(globalThis, "setTimeout", timeout);
  inside(globalThis, "clearTimeout", (timer?: SimulatedTimer) => timer?.close());
  inside(globalThis, "setInterval", (call: (...given: unknown[]) => void, ms = 1, ...input: unknown[]) => {
    const timer = timeout(() => {
      timer.refresh();
      call(...input);
    }, ms);
    return timer;
  });
  inside(globalThis, "clearInterval", (timer?: SimulatedTimer) => timer?.close());
  inside(globalThis, "setImmediate", (call: (...given: unknown[]) => void, ...input: unknown[]) =>
    timeout(call, 0, ...input),
  );
  inside(globalThis, "clearImmediate", (timer?: SimulatedTimer) => timer?.close());
  inside(timersPromises, "setTimeout", sleep);
  inside(timersPromises, "setImmediate", (value: unknown) => sleep(0, value));
  inside(performance, "now", () => world.now);
  inside(Date, "now", () => world.wallClock());
  inside(AbortSignal, "timeout", (ms: number) => {
    const controller = new AbortController();
    world.after(ms, `timeout ${ms}`, () =>
      controller.abort(new DOMException("The operation timed out", "TimeoutError")),
    );
    return controller.signal;
  });
}

function holdTimer(world: World, ms: number): () => void {
  return world.hold(`a timer of ${Math.round(ms)} ms`);
}

class SimulatedTimer {
  readonly #world: World;
  readonly #call: () => void;
  readonly #ms: number;
  #isRef = true;
  #callOff: () => void = () => undefined;
  #letGo: () => void = () => undefined;

  constructor(world: World, call: () => void, ms: number) {
    this.#world = world;
    this.#call = call;
    this.#ms = ms;
    this.refresh();
  }
  refresh(): this {
    this.close();
    if (this.#isRef) this.#letGo = holdTimer(this.#world, this.#ms);
    this.#callOff = this.#world.after(this.#ms, `timer ${Math.round(this.#ms)}`, () => {
      this.#letGo();
      this.#call();
    });
    return this;
  }
  close(): void {
    this.#callOff();
    this.#letGo();
  }
  ref(): this {
    this.#isRef = true;
    return this;
  }
  unref(): this {
    this.#isRef = false;
    this.#letGo();
    return this;
  }
  hasRef(): boolean {
    return this.#isRef;
  }
}
