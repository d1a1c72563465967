import type { Random } from "../../packages/core/src/index.ts";
import type { CompletionHandler } from "../../packages/serve/src/server.ts";
import type { ServerFault } from "./faults.ts";
import type { SimulatedServer } from "./machine.ts";
import type { Program } from "./program.ts";
import type { World } from "./world.ts";

export interface Listener {
  readonly program: Program;
  readonly handler: CompletionHandler;
}

/** Milliseconds of a very slow request. */
const slowRequestMs = 900_000;

export function checkWait(world: World, path: string, since: number, maxMs: number): void {
  const still = world.faults.met.reduce((sum, fault) => {
    if (fault.kind === "pause" || fault.kind === "jump") return sum + Math.max(0, fault.ms);
    return fault.kind === "server" && fault.how === "slow" ? sum + slowRequestMs : sum;
  }, 0);
  const ms = world.now - since;
  if (ms > maxMs + still) world.violate(`${path} was answered after ${Math.round(ms / 1000)} s`);
}

/**
 * Connects to a program of the same machine. If one side ends, the other is notified: the client by an error, the
 * handler by its signal. Replies arrive in pieces.
 * @param listener - current listener; null if none
 */
export function connections(world: World, listener: () => Listener | null): SimulatedServer {
  const random = world.random.split("connections");
  let requests = 0;
  return (address, init) => {
    const fault = world.faults.reply((requests += 1));
    const asking = new Asking(world, random, { address, init, fault });
    const copies = fault === "duplicate" ? 2 : 1;
    for (let i = 0; i < copies; i++)
      world.elsewhere(fault === "slow" ? slowRequestMs : delayIn(random), `request to ${asking.path}`, () => {
        const match = listener();
        if (fault === "dead" || !match?.program.isAlive) asking.fail("ECONNREFUSED");
        else if (fault === "status") asking.refuse();
        else asking.arrive(match, i === 0);
      });
    return asking.response;
  };
}

const delayIn = (random: Random): number => 0.05 + 2 * random.uniform();

interface Sent {
  readonly address: string;
  readonly init: RequestInit;
  readonly fault: ServerFault | null;
}

class Asking {
  readonly response: Promise<Response>;
  readonly path: string;
  readonly #world: World;
  readonly #random: Random;
  readonly #client: Program;
  readonly #sent: Sent;
  readonly #body: ReadableStream<Uint8Array>;
  readonly #hangUps = new Set<() => void>();
  readonly #letGo: () => void;
  /** Bytes of the reply before the connection breaks. */
  #left: number;
  #last = 0;
  #isOver = false;
  #writer!: ReadableStreamDefaultController<Uint8Array>;
  #settle!: { resolve(response: Response): void; reject(error: unknown): void };

  constructor(world: World, random: Random, sent: Sent) {
    [this.#world, this.#random, this.#sent] = [world, random, sent];
    this.#client = world.program as Program;
    this.#left = sent.fault === "cut" ? random.integer(300) : Infinity;
    this.path = new URL(sent.address).pathname;
    this.response = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#letGo = world.hold(`a request to ${this.path}`);
    this.#body = new ReadableStream({ start: (writer) => void (this.#writer = writer) });
    this.#client.whenOver.add(() => this.#hangUp());
    const { signal } = sent.init;
    const abort = (): void => {
      if (this.#isOver) return;
      this.#hangUp();
      this.#end(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  }

  /** Delivers the request. @param isHeard - whether the client waits for this reply */
  arrive({ program, handler }: Listener, isHeard: boolean): void {
    const { address, init, fault } = this.#sent;
    const gone = new AbortController();
    const hangUp = (): void =>
      void this.#world.after(delayIn(this.#random), `${this.path}: the client is gone`, () => gone.abort(), program);
    const reset = (): void => this.fail("ECONNRESET");
    const answer = async (): Promise<void> => {
      const { status, headers, body } = await handler(
        new Request(`http://localhost${this.path}`, { ...init, signal: gone.signal }),
      );
      const isTaken = isHeard && fault !== "lost" && !gone.signal.aborted;
      if (fault === "lost") this.fail("ECONNRESET");
      const head = (): void => this.#settle.resolve(new Response(body && this.#body, { status, headers }));
      if (isTaken) this.#send("head", head);
      if (isTaken && fault === "garbage") this.#piece(new TextEncoder().encode("<html>"));
      if (!isTaken || fault === "garbage") await body?.cancel();
      else await this.#pass(body, gone.signal);
      if (isTaken) this.#send("end", () => this.#end(null));
      program.whenOver.delete(reset);
      this.#hangUps.delete(hangUp);
    };
    if (this.#isOver) return; // the client and its connection are gone
    if (isHeard) this.#hangUps.add(hangUp);
    if (isHeard) program.whenOver.add(reset);
    this.#world.after(delayIn(this.#random), `${this.path} is asked ${address}`, () => void answer(), program);
  }

  refuse(): void {
    this.#send("status 503", () => {
      this.#settle.resolve(Response.json({ error: { message: "not now" } }, { status: 503 }));
      this.#end(null);
    });
  }

  fail(code: string): void {
    this.#send(code, () => this.#end(Object.assign(new TypeError("fetch failed"), { cause: { code } })));
  }

  async #pass(body: ReadableStream<Uint8Array> | null, gone: AbortSignal): Promise<void> {
    const reader = body?.getReader();
    gone.addEventListener("abort", () => void reader?.cancel(), { once: true });
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) this.#piece(read.value);
  }

  #piece(bytes: Uint8Array): void {
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#send(`${part.length} bytes`, () => this.#writer.enqueue(part));
    if (part.length < bytes.length) {
      this.#hangUp();
      this.fail("UND_ERR_SOCKET");
    }
  }

  #send(label: string, take: () => void): void {
    if (!this.#client.isAlive) return;
    this.#last = Math.max(this.#last, this.#world.now + delayIn(this.#random));
    const go = (): void => {
      if (!this.#isOver) take();
    };
    this.#world.after(this.#last - this.#world.now, `reply of ${this.path}: ${label}`, go, this.#client);
  }

  #hangUp(): void {
    for (const tell of this.#hangUps) tell();
    this.#hangUps.clear();
  }

  /** @param error - null for a complete reply */
  #end(error: unknown): void {
    this.#isOver = true;
    this.#letGo();
    if (error === null) return this.#writer.close();
    this.#settle.reject(error); // no effect after the head
    this.#writer.error(error);
  }
}
