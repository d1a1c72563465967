import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { linkPackages } from "./project-folder.ts";

export async function strangersFolder(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await linkPackages(join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

export const shortTraining = `{
    steps: 2, problemsPerStep: 2, episodesPerProblem: 2, minibatches: 1, groupBy: "prompt+agent",
    evaluation: { every: 0, problems: 4, transcripts: 2 }, checkpoint: { every: 1 },
  }`;

export const taskFile = `
import { defineTask } from "@laconic/tasks";
import { answerOf, graphTopology } from "@laconic/topologies";
import { digits } from "./words.ts";

const problems = Array.from({ length: 40 }, (_, i) => {
  const [a, b] = [i % 10, Math.floor(i / 10)];
  return { id: \`p\${i}\`, question: \`\${a}+\${b}\`, gold: String(a + b) };
});

export default function sums({ digits: maxTokens = 3 }: { readonly digits?: number }) {
  return defineTask({
    name: \`sums-\${maxTokens}\`,
    topology: graphTopology({
      name: "first-second",
      agents: ["first", "second"].map((id) => ({
        id, role: id, maxTokens,
        prompt: ({ question, inbox }) => ({ kind: "text", text: [question, ...inbox.map(({ text }) => text)].join(" ") }),
      })),
      rounds: 1,
      spatial: [{ from: "first", to: "second" }],
      answer: answerOf("second"),
    }),
    train: problems.slice(0, 30),
    testProblems: problems.slice(30),
    grader: (answer, { gold }) => (digits(answer ?? "") === gold ? 1 : 0),
  });
}

export const broken = { name: "broken", problems: () => [], testProblems: [] };
`;

export const wordsFile = `export const digits = (text: string): string => text.replaceAll(/\\D/gu, "");\n`;

export const rewardFile = `
import type { Reward } from "@laconic/core";
import { digits } from "./words.ts";

const reward: Reward = ({ answer, utterances }, { gold }) => ({
  team: { task: digits(answer ?? "") === gold ? 1 : 0, said: answer === null ? 0 : 0.25 },
  agents: { first: { brief: (utterances[0]?.text.length ?? 0) <= 1 ? 0.5 : 0 } },
});
export default reward;
`;
