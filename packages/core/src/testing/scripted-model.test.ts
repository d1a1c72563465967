import { expect, test } from "vitest";
import { randomFromSeed, type CompletionRequest, type Prompt } from "../index.ts";
import { scriptedModel } from "./index.ts";

const ask = (prompt: Prompt = { kind: "text", text: "hello" }, signal?: AbortSignal): CompletionRequest => ({
  prompt,
  sampling: { temperature: 1, maxTokens: 8 },
  random: randomFromSeed(1).state(),
  ...(signal && { signal }),
});

test("a list answers in order and rejects when it is used up", async () => {
  const model = scriptedModel(["one", { text: "two", finishReason: "length" }], "m");
  expect((await model.complete(ask())).text).toBe("one");
  expect(await model.complete(ask())).toMatchObject({ text: "two", finishReason: "length" });
  await expect(model.complete(ask())).rejects.toFailWith("input_invalid", { model: "m", call: 2 });
});

test("a function sees the request and the number of the call, and may leave a call unscripted", async () => {
  const model = scriptedModel(({ sampling }, call) => (call < 2 ? `${call}/${sampling.maxTokens}` : undefined));
  expect((await model.complete(ask())).text).toBe("0/8");
  expect((await model.complete(ask())).text).toBe("1/8");
  await expect(model.complete(ask())).rejects.toFailWith("input_invalid");
});

const messages = (["abc", "de"] as const).map((content) => ({ role: "user" as const, content }));

test.each<[Prompt, number]>([
  [{ kind: "tokens", tokens: [1, 2, 3] }, 3],
  [{ kind: "text", text: "ab" }, 2],
  [{ kind: "messages", messages }, 5],
])("the prompt %j costs %i tokens", async (prompt, promptTokens) => {
  const { usage } = await scriptedModel("").complete(ask(prompt));
  expect(usage).toMatchObject({ promptTokens, completionTokens: 1 });
});

test("an aborted request rejects and is not answered", async () => {
  const model = scriptedModel("one");
  await expect(model.complete(ask(undefined, AbortSignal.abort()))).rejects.toFailWith("aborted");
  expect(model.calls).toEqual([]);
});

test("a request aborted while the script thinks rejects", async () => {
  const controller = new AbortController();
  const model = scriptedModel(async () => {
    controller.abort();
    return "late";
  });
  await expect(model.complete(ask(undefined, controller.signal))).rejects.toFailWith("aborted");
});
