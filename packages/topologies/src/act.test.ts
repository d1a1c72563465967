import {
  LaconicError,
  ledgerTotals,
  randomFromSeed,
  type Environment,
  type Episode,
  type EpisodeContext,
  type StepReward,
  type Topology,
} from "@laconic/core";
import { scriptedModel, type Script } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { inEnvironment, solo, star, type AgentSpec } from "./index.ts";

const problem = { id: "p", question: "q", gold: "" };
const spec = (id: string, prompt?: AgentSpec["prompt"]): AgentSpec => ({
  id,
  role: id,
  maxTokens: 50,
  prompt: prompt ?? (({ inbox }) => ({ kind: "text", text: `ask:${inbox.map(({ text }) => text).join()}|` })),
});

const counting: Environment<{ asked: number }> = {
  name: "counting",
  reset: () => ({ asked: 0 }),
  step(state, { text }, { record }) {
    if (text === "!") return { done: true, reward: 2 };
    if (!text.startsWith("?")) return {};
    state.asked += 1;
    record("asked");
    return { observation: `=${state.asked}`, reward: -1 };
  },
};

function play(
  topology: Topology,
  scripts: Record<string, Script>,
  more: Partial<EpisodeContext> = {},
): Promise<Episode> {
  const models = Object.fromEntries(Object.entries(scripts).map(([id, script]) => [id, scriptedModel(script, id)]));
  return topology.run(problem, { models, sampling: { temperature: 1 }, random: randomFromSeed(1), ...more });
}

test("an agent continues from its observation; the ledger has each observation as a read from environment", async () => {
  const episode = await play(inEnvironment(solo(spec("a")), counting), { a: ["?x", "?", "two"] });
  expect(episode.utterances.map(({ text, prompt }) => [prompt, text])).toEqual([
    ["ask:|", "?x"],
    ["ask:|?x=1", "?"],
    ["ask:|?x=1?=2", "two"],
  ]);
  expect(episode).toMatchObject({ answer: "two", stopReason: "answered", measures: { asked: 2 } });
  expect(episode.observations).toEqual([
    { turn: 0, agent: "a", text: "=1", tokens: 1, reward: -1 },
    { turn: 1, agent: "a", text: "=2", tokens: 1, reward: -1 },
  ]);
  expect(ledgerTotals(episode.ledger)).toMatchObject({ writtenTokens: 3 + 2 + 4, readByEdge: { "environment->a": 2 } });
  expect(episode.utterances.flatMap(({ deliveredTo }) => deliveredTo)).toEqual([]);
});

test("others read a turn's last text alone, and reads name its place", async () => {
  const topology = inEnvironment(star([spec("a"), spec("b")], spec("s")), counting);
  const episode = await play(topology, { a: ["?", "A"], b: ["?", "B"], s: ["?", "done"] });
  expect(episode.utterances.map(({ agent, turn, text, deliveredTo }) => [agent, turn, text, deliveredTo])).toEqual([
    ["a", 0, "?", []],
    ["a", 1, "A", ["s"]],
    ["b", 2, "?", []],
    ["b", 3, "B", ["s"]],
    ["s", 4, "?", []],
    ["s", 5, "done", []],
  ]);
  expect(episode.ledger.calls[4]?.reads).toEqual([
    { from: "a", turn: 1, tokens: 1 },
    { from: "b", turn: 3, tokens: 1 },
  ]);
  expect(episode.ledger.calls[5]?.reads).toEqual([{ from: "environment", turn: 4, tokens: 1 }]);
  expect(episode.observations?.map(({ text }) => text)).toEqual(["=1", "=2", "=3"]);
});

test("done ends the episode with the turn, and its reward is kept", async () => {
  const episode = await play(inEnvironment(star([spec("a"), spec("b")], spec("s")), counting), {
    a: "!",
    b: "B",
    s: "S",
  });
  expect([episode.utterances.length, episode.stopReason]).toEqual([1, "done"]);
  expect(episode.observations).toEqual([{ turn: 0, agent: "a", text: "", tokens: 0, reward: 2 }]);
});

test("steps share the limits of their turn, of their agent and of the team", async () => {
  const topology = inEnvironment(solo(spec("a")), counting);
  const asked: number[] = [];
  const script: Script = ({ sampling }) => {
    asked.push(sampling.maxTokens);
    return "?";
  };
  const cut = await play(topology, { a: script }, { limits: { maxTokens: 5 } });
  expect(asked).toEqual([5, 3, 1]);
  expect(cut.utterances.length).toBe(3);
  const most = await play(inEnvironment(solo(spec("a")), { ...counting, maxSteps: 2 }), { a: "?" });
  expect(most.utterances.length).toBe(2);
  const two = await play(
    inEnvironment(star([spec("a")], spec("s")), counting),
    { a: ["?", "A"], s: ["?", "S"] },
    { limits: { maxTokens: 6 } },
  );
  expect(two.ledger.calls.map(({ agent, writtenTokens }) => [agent, writtenTokens])).toEqual([
    ["a", 2],
    ["a", 2],
    ["s", 2],
  ]);
});

test("each step draws from a separate stream", async () => {
  const streams: string[] = [];
  const noting = scriptedModel(({ random }) => {
    streams.push(random.join());
    return streams.length < 3 ? "?" : "end";
  });
  const topology = inEnvironment(solo(spec("a")), counting);
  await topology.run(problem, { models: { a: noting }, sampling: { temperature: 1 }, random: randomFromSeed(1) });
  expect(new Set(streams).size).toBe(3);
});

test("an invalid result of a custom environment is named", async () => {
  const bad = { name: "bad", reset: () => 0, step: () => ({ observation: 3 }) } as unknown as Environment;
  await expect(play(inEnvironment(solo(spec("a")), bad), { a: "x" })).rejects.toThrow(
    "the environment bad: step gave the observation 3",
  );
  expect(() => inEnvironment(solo(spec("environment")), bad)).toThrow('no agent may be called "environment"');
  const tokens = inEnvironment(solo(spec("a", () => ({ kind: "tokens", tokens: [1] }))), counting);
  await expect(play(tokens, { a: "?" })).rejects.toThrow("lacks encode");
});

test("a step may reward single agents, also who did not act; anybody else is refused by name", async () => {
  const topology = inEnvironment(star([spec("asker")], spec("solver")), {
    ...counting,
    step: (_, { agent }) => (agent === "asker" ? { reward: { asker: -1, solver: 0.5 } } : { reward: 2 }),
  });
  const { observations } = await play(topology, { asker: "x", solver: "y" });
  expect(observations?.map(({ reward }) => reward)).toEqual([{ asker: -1, solver: 0.5 }, 2]);
  const refusals = [
    [{ sovler: 1 }, 'gave a reward to the unknown agent "sovler"; did you mean solver?'],
    [{ environment: 1 }, 'gave a reward to the unknown agent "environment"; use one of: asker, solver'],
    [{ solver: Number.NaN }, 'gave the agent "solver" the reward NaN, expected a finite number'],
    [[1, 2], "gave the reward a list, expected a finite number or one for each agent"],
    ["1", 'gave the reward "1", expected a finite number or one for each agent'],
  ] as const;
  for (const [reward, message] of refusals) {
    const wrong = { ...counting, step: () => ({ reward }) } as unknown as Environment;
    const playing = play(inEnvironment(star([spec("asker")], spec("solver")), wrong), { asker: "x", solver: "y" });
    await expect(playing).rejects.toThrow(`the environment counting: step ${message}`);
  }
});

test("the state ends with its episode, also with a failed one", async () => {
  let ended = 0;
  const closing = { ...counting, end: () => void ended++ } as Environment;
  await play(inEnvironment(solo(spec("a")), closing), { a: "x" });
  await expect(play(inEnvironment(solo(spec("a")), closing), { a: [] })).rejects.toThrow("not in the script");
  expect(ended).toBe(2);
});

test("an environment that never answers ends with the episode's signal, and a state that comes too late ends too", async () => {
  const never = new Promise<never>(() => undefined);
  for (const [key, hangs] of [
    ["reset", { ...counting, reset: () => never }],
    ["step", { ...counting, step: () => never }],
  ] as const) {
    const stop = new AbortController();
    const playing = play(inEnvironment(solo(spec("a")), hangs), { a: "?" }, { signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort();
    await expect(playing).rejects.toFailWith("aborted", `the environment counting: ${key}: aborted`);
  }
  let begin: (state: { asked: number }) => void = () => undefined;
  const ended: unknown[] = [];
  const late: Environment<{ asked: number }> = {
    ...counting,
    reset: () => new Promise((resolve) => (begin = resolve)),
    end: (state) => void ended.push(state),
  };
  const stop = new AbortController();
  const playing = play(inEnvironment(solo(spec("a")), late), { a: "?" }, { signal: stop.signal });
  stop.abort();
  await expect(playing).rejects.toFailWith("aborted");
  begin({ asked: 7 });
  await new Promise(setImmediate);
  expect(ended).toEqual([{ asked: 7 }]);
});

test.each([{ maxSecondsPerTurn: 0.02 }, { maxSeconds: 0.02 }])(
  "a hung reset ends the episode at %j",
  async (limits) => {
    let heard: AbortSignal | undefined;
    const hangs: Environment<{ asked: number }> = {
      ...counting,
      reset: (_, { signal }) => {
        heard = signal;
        return new Promise(() => undefined);
      },
    };
    const episode = await play(inEnvironment(solo(spec("a")), hangs), { a: "?" }, { limits });
    expect(episode).toMatchObject({ stopReason: "time_limit", answer: null, utterances: [], ledger: { calls: [] } });
    expect(heard?.aborted).toBe(true);
    // A reset that is in time hears nothing of it.
    expect(
      (await play(inEnvironment(solo(spec("a")), counting), { a: "x" }, { limits: { maxSecondsPerTurn: 5 } })).answer,
    ).not.toBe(null);
  },
);

test.each(["reset", "step", "end"] as const)("an environment's error in %s is named", async (key) => {
  const throwing = { ...counting, [key]: () => Promise.reject(new TypeError("no such row")) } as Environment;
  await expect(play(inEnvironment(solo(spec("a")), throwing), { a: "x" })).rejects.toFailWith(
    "input_invalid",
    `the environment counting: ${key} threw TypeError: no such row`,
  );
});

test.each([
  new LaconicError("input_invalid", "the prompt has 9 tokens", { contextLength: 9 }),
  new LaconicError("api_refused", "400: too long", { status: 400, contextFull: true }),
])("a turn whose observation leaves no room to reply ends with the text before, and counts it: %s", async (full) => {
  const other = new LaconicError("input_invalid", "another mistake");
  const failing =
    (error: LaconicError): Script =>
    ({ prompt }) => {
      if (prompt.kind === "text" && prompt.text.endsWith("=2")) throw error;
      return "?";
    };
  const topology = inEnvironment(solo(spec("a")), counting);
  const episode = await play(topology, { a: failing(full) });
  expect(episode.utterances.map(({ text }) => text)).toEqual(["?", "?"]);
  expect(episode.measures).toEqual({ asked: 2, context_full: 1 });
  expect(episode.observations).toEqual([
    { turn: 0, agent: "a", text: "=1", tokens: 1, reward: -1 },
    { turn: 1, agent: "a", text: "", tokens: 0, reward: -1 },
  ]);
  await expect(play(topology, { a: failing(other) })).rejects.toThrow("another mistake");
  const first: Script = () => {
    throw full;
  };
  await expect(play(topology, { a: first })).rejects.toThrow(full.message);
});

describe("a team with an environment runs in another one", () => {
  /** A call is a letter: `a` of the inner environment, `b` of the outer one. */
  const paying = (name: string, letter: string, reward: StepReward, done = false): Environment => ({
    name,
    format: {
      name: "letters",
      write: (messages) => messages.map(({ role, content }) => ({ role: role === "tool" ? "user" : role, content })),
      read: (text) => ({ content: text, calls: Array.from(text, (item) => ({ name: item, arguments: "{}" })) }),
    },
    tools: () => [{ name: letter, description: letter, parameters: {} }],
    reset: () => ({}),
    step(_, { calls }, { record }) {
      if (calls.length === 0) return {};
      record(name, calls.length);
      return done ? { reward, done } : { reward, observation: calls.map((call) => `${name} ${call.name}`) };
    },
  });
  const chat = (): AgentSpec =>
    spec("x", ({ inbox }) => ({ kind: "messages", messages: [{ role: "user", content: `${inbox.length}` }] }));
  const both = (environment: Environment, outer: Environment): Promise<Episode> =>
    play(inEnvironment(inEnvironment(solo(chat()), environment), outer), { x: ["bab", ""] });

  test("earns and counts what both say, each answer at its call's place", async () => {
    const episode = await both(paying("own", "a", 2), paying("outer", "b", 0.5));
    expect(episode.observations).toMatchObject([{ text: "outer b\nown a\nouter b", reward: 2.5 }]);
    expect(episode.measures).toEqual({ own: 1, outer: 2 });
    const named = await both(paying("own", "a", { x: 2 }), paying("outer", "b", { x: 0.5 }));
    expect(named.observations).toMatchObject([{ reward: { x: 2.5 } }]);
  });

  test("ends where either is done", async () => {
    const episode = await both(paying("own", "a", 2), paying("outer", "b", 1, true));
    expect(episode.utterances).toHaveLength(1);
    expect(episode.utterances[0]).toMatchObject({ text: "bab" });
  });

  test("refuses a step that one rewards as a team and the other by agent", async () => {
    const mixed = both(paying("own", "a", 2), paying("outer", "b", { x: 1 }));
    await expect(mixed).rejects.toThrow("the environments own and outer reward one step");
  });
});
