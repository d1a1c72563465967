import { expect, test, vi } from "vitest";
import { LaconicError } from "../errors.ts";
import type { CompletionRequest, LanguageModel } from "../language-model.ts";
import { randomFromSeed } from "../numeric/random.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { tableTokenizer } from "../testing/table-tokenizer.ts";
import { streamCompletion, streamText, type TextEvent } from "./streams.ts";

const tokenizer = tableTokenizer();
const request: CompletionRequest = {
  prompt: { kind: "text", text: "hi" },
  sampling: { temperature: 1, maxTokens: 20 },
  random: randomFromSeed(1).state(),
};

function writer(
  text: string,
  failAfter = Infinity,
): LanguageModel & { drawn: number; signal: AbortSignal | undefined } {
  const tokens = [...tokenizer.encode(text), tokenizer.endToken];
  const model = {
    id: "writer",
    drawn: 0,
    signal: undefined as AbortSignal | undefined,
    async complete({ signal, onToken, sampling: { stop = [] } }: CompletionRequest) {
      model.signal = signal;
      for (const [i, token] of tokens.entries()) {
        await new Promise((done) => setTimeout(done));
        if (signal?.aborted) throw new LaconicError("aborted", "the request was aborted");
        if (i >= failAfter) throw new LaconicError("engine_failed", "it broke");
        model.drawn += 1;
        onToken?.({ token, logProb: -i });
      }
      const ends = stop.map((item) => text.indexOf(item)).filter((index) => index >= 0);
      return {
        text: text.slice(0, Math.min(text.length, ...ends)),
        finishReason: "stop" as const,
        usage: { promptTokens: 2, completionTokens: tokens.length, counted: "model" as const },
        model: { id: "writer", weightVersion: 0 },
      };
    },
  };
  return model;
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const textOf = (events: readonly TextEvent[]): string =>
  events.map((event) => (event.kind === "text" ? event.text : "")).join("");

test("tokens arrive one by one, and the completion last", async () => {
  const model = writer("abc");
  const seen: [string, number][] = [];
  for await (const event of streamCompletion(model, request))
    seen.push([event.kind === "token" ? tokenizer.decode([event.drawn.token]) : event.completion.text, model.drawn]);
  expect(seen.map((item) => item.join("/"))).toEqual(["a/1", "b/2", "c/3", "/4", "abc/4"]);
});

test("a request starts with its first reader and ends when the reader stops", async () => {
  const model = writer("abcdefgh");
  const events = streamCompletion(model, request);
  await new Promise((done) => setTimeout(done, 5));
  expect(model.drawn).toBe(0);
  for await (const event of events) if (event.kind === "token" && event.drawn.logProb === -1) break;
  expect(model.signal?.aborted).toBe(true);
  await new Promise((done) => setTimeout(done, 5));
  expect(model.drawn).toBe(2);
});

test("the request's own signal ends it as aborted, before and on the way", async () => {
  await expect(
    collect(streamCompletion(writer("abc"), { ...request, signal: AbortSignal.abort() })),
  ).rejects.toFailWith("aborted");
  const own = new AbortController();
  const reading = (async () => {
    for await (const event of streamText(writer("abcdef"), { ...request, signal: own.signal }, tokenizer))
      if (event.kind === "text") own.abort();
  })();
  await expect(reading).rejects.toFailWith("aborted");
});

test("a failure comes after the tokens before it", async () => {
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of streamCompletion(writer("abc", 2), request)) seen.push(event.kind);
  })();
  await expect(reading).rejects.toThrow("it broke");
  expect(seen).toEqual(["token", "token"]);
});

test("pieces of text together are the text, without a stop text that comes in parts", async () => {
  const stopped = { ...request, sampling: { ...request.sampling, stop: ["cd", "xyz"] } };
  const events = await collect(streamText(writer("ab-c-cd-ef"), stopped, tokenizer));
  expect(events.map((event) => (event.kind === "text" ? event.text : null))).toEqual(["a", "b", "-", "c-", "", null]);
  expect(textOf(events)).toBe("ab-c-");
  const drawn = events.flatMap((event) => (event.kind === "text" ? event.drawn : []));
  expect(tokenizer.decode(drawn.map(({ token }) => token))).toBe("ab-c-cd");
});

test("held text arrives with the end, and so does an end token", async () => {
  const held = { ...request, sampling: { ...request.sampling, stop: ["cx"] } };
  const events = await collect(streamText(writer("abc"), held, tokenizer));
  expect(events.map((event) => (event.kind === "text" ? [event.text, event.drawn.length] : null))).toEqual([
    ["a", 1],
    ["b", 1],
    ["c", 2],
    null,
  ]);
});

test("a model that does not stream gives its text in one piece", async () => {
  const events = await collect(streamText(scriptedModel("all at once"), request, tokenizer));
  expect(events.map(({ kind }) => kind)).toEqual(["text", "completion"]);
  expect(textOf(events)).toBe("all at once");
  expect((await collect(streamCompletion(scriptedModel("x"), request))).map(({ kind }) => kind)).toEqual([
    "completion",
  ]);
});

test("listeners are let go of", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  await collect(streamCompletion(writer("abc"), { ...request, signal }));
  expect(added).toHaveBeenCalled();
  expect(removed.mock.calls.map((input) => input[1])).toEqual(added.mock.calls.map((input) => input[1]));
});
