import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tinyChatModel } from "./tiny-chat-model.ts";

/** CSV with rows such as `What is 3 + 3?,6`. */
export const sumsCsv = (rows = 8): string =>
  ["question,gold", ...Array.from({ length: rows }, (_, i) => `What is ${i} + ${i}?,${2 * i}`)].join("\n");

interface SumsOptions {
  readonly team?: string;
  readonly rows?: number;
  readonly actorTokens?: number;
  readonly contextLength?: number;
  readonly train?: object;
  readonly actorUrl?: string;
}

export async function writeSums(
  folder: string,
  { team = "hint", rows, actorTokens = 8, contextLength = 1024, train, actorUrl }: SumsOptions = {},
): Promise<{ readonly model: string; readonly file: string; readonly config: string }> {
  const [model, file, config] = [join(folder, "model"), join(folder, "sums.csv"), join(folder, `${team}.json`)];
  if (!existsSync(model)) await tinyChatModel(model, { contextLength });
  await writeFile(file, sumsCsv(rows));
  const data = { train: file, testProblems: { share: 0.25 }, grading: "numeric" };
  const settings = {
    task: { name: "data", team, replyTokens: 4, actorTokens, data },
    model,
    device: "wasm",
    workers: 1,
    ...(actorUrl !== undefined && { actor: { api: { model: "oracle", baseUrl: actorUrl } } }),
    train: {
      steps: 1,
      problemsPerStep: 2,
      episodesPerProblem: 2,
      oldLogProbs: "sampler",
      sampling: { temperature: 1 },
      evaluation: { every: 0, problems: 2, transcripts: 0 },
      ...train,
    },
  };
  await writeFile(config, JSON.stringify(settings));
  return { model, file, config };
}
