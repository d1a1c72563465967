import { LaconicError, type Problem } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { convertLlama2c } from "@laconic/engine";
import { readTokenizerFiles, tokenizerOf, llama2cTokenizer } from "@laconic/hub/tokenizers";
import { storyTellers } from "@laconic/tasks/presets";
import { cueOf, storyTellersTask } from "@laconic/tasks/stories";
import { storyModel } from "@laconic/tasks/story-model";
import {
  beforeWarmStartKey,
  giveWarmStart,
  measureBefore,
  ownersCourse,
  warmStartText,
} from "@laconic/tasks/warm-start";
import { runFiles } from "@laconic/trainer";
import { runFolder, type WorkerFiles } from "./archive.ts";
import type { OwnStory } from "./messages.ts";
import { checkedProblem } from "./own-problem.ts";
import { runConfig, warmStartOf } from "./run-config.ts";
import type { Pupil, WarmUpWatch, World } from "./world.ts";

/** Start model of a run, stored in the run folder. */
const start = joinPath(runFolder, "taught");

export async function tellersWorld(files: WorkerFiles): Promise<World> {
  const beginning = async (): Promise<string> => ((await files.exists(start)) ? start : storyModelFolder);
  const folder = await beginning();
  const read = async (name: string): Promise<string | null> => {
    const path = joinPath(folder, name);
    return (await files.exists(path)) ? new TextDecoder().decode(await files.read(path)) : null;
  };
  const tokenizer = tokenizerOf(await readTokenizerFiles(read, folder));
  const { name: _, ...settings } = storyTellers.task as { readonly name: string };
  // Same number of test problems as the command line, so that run folders agree.
  const task = storyTellersTask({ ...settings, tokenizer, testProblems: 1000 });
  const ofThree = task.testProblems.filter(({ views = {} }) => Object.keys(views).length === 3);
  // Hardest case: others want the thing. Seeds 1 to 3 learn the first such problem too late to show.
  const hardest = ofThree.filter(({ group }) => group === "known/wanted");
  return {
    task,
    temperature: 0.6,
    followed: (hardest[1] ?? ofThree[0]) as Problem,
    beginning,
    modelFiles: storyModelFiles,
    factOf: ({ views, question }, agent) => views?.[agent]?.replace(` ${cueOf(question)}`, "") ?? null,
    knows: isOwner,
    problemOf: (problem) => problemOf(checkedProblem(problem, "story"), task.topology.agents),
    warmUp: (pupil, watch) => warmUp(files, pupil, watch, task),
  };
}

function isOwner({ views, gold }: Problem, agent: string): boolean {
  return new RegExp(`\\b${gold}\\b`, "u").test(views?.[agent] ?? "");
}

function problemOf({ thing, texts, name }: OwnStory, agents: readonly string[]): Problem {
  return {
    id: `own:${name}/${thing}/${texts.join("|")}`,
    question: thing,
    gold: name,
    views: Object.fromEntries(texts.map((text, i) => [agents[i]!, `${text.trim()} ${cueOf(thing)}`])),
  };
}

/** Follows `laconic train`: measures the downloaded model's team, trains the model, stores both in the run folder. */
async function warmUp(
  files: WorkerFiles,
  { settings, model, speaks, parts }: Pupil,
  { onStep, signal }: WarmUpWatch,
  task: World["task"],
): Promise<boolean> {
  if (await files.exists(start)) return false;
  const [config, warmStart] = [runConfig(settings), warmStartOf(settings)];
  const before = await measureBefore(parts, config);
  const pupil = { model, speaks, tokenizer: task.tokenizer, task };
  const loss = await giveWarmStart(ownersCourse(warmStart), warmStart, pupil, {
    onStep: (step, now) => onStep(step, warmStart.steps, now),
    signal,
  });
  const draft = "/taught.partial";
  await files.remove(draft);
  await model.save(draft);
  await files.remove(joinPath(draft, "optimizer.safetensors"));
  for (const name of storyModelFiles)
    if (!(await files.exists(joinPath(draft, name))))
      await files.write(joinPath(draft, name), await files.read(joinPath(storyModelFolder, name)));
  await files.write(joinPath(draft, "warm-start.json"), written({ version: 2, warmStart, loss }));
  const figures = { key: beforeWarmStartKey({ warmStart }, config), warmStart, said: warmStartText(warmStart), before };
  await files.write(joinPath(runFolder, runFiles.warmStart), written(figures));
  await files.rename(draft, start);
  return true;
}

const written = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const storyModelFolder = "/model";

const storyModelFiles: readonly string[] = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

/**
 * Checks the site's copy of the model and stores it as a Hugging Face folder, converted as by the command line.
 * @throws LaconicError `weights_invalid` for a file with another checksum
 */
export async function keepStoryModel(files: WorkerFiles, weights: Uint8Array, tokens: Uint8Array): Promise<void> {
  const checkpoint = "/story-model/checkpoint";
  await files.write(checkpoint, weights);
  await files.write("/story-model/tokenizer", tokens);
  for (const part of ["checkpoint", "tokenizer"] as const) {
    const { name, sha256 } = storyModel[part];
    if ((await files.digest(`/story-model/${part}`)).sha256 !== sha256)
      throw new LaconicError("weights_invalid", `${name}: expected SHA-256 ${sha256}. Reload the page.`, {
        file: name,
      });
  }
  const draft = "/converted";
  const { vocab_size: size } = await convertLlama2c(checkpoint, draft, files);
  const { tokenizer, config, generation, chatTemplate } = llama2cTokenizer(tokens, Number(size));
  await files.write(joinPath(draft, "tokenizer.json"), JSON.stringify(tokenizer));
  await files.write(joinPath(draft, "generation_config.json"), JSON.stringify(generation));
  await files.write(
    joinPath(draft, "tokenizer_config.json"),
    JSON.stringify({ ...config, chat_template: chatTemplate }),
  );
  await files.rename(draft, storyModelFolder);
  await files.remove("/story-model");
}
