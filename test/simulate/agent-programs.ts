import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/src/index.ts";
import { checkWait } from "./connections.ts";
import { secret } from "./secret.ts";
import type { Program } from "./program.ts";
import type { World } from "./world.ts";

/** Known facts about a rollout, shared by agent programs. */
export interface KnownRollout {
  readonly group: string;
  readonly heard: { readonly text: string; readonly tokens: number }[];
  unheard: number;
  /** Sent rewards, and the one that the gateway acknowledged. */
  readonly sent: Set<number>;
  acknowledged: number | null;
}

/** Max milliseconds until an answer; the gateway holds requests for four minutes, others wait for weights. */
const maxAnswerMs = 600_000;
const maxTries = 8;

export class Rollouts {
  readonly known: Map<string, KnownRollout> = new Map();
  isOver = false;
  readonly #members: number;

  constructor(members: number) {
    this.#members = members;
  }

  /** A new rollout, or sometimes one that another program may be playing. */
  next(random: Random): string {
    const ids = [...this.known.keys()];
    if (random.uniform() < 0.1 && ids.length > 0) return ids.at(-1 - random.integer(Math.min(2, ids.length))) as string;
    const group = `g${Math.floor(ids.length / this.#members)}`;
    const id = `r${ids.length}`;
    this.known.set(id, { group, heard: [], unheard: 0, sent: new Set(), acknowledged: null });
    return id;
  }

  of(id: string): KnownRollout {
    return this.known.get(id) as KnownRollout;
  }
}

/** Program that plays rollouts at an address; randomly aborts, repeats requests, and reports late. */
export class AgentProgram {
  readonly #world: World;
  readonly #rollouts: Rollouts;
  readonly #random: Random;
  readonly #url: string;

  constructor(world: World, rollouts: Rollouts, random: Random, url: string) {
    [this.#world, this.#rollouts, this.#random, this.#url] = [world, rollouts, random, url];
  }

  async run({ stop }: Program): Promise<void> {
    while (!this.#rollouts.isOver && !stop.signal.aborted) {
      await this.#play(this.#rollouts.next(this.#random));
      await sleep(1 + 200 * this.#random.uniform());
    }
  }

  async #play(id: string): Promise<void> {
    const random = this.#random;
    const digit = random.integer(3);
    let prompt = String(digit);
    let message = "";
    const turns = 1 + random.integer(2);
    for (let turn = 0; turn < turns; turn++) {
      const reply = await this.#ask(id, prompt);
      if (reply === null) return;
      message = reply;
      prompt = `${prompt}${reply}${digit}`;
    }
    const choice = random.uniform();
    if (choice < 0.04) return; // never reports
    if (choice < 0.08) return void (await this.#post(`/rollouts/${id}/abandon`, {}));
    if (choice < 0.2) await sleep(120_000 * random.uniform());
    const grade = message.startsWith("abc"[digit] as string) ? 1 : 0;
    await this.#tell(id, grade);
    if (choice > 0.9) await this.#tell(id, choice > 0.97 ? 1 - grade : grade);
  }

  /** @returns the reply's text; null if unavailable */
  async #ask(id: string, prompt: string): Promise<string | null> {
    const knownRollout = this.#rollouts.of(id);
    const body = { model: "solver", prompt, metadata: { rollout_group: knownRollout.group } };
    const match = await this.#post(`/v1/rollouts/${id}/completions`, body, () => (knownRollout.unheard += 1));
    if (match?.status !== 200) return null;
    const { choices, usage } = match.body as {
      readonly choices: readonly [{ readonly text: string }];
      readonly usage: { readonly completion_tokens: number };
    };
    const [{ text }] = choices;
    knownRollout.heard.push({ text, tokens: usage.completion_tokens });
    knownRollout.unheard -= 1;
    return text;
  }

  async #tell(id: string, grade: number): Promise<void> {
    const knownRollout = this.#rollouts.of(id);
    const body = { reward: grade, group: knownRollout.group, answer: id };
    const match = await this.#post(`/rollouts/${id}/reward`, body, () => void knownRollout.sent.add(grade));
    if (match?.status !== 200) return;
    if (knownRollout.acknowledged !== null && knownRollout.acknowledged !== grade)
      this.#world.violate(`rollout ${id} has two rewards that were acknowledged`);
    knownRollout.acknowledged = grade;
  }

  /** Retries until an answer concerns the request itself; null if none arrives. */
  async #post(
    path: string,
    body: unknown,
    sends: () => void = () => undefined,
  ): Promise<{ readonly status: number; readonly body: unknown } | null> {
    for (let tries = 0; tries < maxTries && !this.#rollouts.isOver; tries++) {
      const since = this.#world.now;
      sends();
      const match = await this.#send(path, body).catch(() => null);
      checkWait(this.#world, path, since, maxAnswerMs);
      if (match && match.status !== 429 && match.status < 500) return match;
      await sleep(200 * 3 ** tries * (0.5 + this.#random.uniform()));
    }
    return null;
  }

  async #send(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
    const isImpatient = this.#random.uniform() < 0.08;
    const response = await fetch(`${this.#url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
      ...(isImpatient && { signal: AbortSignal.timeout(1 + 2000 * this.#random.uniform()) }),
    });
    return { status: response.status, body: await response.json() };
  }
}
