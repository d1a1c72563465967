import { randomFromSeed, type CompletionRequest } from "@laconic/core";
import { expect, test } from "vitest";
import { holderPrompt } from "./prompts.ts";
import { scriptedAgent } from "./scripted-agent.ts";

const request: CompletionRequest = {
  prompt: { kind: "tokens", tokens: holderPrompt("holder-a", "k6", "k+e") },
  sampling: { temperature: 1, maxTokens: 3 },
  random: randomFromSeed(1).state(),
};

test("a reply is counted with its end token, and cut without one", async () => {
  const fits = await scriptedAgent("s", ({ facts }) => facts).complete(request);
  expect([fits.text, fits.finishReason, fits.usage]).toEqual([
    "k6",
    "stop",
    { promptTokens: 8, completionTokens: 3, counted: "model" },
  ]);
  const cut = await scriptedAgent("s", ({ question }) => question).complete(request);
  expect([cut.text, cut.finishReason, cut.usage.completionTokens]).toEqual(["k+e", "length", 3]);
});

test("a fired signal, another kind of prompt and an unspellable reply reject", async () => {
  const agent = scriptedAgent("s", () => "NO");
  await expect(agent.complete({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  await expect(agent.complete({ ...request, prompt: { kind: "text", text: "k6" } })).rejects.toMatchObject({
    code: "input_invalid",
  });
  await expect(agent.complete(request)).rejects.toMatchObject({ code: "input_invalid", detail: { character: "N" } });
});
