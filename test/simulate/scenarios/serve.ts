import { setTimeout as sleep } from "node:timers/promises";
import {
  LaconicError,
  type ChatTokenizer,
  type Random,
  type SampleRequest,
  type SampleResult,
  type Sampler,
  type TokenListener,
} from "../../../packages/core/src/index.ts";
import { localPolicy } from "../../../packages/engine/src/index.ts";
import { completionHandler } from "../../../packages/serve/src/index.ts";
import { tinyTokenizer } from "../../../packages/trainer/src/testing/index.ts";
import { CompletionClients, servedWeights } from "../completion-clients.ts";
import { connections, type Listener } from "../connections.ts";
import type { Program } from "../program.ts";
import { expectThat, restarted, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import { begin } from "../training.ts";
import type { World } from "../world.ts";

const url = "http://127.0.0.1:8000";
const clients = 3;
/** Fewer replies than clients sometimes request. */
const maxConcurrency = 5;
/** Milliseconds for pending replies after the request to end. */
const graceMs = 3000;

const tokenizer: ChatTokenizer = {
  ...tinyTokenizer,
  endTokens: [tinyTokenizer.endToken],
  encodeChat: (messages) => tinyTokenizer.encode(messages.map(({ content }) => content).join("")),
};

/** Weights with a delay per token; abandoned replies end at the next token. */
class SlowSampler implements Sampler {
  readonly weightVersion = 0;
  readonly #world: World;
  readonly #random: Random;
  readonly #weights = servedWeights();
  running = 0;

  constructor(world: World, random: Random) {
    [this.#world, this.#random] = [world, random];
  }

  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    return Promise.all(requests.map((request, index) => this.#reply(request, index, onToken)));
  }

  forward(...input: Parameters<Sampler["forward"]>): ReturnType<Sampler["forward"]> {
    return this.#weights.forward(...input);
  }

  async #reply(request: SampleRequest, index: number, onToken: TokenListener | undefined): Promise<SampleResult> {
    this.running += 1;
    try {
      const [whole] = (await this.#weights.sample([request])) as [SampleResult];
      for (const [i, token] of whole.tokens.entries()) {
        await sleep(1 + 60 * this.#random.uniform());
        if (request.signal?.aborted)
          return {
            ...whole,
            tokens: whole.tokens.slice(0, i),
            logProbs: whole.logProbs.slice(0, i),
            finishReason: "aborted",
          };
        // Like an engine: for any token, also those after the sent ones.
        if (this.#world.faults.refusesMemory(this.#world))
          throw new LaconicError("device_out_of_memory", "no memory is left for a reply", { request: index });
        onToken?.(index, { token, logProb: whole.logProbs[i] as number });
      }
      return whole;
    } finally {
      this.running -= 1;
    }
  }
}

class Site {
  readonly #world: World;
  readonly #random: Random;
  listener: Listener | null = null;
  sampler: SlowSampler;
  isOver = false;
  #close: () => void = () => undefined;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.split("engine");
    this.sampler = new SlowSampler(world, this.#random);
  }

  end(): void {
    this.isOver = true;
    if (this.listener) this.#world.after(1, "the server is closed", () => this.#close(), this.listener.program);
  }

  /** Serves until asked to end; pending replies then have a time limit. */
  async serve(program: Program): Promise<void> {
    if (this.isOver) return;
    this.sampler = new SlowSampler(this.#world, this.#random);
    const policy = localPolicy({ id: "tiny", sampler: this.sampler, tokenizer, batching: "continuous" });
    const handler = completionHandler({
      models: [{ name: "tiny", policy, tokenizer, contextLength: 64 }],
      apiKey: secret,
      maxConcurrency,
      now: () => this.#world.wallClock(),
      onError: (error) => this.#world.note(`the server says: ${String(error).slice(0, 200)}`),
    });
    this.listener = { program, handler };
    await new Promise<void>((end) => {
      this.#close = end;
      program.stop.signal.addEventListener("abort", () => end(), { once: true });
    });
    this.listener = null;
    await sleep(graceMs);
  }
}

const sites = new WeakMap<World, Site>();

/** Checks that after all clients left no slot is taken and nothing is sampled. */
async function expectIdle(world: World, site: Site): Promise<void> {
  const { listener } = site;
  if (!listener?.program.isAlive) return;
  await sleep(2000 + Math.max(0, listener.program.pausedUntil - world.now)); // paused programs answer later
  const response = await listener.handler(new Request(`${url}/health`));
  const { running } = (await response.json()) as { readonly running: number };
  expectThat(running === 0, `${running} replies are in the making, and nobody waits for any`);
  expectThat(site.sampler.running === 0, `${site.sampler.running} replies are drawn, and nobody waits for any`);
}

export const serve: Scenario = {
  title: "three clients of a completion server, all of which hang up, repeat themselves or are killed",
  share: 2,
  faults: {
    kinds: ["kill", "kill", "power", "pause", "jump", "signal", "memory", "server", "server", "server"],
    events: 500,
    replies: 40,
    servers: ["slow", "status", "cut", "cut", "dead", "garbage", "lost", "duplicate", "duplicate"],
  },
  server(world) {
    const site = new Site(world);
    sites.set(world, site);
    return connections(world, () => site.listener);
  },
  keyHosts: [new URL(url).host],
  async play(world: World, random: Random) {
    const site = sites.get(world) as Site;
    begin(world.disk);
    const all = new CompletionClients(world, url);
    const asking = async (name: number): Promise<void> => {
      for (;;) {
        const ended = await world.start(() => all.run(random.split(`client ${name}`)));
        if (ended.how === "failed") throw ended.error;
        if (ended.how === "done") return;
      }
    };
    const clientsAll = async (): Promise<void> => {
      try {
        await Promise.all(Array.from({ length: clients }, (_, i) => asking(i)));
        world.calm();
        const ended = await world.start(() => expectIdle(world, site));
        if (ended.how === "failed") throw ended.error;
      } finally {
        site.end();
      }
    };
    const serving = restarted(
      world,
      () => site.isOver,
      (program) => site.serve(program),
    );
    await Promise.all([serving, clientsAll()]);
    const wasAway = world.faults.met.some(({ kind }) => kind === "signal" || kind === "kill" || kind === "power");
    expectThat(all.answered > 0 || wasAway, "no request was answered");
  },
};
