import { runSpec } from "../spec/run-spec.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import type { ChatMessage, SupervisedExample, SupervisedExamples, TrainingSequence } from "@laconic/core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { trainTiny } from "../../test/train-tiny.ts";
import { supervisedDefaults } from "../settings/config.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import type { TrainedPolicy } from "../spec/parts.ts";
import {
  faultyFileSystem,
  ProcessKilled,
  tabularModel,
  tinyParts,
  tinyRun,
  tinySettings,
  tinyTask,
  tinyTokenizer,
  type TinyRunOptions,
} from "../testing/index.ts";
import { encodeExample, type ExampleTokenizer } from "./encode-example.ts";
import { checkedExamples, exampleStream, type StreamOptions } from "./example-stream.ts";

/** Character codes as tokens. Tokens 1 to 4 start roles, and the template ends each turn. */
const marks: Readonly<Record<ChatMessage["role"], number>> = { system: 1, user: 2, assistant: 3, tool: 4 };
const [ofText, ofTurn] = [5, 6];
const codes = (text: string): number[] => Array.from(text, (letter) => letter.codePointAt(0) as number);
const chat: ExampleTokenizer = {
  vocabularySize: 128,
  endToken: ofText,
  endTokens: [ofText, ofTurn],
  encode: codes,
  decode: (tokens) => String.fromCodePoint(...tokens),
  encodeChat: (messages) => [
    ...messages.flatMap(({ role, content }) => [marks[role], ...codes(content), ofTurn]),
    marks.assistant,
  ],
};
const settings = supervisedDefaults;

const conversation: readonly ChatMessage[] = [
  { role: "system", content: "s" },
  { role: "user", content: "ab" },
  { role: "assistant", content: "cd" },
  { role: "user", content: "e" },
  { role: "assistant", content: "f" },
];

const decoded = ({ promptTokens, completionTokens }: TrainingSequence): readonly [number[], number[]] => [
  [...promptTokens],
  [...completionTokens],
];

test("a chat is learned turn by turn after the model's prompt, with its template's end", () => {
  const [first, second] = [codes("ab"), codes("e")];
  const asked = [1, ...codes("s"), 6, 2, ...first, 6, 3];
  expect(encodeExample({ messages: conversation }, chat, settings, 99).map(decoded)).toEqual([
    [asked, [...codes("cd"), 6]],
    [
      [...asked, ...codes("cd"), 6, 2, ...second, 6, 3],
      [...codes("f"), 6],
    ],
  ]);
  const last = encodeExample({ messages: conversation }, chat, { ...settings, turns: "last" }, 99);
  expect(last.map(({ completionTokens }) => completionTokens)).toEqual([[...codes("f"), 6]]);
});

test("turns of weight 0 and turns of the prompt are read, not learned", () => {
  const silent = conversation.map((chatMessage, i) => (i === 2 ? { ...chatMessage, weight: 0 as const } : chatMessage));
  for (const example of [
    { messages: silent },
    { prompt: conversation.slice(0, 4), completion: conversation.slice(4) },
  ]) {
    const sequences = encodeExample(example, chat, settings, 99);
    expect(sequences.map(({ completionTokens }) => completionTokens)).toEqual([[...codes("f"), 6]]);
    expect(sequences[0]?.promptTokens).toEqual(chat.encodeChat?.(conversation.slice(0, 4)));
  }
});

test("templates that rewrite earlier turns spell a turn alone, with a text's end", () => {
  // Some templates remove the reasoning of all turns but the last.
  const rewriting: ExampleTokenizer = {
    ...chat,
    encodeChat: (messages) => [marks.user, messages.length, marks.assistant],
  };
  const [sequence] = encodeExample({ messages: conversation.slice(1, 3) }, rewriting, settings, 99);
  expect(sequence && decoded(sequence)).toEqual([
    [2, 1, 3],
    [...codes("cd"), ofText],
  ]);
});

test("learns a text after its prompt, with the end token", () => {
  const framed: ExampleTokenizer = { ...chat, encodePrompt: (text) => [127, ...codes(text)] };
  const [sequence] = encodeExample({ prompt: "ab", completion: "c" }, framed, settings, 99);
  expect(sequence && decoded(sequence)).toEqual([
    [127, ...codes("ab")],
    [...codes("c"), ofText],
  ]);
});

test("rejects a long example by its location, or cuts its completion", () => {
  const example = { prompt: "ab", completion: "cdef", source: "orders.jsonl row 3" };
  expect(() => encodeExample(example, chat, settings, 6)).toThrow(
    /^orders\.jsonl row 3: it has 7 tokens, more than 6; shorten it/u,
  );
  const [cut] = encodeExample(example, chat, { ...settings, long: "truncate" }, 6);
  expect(cut && decoded(cut)).toEqual([codes("ab"), codes("cdef")]);
  expect(() => encodeExample(example, chat, { ...settings, long: "truncate" }, 2)).toThrow(
    /^orders\.jsonl row 3: its prompt alone has 2 tokens, more than 2/u,
  );
});

test.each([
  [{ question: "?" }, /^example 1: it has neither messages nor prompt and completion$/u],
  [["a"], /^example 1: expected an object/u],
  [{ messages: [{ role: "judge", content: "" }] }, /^example 1: messages\.0\.role: it must be one of system/u],
  [{ messages: [{ role: "user", content: [{ type: "text", text: "a" }] }] }, /message 0: content is a list of parts/u],
  [
    { messages: [{ role: "assistant", content: null, tool_calls: [{}] }] },
    /^example 1: message 0: tool_calls are not read/u,
  ],
  [{ messages: [{ role: "user", content: "a" }], tools: [] }, /^example 1: tools is not read/u],
  [{ prompt: "a", completion: [] }, /^example 1: completion: /u],
  [{ prompt: "a", completion: "b", agent: "x", policy: "y" }, /names an agent and a policy/u],
  [
    { prompt: "a", completion: "b", agent: "x" },
    /^example 1: the agent x does not learn; learning agents: solver, hint$/u,
  ],
  [
    { prompt: "a", completion: "b", policy: "x", source: "f row 2" },
    /^f row 2: unknown policy x; this run has one, two$/u,
  ],
])("%j is refused by its place", (row, message) => {
  expect(() => checkedExamples([row], {}, { one: ["solver"], two: ["hint"] })).toThrow(message);
});

const options: StreamOptions = {
  settings,
  tokenizer: tinyTokenizer,
  contextLength: 16,
  learners: { one: ["solver"], two: ["hint"] },
  policy: "one",
  task: tinyTask(),
  random: randomFromSeed(1),
};

const pairs: SupervisedExample[] = ["0a", "1b", "2c"].map(([prompt = "", completion = ""]) => ({ prompt, completion }));

test("reads a list once per pass in a seeded order; a position always has the same example", () => {
  const stream = exampleStream(pairs, options);
  const passes = [0, 3, 6].map((from) => stream.take(from, 3).map(({ promptTokens: [token] }) => token));
  for (const pass of passes) expect(new Set(pass)).toEqual(new Set([0, 1, 2]));
  expect(new Set(passes.map(String)).size).toBeGreaterThan(1);
  expect(exampleStream(pairs, options).take(4, 4)).toEqual(stream.take(0, 8).slice(4));
  expect(stream.size).toEqual({ examples: 3, tokens: 6, passed: 9, longest: 3 });
});

test("each policy learns the examples for its agents, its name, and all policies", () => {
  const [one, two, both] = pairs as [SupervisedExample, SupervisedExample, SupervisedExample];
  const owned = [{ ...one, agent: "hint" }, { ...two, policy: "one" }, both];
  const read = (policy: string, supervisedSettings = settings): number[] =>
    exampleStream(owned, { ...options, policy, settings: supervisedSettings })
      .take(0, 2)
      .map(({ promptTokens: [token = -1] }) => token)
      .toSorted((a, b) => a - b);
  expect([read("one"), read("two")]).toEqual([
    [1, 2],
    [0, 2],
  ]);
  // Examples without an agent belong to the agent in the settings.
  expect(read("one", { ...settings, agent: "hint" })).toEqual([1, 1]);
  expect(() => exampleStream(owned, { ...options, policy: null })).toThrow(/for the policy two alone/u);
});

test("a function makes examples of training problems by position, and its errors name it", () => {
  const letterOf: SupervisedExamples = ({ question, gold }, random) => [
    { prompt: question, completion: random.uniform() < 0.5 ? gold : `${gold}${gold}` },
  ];
  const stream = exampleStream(letterOf, options);
  const all = stream.take(0, 40);
  expect(stream.take(17, 1)).toEqual([all[17]]);
  expect(new Set(all.map(({ promptTokens: [token] }) => token)).size).toBe(3);
  expect(new Set(all.map(({ completionTokens: { length } }) => length))).toEqual(new Set([2, 3]));
  const broken = (() => "a") as unknown as SupervisedExamples;
  expect(() => exampleStream(broken, options).take(0, 1)).toThrow(/the examples broken gave "a"/u);
});

const mixed = (examples: SupervisedExamples): ReturnType<typeof tinyParts> => {
  const parts = tinyParts("solo", { optimizer: "sgd", spread: 0.4 });
  const learners = { policy: ["solver"] };
  const stream = exampleStream(examples, { ...options, learners, policy: "policy", contextLength: 64 });
  const policy: TrainedPolicy = { ...(parts.policies["policy"] as TrainedPolicy), examples: stream };
  return { ...parts, policies: { policy } };
};

/** Log-probs of the next token for every context of one token. */
async function tableOf(model: ReturnType<typeof tabularModel>): Promise<Float64Array> {
  const V = tinyTokenizer.vocabularySize;
  const all = Array.from({ length: V * V }, (_, i) => ({
    promptTokens: [Math.floor(i / V)],
    completionTokens: [i % V],
  }));
  return (await model.forward(all)).logProbs.values;
}

test("a step's gradient is its reward's plus weight x the cross-entropy's, by finite differences and by hand", async () => {
  const weight = 0.7;
  const trained = async (supervised: object | null) => {
    const parts = supervised ? mixed(pairs) : tinyParts("solo", { optimizer: "sgd", spread: 0.4 });
    const { rows } = await trainTiny(parts, { steps: 1, minibatches: 1, supervised });
    return { model: parts.model, rows };
  };
  const [alone, both] = [await trained(null), await trained({ batch: 3, weight })];
  const V = tinyTokenizer.vocabularySize;
  const first = tabularModel({ vocabularySize: V, optimizer: "sgd", spread: 0.4 });
  const [start, plain, after] = [await tableOf(first), await tableOf(alone.model), await tableOf(both.model)];
  // Gradient by hand: (probability - 1 of the token) / tokens, in rows of seen contexts only.
  const learned = exampleStream(pairs, { ...options, learners: { policy: ["solver"] }, policy: "policy" }).take(0, 3);
  const tokens = learned.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
  const gradient = new Float64Array(V * V);
  let nats = 0;
  for (const { promptTokens, completionTokens } of learned) {
    let context = promptTokens.at(-1) as number;
    for (const token of completionTokens) {
      nats -= start[context * V + token] as number;
      for (let k = 0; k < V; k++)
        gradient[context * V + k]! += (Math.exp(start[context * V + k] as number) - (k === token ? 1 : 0)) / tokens;
      context = token;
    }
  }
  expect(both.rows[0]).toMatchObject({ "supervised/tokens": tokens });
  expect(both.rows[0]?.["supervised/loss"]).toBeCloseTo(nats / tokens, 12);
  // Rewards and prices are equal, so logits differ only by the examples; rows are known up to a constant.
  const rate = 0.3;
  for (let context = 0; context < V; context++) {
    const moved = Array.from(
      { length: V },
      (_, k) => (after[context * V + k] as number) - (plain[context * V + k] as number),
    );
    const expected = Array.from({ length: V }, (_, k) => -rate * weight * (gradient[context * V + k] as number));
    const level = (moved[0] as number) - (expected[0] as number);
    moved.forEach((value, k) => expect(value).toBeCloseTo((expected[k] as number) + level, 10));
  }
  expect(alone.rows[0]).not.toHaveProperty("supervised/loss");
});

test("a killed run with examples resumes as if uninterrupted", async () => {
  const folder = await temporaryFolder();
  const short = { steps: 4, checkpoint: { every: 2, keep: 2 }, supervised: { batch: 2, weight: 0.5 } };
  const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"];
  const traces = (name: string): Promise<string[]> =>
    Promise.all(files.map((file) => readFile(join(folder, name, file), "latin1")));
  const processes = (pid: number): object => ({ processes: { pid, host: "here", isAlive: () => false } });
  const run = (name: string, more: Partial<TinyRunOptions>): ReturnType<typeof tinyRun> =>
    tinyRun({ directory: join(folder, name), settings: short, parts: mixed(pairs), ...more });
  const counting = faultyFileSystem();
  await run("whole", { fileSystem: counting });
  for (const share of [0.66, 0.7, 0.8]) {
    const name = `killed-${share}`;
    const fileSystem = faultyFileSystem({ killAt: Math.floor(share * counting.calls) });
    await expect(run(name, { fileSystem, ...processes(1) })).rejects.toThrow(ProcessKilled);
    await run(name, { resume: true, ...processes(2) });
    expect(await traces(name)).toEqual(await traces("whole"));
  }
});

test("settings without examples, and examples without settings, are refused", () => {
  const config = (supervised: object | null): ReturnType<typeof parseTrainConfig> =>
    parseTrainConfig({ ...tinySettings, steps: 1, supervised });
  expect(() => runSpec({ ...tinyParts(), settings: config({}) })).toThrow(/supervised\.examples: no examples/u);
  expect(() => runSpec({ ...mixed(pairs), settings: config(null) })).toThrow(/supervised: null leaves/u);
  expect(config({}).supervised).toEqual(supervisedDefaults);
  expect(() => config({ turns: "first" })).toThrow(/supervised\.turns/u);
});
