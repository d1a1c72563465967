import { LaconicError, randomFromSeed, type CompletionRequest, type LanguageModel } from "@laconic/core";
import { expect, test } from "vitest";
import { baselineNamed, baselines } from "../index.ts";

/** A model of one token a character: behind the prompt each character of an option has the log-prob that the option has. */
function modelOf(perCharacter: Readonly<Record<string, number>>, asked: string[] = []): LanguageModel {
  return {
    id: "scored",
    complete: ({ prompt, scorePrompt }: CompletionRequest) => {
      const text = prompt.kind === "text" ? prompt.text : "";
      asked.push(text);
      const option = Object.keys(perCharacter).find((key) => text.endsWith(`Answer: ${key}`));
      const characters = Array.from(text);
      const begins = option === undefined ? characters.length : characters.length - Array.from(option).length - 1;
      const logProbs = characters.map((_, i) =>
        i === 0 ? null : i < begins ? -9 : (perCharacter[option as string] as number),
      );
      return Promise.resolve({
        text: "",
        finishReason: "length" as const,
        usage: { promptTokens: characters.length, completionTokens: 1, counted: "model" as const },
        model: { id: "scored", weightVersion: 0 },
        ...(scorePrompt && { promptLogProbs: logProbs }),
      });
    },
  };
}

const question = "Which is a metal?";
const choices = ["tin", "été à Nîmes", "a gas"];

async function play(name: string, model: LanguageModel) {
  const topology = baselineNamed(name).create({
    reader: { read: (reply) => reply, same: (a, b) => a === b },
    answerForm: "",
    maxTokens: 10,
    asked: { question, choices },
  });
  return topology.run(
    { id: "q", question, gold: "A" },
    { models: { solver: model }, sampling: { temperature: 0 }, random: randomFromSeed(1) },
  );
}

test("letters: the prompt shows the options, and the likeliest letter is the answer", async () => {
  const asked: string[] = [];
  const episode = await play("log-likelihood", modelOf({ A: -3, B: -1, C: -2 }, asked));
  expect(episode.answer).toBe("The answer is B");
  const prompt = "Which is a metal?\nA. tin\nB. été à Nîmes\nC. a gas\nAnswer:";
  expect(asked).toEqual([prompt, `${prompt} A`, `${prompt} B`, `${prompt} C`]);
  expect(episode.ledger.calls.map(({ promptTokens }) => promptTokens)).toEqual(
    asked.map((text) => Array.from(text).length),
  );
});

// Sums, space included: tin 4 x -2 = -8, été 12 x -1 = -12, gas 6 x -1.5 = -9; divided by 3, 11, 5 characters and 3, 14, 5 bytes.
test.for([
  ["log-likelihood:options", { tin: -2, "été à Nîmes": -1, "a gas": -1.5 }, "A"],
  ["log-likelihood:options-norm", { tin: -2, "été à Nîmes": -1, "a gas": -1.5 }, "B"],
  // A character: -2, -1.964, -1.92. A byte: -2, -1.543, -1.92.
  ["log-likelihood:options-norm", { tin: -1.5, "été à Nîmes": -1.8, "a gas": -1.6 }, "C"],
  ["log-likelihood:options-bytes", { tin: -1.5, "été à Nîmes": -1.8, "a gas": -1.6 }, "B"],
] as const)("%s of %j: %s", async ([name, perCharacter, letter]) => {
  const { answer, utterances } = await play(name, modelOf(perCharacter));
  expect(answer).toBe(`The answer is ${letter}`);
  expect(utterances[1]?.prompt).toBe("Question: Which is a metal?\nAnswer: tin");
});

const birds = ["tern", "auk"].map((bird, i) => ({
  question: `Is it a ${bird}?\nA) Yes\nB) No, a ${bird}`,
  solution: "",
  answer: "AB"[i] as string,
  answerLine: "",
  topic: "sea_birds",
}));

test.each([
  ["in our words", undefined, "Questions on sea birds, each with its answer.\n\n"],
  ["in published words", "About {}:\n\n", "About sea birds:\n\n"],
])("the subject's name precedes few-shot examples of one subject, %s", async (_, header, line) => {
  const asked: string[] = [];
  const topology = baselineNamed("log-likelihood:few-shot").create({
    reader: { read: (reply) => reply, same: (a, b) => a === b },
    answerForm: "",
    maxTokens: 1,
    family: "choice",
    benchmark: "mmlu",
    asked: { question, choices },
    exemplars: birds,
    ...(header !== undefined && { script: { name: "mmlu-header", examples: 0, texts: { header }, sha256: "" } }),
  });
  const episode = await topology.run(
    { id: "q", question, gold: "A" },
    {
      models: { solver: modelOf({ A: -3, B: -1, C: -2 }, asked) },
      sampling: { temperature: 0 },
      random: randomFromSeed(1),
    },
  );
  const shown = "Is it a tern?\nA. Yes\nB. No, a tern\nAnswer: A\n\nIs it a auk?\nA. Yes\nB. No, a auk\nAnswer: B\n\n";
  const prompt = `${line}${shown}Which is a metal?\nA. tin\nB. été à Nîmes\nC. a gas\nAnswer:`;
  expect([episode.answer, asked]).toEqual(["The answer is B", [prompt, `${prompt} A`, `${prompt} B`, `${prompt} C`]]);
});

test("questions without options, and models without log-probs, are refused by name", async () => {
  const options = { reader: { read: () => null, same: () => false }, answerForm: "", maxTokens: 1 };
  expect(() => baselineNamed("log-likelihood").create(options)).toThrow(LaconicError);
  const silent: LanguageModel = {
    id: "silent",
    complete: () =>
      Promise.resolve({
        text: "",
        finishReason: "stop",
        usage: { promptTokens: 1, completionTokens: 1, counted: "model" },
        model: { id: "silent", weightVersion: 0 },
      }),
  };
  await expect(play("log-likelihood", silent)).rejects.toFailWith("config_invalid", { model: "silent" });
  expect(baselines.map(({ name }) => name)).not.toContain("log-likelihood");
});
