import { randomFromSeed } from "@laconic/core";
import { closeServer } from "@laconic/serve";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { startServer, modelOfFile, tokenizer } from "./tiny-server.ts";

const tiny = await modelOfFile();

interface EchoedChoice {
  readonly index: number;
  readonly text: string;
  readonly finish_reason: string;
  readonly logprobs: {
    readonly tokens: readonly string[];
    readonly token_logprobs: readonly (number | null)[];
    readonly text_offset: readonly number[];
    readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[];
  };
}

interface Answer {
  readonly choices: readonly EchoedChoice[];
  readonly usage: Readonly<Record<string, number>>;
}

async function serve(): Promise<string> {
  const { server, url } = await startServer({ policy: tiny.policy, scorer: tiny.model });
  onTestFinished(() => closeServer(server, 0));
  return url;
}

async function complete(url: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "tiny", ...body }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

/** The whole distribution after a prompt, by sampling one token of it. */
async function distribution(promptTokens: readonly number[]): Promise<Map<number, number>> {
  const [result] = await tiny.model.sample([
    {
      promptTokens,
      sampling: { temperature: 1, maxTokens: 1 },
      stopTokens: [],
      random: randomFromSeed(1).state(),
      topLogProbs: tokenizer.vocabularySize,
    },
  ]);
  return new Map((result?.atOne?.[0]?.top ?? []).map(({ token, logProb }) => [token, logProb]));
}

// The request of lm-eval 0.4's `local-completions` for a log-likelihood, and what it reads from the answer.
test("a continuation's log-likelihood is the sum over its tokens", async () => {
  const url = await serve();
  const contexts = ["the fox", "a", "what is"].map((text) => tokenizer.encode(text));
  const continuations = [" runs", " b", " it."].map((text) => tokenizer.encode(text));
  const prompt = contexts.map((context, i) => [...context, ...(continuations[i] as number[])]);
  const { choices, usage } = await complete(url, {
    prompt,
    temperature: 0,
    max_tokens: 1,
    logprobs: 1,
    seed: 1234,
    echo: true,
  });
  expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(usage["prompt_tokens"]).toBe(prompt.flat().length);
  expect(usage["completion_tokens"]).toBe(3);
  for (const [i, { text, logprobs }] of choices.entries()) {
    const [all, context] = [prompt[i] as number[], contexts[i] as number[]];
    expect(text.startsWith(tokenizer.decode(all))).toBe(true);
    expect(logprobs.tokens).toHaveLength(all.length + 1);
    expect(logprobs.token_logprobs[0]).toBeNull();
    expect(logprobs.top_logprobs[0]).toBeNull();
    let sum = 0;
    let greedy = true;
    for (let t = context.length; t < all.length; t++) {
      const places = await distribution(all.slice(0, t));
      sum += places.get(all[t] as number) as number;
      greedy &&= Math.max(...places.values()) === places.get(all[t] as number);
    }
    const own = logprobs.token_logprobs.slice(context.length, -1) as number[];
    expect(own.reduce((total, value) => total + value, 0)).toBeCloseTo(sum, 9);
    const isGreedy = own.every(
      (value, t) => value === Math.max(...Object.values(logprobs.top_logprobs[context.length + t] ?? {})),
    );
    expect(isGreedy).toBe(greedy);
  }
  // A greedy reply is greedy when it comes back as a prompt.
  const prefix = tokenizer.encode("abc");
  const answer = await complete(url, { prompt: prefix, temperature: 0, max_tokens: 5, return_token_ids: true });
  const { token_ids: tokens } = answer.choices[0] as unknown as { readonly token_ids: readonly number[] };
  const back = await complete(url, { prompt: [...prefix, ...tokens], max_tokens: 1, logprobs: 1, echo: true });
  const { token_logprobs: values, top_logprobs: tops } = (back.choices[0] as EchoedChoice).logprobs;
  for (let t = prefix.length; t < prefix.length + tokens.length; t++)
    expect(values[t]).toBe(Math.max(...Object.values(tops[t] ?? {})));
});

test("returns only the prompt for max_tokens 0, with text offsets", async () => {
  const url = await serve();
  const { choices, usage } = await complete(url, { prompt: ["fox", "a b"], max_tokens: 0, logprobs: 0, echo: true });
  expect(choices.map(({ text, finish_reason: reason }) => [text, reason])).toEqual([
    ["fox", "length"],
    ["a b", "length"],
  ]);
  expect(choices.map(({ logprobs }) => [logprobs.tokens, logprobs.text_offset, logprobs.top_logprobs])).toEqual([
    [["f", "o", "x"], [0, 1, 2], null],
    [["a", " ", "b"], [0, 1, 2], null],
  ]);
  expect(usage).toEqual({ prompt_tokens: 6, completion_tokens: 0, total_tokens: 6 });
});

test("several prompts get n replies each in order, as single requests do", async () => {
  const url = await serve();
  const { choices } = await complete(url, { prompt: ["fox", "dog"], n: 2, max_tokens: 4, temperature: 0 });
  const alone = [];
  for (const prompt of ["fox", "dog"])
    alone.push((await complete(url, { prompt, max_tokens: 4, temperature: 0 })).choices[0]);
  expect(choices.map(({ index, text }) => [index, text])).toEqual([
    [0, alone[0]?.text],
    [1, alone[0]?.text],
    [2, alone[1]?.text],
    [3, alone[1]?.text],
  ]);
  expect((await complete(url, { prompt: ["fox", "dog"], n: 2, max_tokens: 1, echo: true })).choices[2]?.text).toMatch(
    /^dog/,
  );
});

test("accepts newer parameters at their defaults", async () => {
  const url = await serve();
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const ask = (role: "system" | "developer") =>
    client.chat.completions.create({
      model: "tiny",
      messages: [
        { role, content: "be brief" },
        { role: "user", content: "say" },
      ],
      response_format: { type: "text" },
      seed: 4,
      max_tokens: 6,
    });
  const [system, developer] = [await ask("system"), await ask("developer")];
  expect(developer.choices).toEqual(system.choices);
  const { message } = system.choices[0] as (typeof system.choices)[0];
  const history = [{ role: "user" as const, content: "say" }, message, { role: "user" as const, content: "more" }];
  const next = await client.chat.completions.create({ model: "tiny", messages: history, max_tokens: 2 });
  expect(next.choices).toHaveLength(1);
  expect((await client.models.retrieve("tiny")).id).toBe("tiny");
  await expect(client.models.retrieve("other")).rejects.toMatchObject({ status: 404 });
});

test("uses the server's default reply limit", async () => {
  const { server, url } = await startServer({ policy: tiny.policy, defaultMaxTokens: 3 });
  onTestFinished(() => closeServer(server, 0));
  const whole = await complete(url, { prompt: "abc", seed: 3 });
  expect(whole.usage["completion_tokens"]).toBeLessThanOrEqual(3);
  const many = await complete(url, { prompt: "abc", seed: 3, n: 8 });
  expect(many.usage["completion_tokens"]).toBeGreaterThan(8);
  expect(many.usage["completion_tokens"]).toBeLessThanOrEqual(24);
});

test("a local policy gives the log-probs of an echoed prompt", async () => {
  const url = await serve();
  const prompt = "the cat sat on a mat.";
  const { choices, usage } = await complete(url, { prompt, max_tokens: 1, echo: true, logprobs: 1, temperature: 0 });
  const echoed = choices[0]?.logprobs.token_logprobs.slice(0, usage["prompt_tokens"]) ?? [];
  const { promptLogProbs = [] } = await tiny.policy.complete({
    prompt: { kind: "text", text: prompt },
    sampling: { temperature: 0, maxTokens: 1 },
    random: randomFromSeed(1).state(),
    scorePrompt: true,
  });
  expect(promptLogProbs).toHaveLength(prompt.length);
  expect([promptLogProbs[0], echoed[0]]).toEqual([null, null]);
  for (const [i, value] of promptLogProbs.slice(1).entries()) expect(value).toBeCloseTo(echoed[i + 1] ?? NaN, 6);
});
