import { setTimeout as sleep } from "node:timers/promises";
import { randomFromSeed, type Random, type TrainableModel } from "../../packages/core/src/index.ts";
import { tabularModel, tinyTokenizer } from "../../packages/trainer/src/testing/index.ts";
import { checkWait } from "./connections.ts";
import { secret } from "./secret.ts";
import { Violation } from "./program.ts";
import type { World } from "./world.ts";

export const servedWeights = (): TrainableModel =>
  tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, spread: 1, seed: "served" });

/** Max milliseconds until a short request is answered or refused. */
const maxAnswerMs = 60_000;
const requests = 8;

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

interface Heard {
  readonly texts: readonly string[];
  readonly usage: Usage | null;
  readonly isWhole: boolean;
}

interface Asked {
  readonly isChat: boolean;
  readonly prompt: string;
  readonly n: number;
  readonly maxTokens: number;
  /** Null for greedy sampling. */
  readonly seed: number | null;
  readonly isStreamed: boolean;
}

export class CompletionClients {
  readonly #world: World;
  readonly #url: string;
  readonly #weights = servedWeights();
  readonly #drawn = new Map<string, string>();
  answered = 0;

  constructor(world: World, url: string) {
    [this.#world, this.#url] = [world, url];
  }

  async run(random: Random): Promise<void> {
    for (let i = 0; i < requests; i++) {
      const asked: Asked = {
        isChat: random.uniform() < 0.5,
        prompt: Array.from({ length: 1 + random.integer(2) }, () => random.integer(3)).join(""),
        n: 1 + random.integer(2),
        maxTokens: 2 + random.integer(8),
        seed: random.uniform() < 0.5 ? null : random.integer(2),
        isStreamed: random.uniform() < 0.5,
      };
      const ms = random.uniform() < 0.2 ? 1 + 100 * random.uniform() : null;
      for (let tries = 0; tries < 3; tries++) {
        const since = this.#world.now;
        const heard = await this.#ask(asked, ms).catch((error: unknown) => {
          if (error instanceof Violation) throw error;
          return null; // connection error
        });
        checkWait(this.#world, "a completion", since, maxAnswerMs);
        if (heard) await this.#check(asked, heard);
        if (heard?.isWhole && random.uniform() < 0.8) break;
        await sleep(1 + 300 * random.uniform());
      }
    }
  }

  /** @returns null if the server is temporarily unavailable */
  async #ask({ isChat, prompt, n, maxTokens, seed, isStreamed }: Asked, ms: number | null): Promise<Heard | null> {
    const what = isChat ? { messages: [{ role: "user", content: prompt }] } : { prompt };
    const response = await fetch(`${this.#url}/v1/${isChat ? "chat/completions" : "completions"}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify({
        model: "tiny",
        n,
        max_tokens: maxTokens,
        ...what,
        ...(seed === null ? { temperature: 0 } : { temperature: 1, seed }),
        ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
      }),
      ...(ms !== null && { signal: AbortSignal.timeout(ms) }),
    });
    if (response.status !== 200) {
      const text = await response.text();
      const isMeant = response.status === 429 || response.status === 503 || this.#hadNoMemory();
      if (!isMeant) throw new Violation(`a good request is refused with ${response.status}: ${text}`);
      return null;
    }
    return isStreamed ? this.#listen(response, n) : this.#read(response, isChat);
  }

  async #read(response: Response, isChat: boolean): Promise<Heard> {
    const { choices, usage } = (await response.json()) as {
      readonly choices: readonly { readonly text: string; readonly message: { readonly content: string } }[];
      readonly usage: Usage;
    };
    return { texts: choices.map(({ text, message }) => (isChat ? message.content : text)), usage, isWhole: true };
  }

  /** Reads a stream's content, also if it breaks off. */
  async #listen(response: Response, n: number): Promise<Heard | null> {
    const texts = Array.from({ length: n }, () => "");
    let [text, usage, isWhole, isBroken] = ["", null as Usage | null, false, false];
    try {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    } catch {
      isBroken = true;
    }
    if (text.startsWith("<html>")) return null;
    for (const line of text.slice(0, text.lastIndexOf("\n\n") + 1).split("\n\n")) {
      if (!line.startsWith("data: ")) continue;
      if (line === "data: [DONE]") isWhole = true;
      else {
        const { choices = [], ...rest } = JSON.parse(line.slice(6)) as {
          readonly choices?: readonly {
            readonly index: number;
            readonly text?: string;
            readonly delta?: { readonly content?: string };
          }[];
          readonly usage?: Usage;
          readonly error?: unknown;
        };
        if (rest.error !== undefined && !this.#hadNoMemory())
          throw new Violation(`a reply fails on the way: ${JSON.stringify(rest.error)}`);
        if (rest.error !== undefined) return null;
        usage ??= rest.usage ?? null;
        for (const { index, text: own, delta } of choices) texts[index] += own ?? delta?.content ?? "";
      }
    }
    if (!isWhole && !isBroken) throw new Violation(`a stream ends as if it were whole: ${text.slice(-200)}`);
    return { texts, usage, isWhole };
  }

  async #check({ isChat, prompt, n, maxTokens, seed }: Asked, { texts, usage, isWhole }: Heard): Promise<void> {
    const expect = (holds: boolean, what: string): void => {
      if (!holds) throw new Violation(`${prompt}, ${maxTokens} tokens, seed ${seed}: ${what}`);
    };
    const promptTokens = tinyTokenizer.encode(prompt);
    const [greedy] = await this.#weights.sample([
      {
        promptTokens,
        sampling: { temperature: 0, maxTokens },
        stopTokens: [tinyTokenizer.endToken],
        random: randomFromSeed(0).state(),
      },
    ]);
    const likeliest = tinyTokenizer.decode(greedy?.tokens ?? []);
    expect(texts.length === n, `${texts.length} replies come, not ${n}`);
    for (const [i, text] of texts.entries()) {
      const key = `${isChat} ${prompt} ${maxTokens} ${n} ${seed} ${i}`;
      if (isWhole && seed !== null && !this.#drawn.has(key)) this.#drawn.set(key, text);
      const expected = seed === null ? likeliest : (this.#drawn.get(key) ?? text);
      expect(isWhole ? text === expected : expected.startsWith(text), `${text} is said, not ${expected}`);
    }
    if (!isWhole) return;
    this.answered += 1;
    const { prompt_tokens: read = NaN, completion_tokens: written = NaN, total_tokens: total } = usage ?? {};
    expect(read === promptTokens.length && total === read + written, `the usage is ${JSON.stringify(usage)}`);
    if (seed === null) expect(written === n * (greedy?.tokens.length ?? 0), `${written} tokens are counted`);
  }

  #hadNoMemory(): boolean {
    return this.#world.faults.met.some(({ kind }) => kind === "memory");
  }
}
