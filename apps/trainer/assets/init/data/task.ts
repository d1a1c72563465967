// Questions and answers from your file: JSON lines, JSON, CSV or Parquet. A part of them is the test set.
import { fileURLToPath } from "node:url";
import { openData } from "@laconic/benchmarks";
import type { ExampleFunction } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";

const { train, testProblems } = await openData({
  train: fileURLToPath(new URL("questions.jsonl", import.meta.url)),
  testProblems: { share: 0.4 },
  grading: "text",
  columns: { question: "question", gold: "answer" },
});

const system = "Name the kind.";

/** Warm-start examples. A file of conversations also works: `examples: "./conversations.jsonl"` in run.config.ts. */
export const examples: ExampleFunction = ({ question, gold }, random) => ({
  messages: [
    { role: "system", content: system },
    { role: "user", content: question },
    { role: "assistant", content: random.uniform() < 0.5 ? gold : `it is a ${gold}` },
  ],
});

export default defineTask({
  name: "questions",
  topology: solo({
    id: "reader",
    role: "reader",
    maxTokens: 24,
    prompt: chatTemplate("questions@1", system, ({ question }) => question).render,
  }),
  train,
  testProblems,
  grader: (answer, { gold }) => (answer?.split(" ").at(-1) === gold ? 1 : 0),
});
