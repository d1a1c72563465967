import { LaconicError, ledgerTotals, randomFromSeed, type EpisodeContext, type LanguageModel } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { answerOf, chainGraph, graphTopology, layeredGraph, programTopology, type AgentSpec } from "./index.ts";

const agent = (id: string): AgentSpec => ({
  id,
  role: id,
  maxTokens: 8,
  prompt: ({ inbox }) => ({ kind: "text", text: inbox.map(({ text }) => text).join("|") }),
});
const [a, b, c] = ["a", "b", "c"].map((id) => agent(id)) as [AgentSpec, AgentSpec, AgentSpec];
const problem = { id: "1", question: "?", gold: "x" };
const says = (text: string): LanguageModel => scriptedModel(() => text);
const hangs: LanguageModel = { id: "hangs", complete: () => new Promise(() => undefined) };
const fails: LanguageModel = {
  id: "fails",
  complete: () => Promise.reject(new LaconicError("api_unavailable", "down for a minute")),
};
const context = (models: Record<string, LanguageModel>, extra: Partial<EpisodeContext> = {}): EpisodeContext => ({
  models,
  sampling: { temperature: 1 },
  random: randomFromSeed(0),
  ...extra,
});
const team = graphTopology({ ...layeredGraph([[a, b], [c]]), answer: answerOf<string>("c") });

describe("an agent that hangs", () => {
  test.for([{ maxSecondsPerTurn: 0.03 }, { maxSeconds: 0.03 }])(
    "%j ends the episode; what others said is kept, without gaps",
    async (limits) => {
      const episode = await team.run(problem, context({ a: hangs, b: says("b"), c: says("c") }, { limits }));
      expect([episode.stopReason, episode.answer]).toEqual(["time_limit", null]);
      expect(episode.utterances.map(({ agent: id, turn }) => [id, turn])).toEqual([["b", 0]]);
      expect(ledgerTotals(episode.ledger).calls).toBe(1);
    },
  );
  test("time that is not up changes nothing", async () => {
    const models = { a: says("a"), b: says("b"), c: says("c") };
    const free = await team.run(problem, context(models));
    expect(await team.run(problem, context(models, { limits: { maxSeconds: 60, maxSecondsPerTurn: 60 } }))).toEqual(
      free,
    );
  });
});

describe("an agent that fails", () => {
  test("reaches the caller", async () => {
    await expect(team.run(problem, context({ a: says("a"), b: fails, c: says("c") }))).rejects.toThrow(
      "down for a minute",
    );
  });
  test("ends its episode, and the batch continues", async () => {
    const batch = await Promise.all(
      [fails, says("b")].map((model) =>
        team.run(problem, context({ a: says("a"), b: model, c: says("c") }, { onError: "end" })),
      ),
    );
    expect(batch.map(({ stopReason, answer }) => [stopReason, answer])).toEqual([
      ["error", null],
      ["answered", "c"],
    ]);
    expect(batch[0]?.utterances.map(({ text }) => text)).toEqual(["a"]);
    expect(batch.map(({ notes }) => notes)).toEqual([['agent "b": down for a minute'], undefined]);
  });
  test("an abort is an abort in any case", async () => {
    const signal = AbortSignal.abort();
    await expect(
      team.run(problem, context({ a: says("a"), b: says("b"), c: says("c") }, { onError: "end", signal })),
    ).rejects.toFailWith("aborted");
  });
});

describe("passing", () => {
  const passing = graphTopology({ ...chainGraph([a, b]), pass: "PASS" });
  test("is silence: the agent pays, no agent reads it, no answer counts", async () => {
    const reader = scriptedModel(({ prompt }) =>
      prompt.kind === "text" && prompt.text === "" ? "heard nothing" : "heard",
    );
    const episode = await passing.run(problem, context({ a: says(" PASS\n"), b: reader }));
    expect(episode.utterances.map(({ text, silent, deliveredTo }) => [text, silent, deliveredTo])).toEqual([
      [" PASS\n", true, []],
      ["heard nothing", false, []],
    ]);
    const totals = ledgerTotals(episode.ledger);
    expect([totals.readTokens, totals.writtenByAgent["a"]]).toEqual([0, 7]);
    const mute = await passing.run(problem, context({ a: says("word"), b: says("PASS") }));
    expect([mute.answer, mute.stopReason]).toEqual([null, "no_answer"]);
  });
  test("is the whole message, not a word in it", async () => {
    const episode = await passing.run(problem, context({ a: says("PASS on"), b: says("ok") }));
    expect(episode.utterances[0]?.silent).toBe(false);
  });
  test("holds for programs too", async () => {
    const program = programTopology({
      name: "p",
      agents: ["a"],
      pass: "PASS",
      play: async (stage) => void (await stage.say({ agent: "a", prompt: { kind: "text", text: "" }, maxTokens: 8 })),
      answer: (turns) => turns.at(-1)?.utterance ?? null,
    });
    expect((await program.run(problem, context({ a: says("PASS") }))).answer).toBeNull();
    expect(
      (await program.run(problem, context({ a: hangs }, { limits: { maxSecondsPerTurn: 0.02 } }))).stopReason,
    ).toBe("time_limit");
  });
});
