import { expect, test } from "vitest";
import { randomFromSeed, type CompletionRequest, type Prompt } from "../index.ts";
import { scriptedModel } from "./index.ts";

const ask = (prompt: Prompt = { kind: "text", text: "hello" }, signal?: AbortSignal): CompletionRequest => ({
  prompt,
  sampling: { temperature: 1, maxTokens: 8 },
  random: randomFromSeed(1).state(),
  ...(signal && { signal }),
});

test("one text answers every call: a token per character and an end token", async () => {
  const model = scriptedModel("k6😀", "m");
  const expected = {
    text: "k6😀",
    finishReason: "stop",
    usage: { promptTokens: 5, completionTokens: 4, counted: "model" },
    model: { id: "m", weightVersion: 0 },
  };
  expect(await model.complete(ask())).toEqual(expected);
  expect(await model.complete(ask())).toEqual(expected);
});

test("a list answers in order and rejects when it is used up", async () => {
  const model = scriptedModel(["one", { text: "two", finishReason: "length" }], "m");
  expect((await model.complete(ask())).text).toBe("one");
  expect(await model.complete(ask())).toMatchObject({ text: "two", finishReason: "length" });
  await expect(model.complete(ask())).rejects.toMatchObject({ code: "input_invalid", detail: { model: "m", call: 2 } });
});

test("a function sees the request and the number of the call, and may leave a call unscripted", async () => {
  const model = scriptedModel(({ sampling }, call) => (call < 2 ? `${call}/${sampling.maxTokens}` : undefined));
  expect((await model.complete(ask())).text).toBe("0/8");
  expect((await model.complete(ask())).text).toBe("1/8");
  await expect(model.complete(ask())).rejects.toMatchObject({ code: "input_invalid" });
});

test("every call is recorded, unscripted ones too", async () => {
  const model = scriptedModel(["one"]);
  const [first, second] = [ask(), ask({ kind: "tokens", tokens: [1, 2, 3] })];
  await model.complete(first);
  await model.complete(second).catch(() => undefined);
  expect(model.calls).toEqual([first, second]);
  expect(model.calls[0]).toBe(first);
});

test.each<[Prompt, number]>([
  [{ kind: "tokens", tokens: [1, 2, 3] }, 3],
  [{ kind: "text", text: "ab" }, 2],
  [
    {
      kind: "messages",
      messages: [
        { role: "system", content: "abc" },
        { role: "user", content: "de" },
      ],
    },
    5,
  ],
])("the prompt %j costs %i tokens", async (prompt, tokens) => {
  expect((await scriptedModel("").complete(ask(prompt))).usage).toMatchObject({
    promptTokens: tokens,
    completionTokens: 1,
  });
});

test("an aborted request rejects and is not answered", async () => {
  const model = scriptedModel("one");
  await expect(model.complete(ask(undefined, AbortSignal.abort()))).rejects.toMatchObject({ code: "aborted" });
  expect(model.calls).toEqual([]);
});

test("a request aborted while the script thinks rejects", async () => {
  const controller = new AbortController();
  const model = scriptedModel(async () => {
    controller.abort();
    return "late";
  });
  await expect(model.complete(ask(undefined, controller.signal))).rejects.toMatchObject({ code: "aborted" });
});
