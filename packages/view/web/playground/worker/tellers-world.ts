import { LaconicError, type Problem } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { runFiles } from "@laconic/trainer";
import { readTokenizerFiles, tokenizerOf } from "@laconic/hub/tokenizers";
import { storyTellers } from "@laconic/tasks/presets";
import { cueOf, holderTemplates, knownNames, storyTellersTask } from "@laconic/tasks/stories";
import {
  beforeWarmStartKey,
  giveWarmStart,
  measureBefore,
  warmStartText,
  worldCourse,
} from "@laconic/tasks/warm-start";
import { keptFolder, runFolder, type KeptFiles } from "./kept-files.ts";
import type { OwnStory } from "./messages.ts";
import { runConfig, warmStartOf } from "./run-config.ts";
import { storyModelFolder, storyModelFiles } from "./story-model-files.ts";
import type { Pupil, WarmUpWatch, World } from "./world.ts";

/** Start model of a run, stored in the run folder. */
const taught = joinPath(runFolder, "taught");

/** Tellers read one story each; the solver reads their messages and names the owner of a thing. */
export async function tellersWorld(files: KeptFiles): Promise<World> {
  const beginning = async (): Promise<string> => ((await files.exists(taught)) ? taught : storyModelFolder);
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
  // Hardest training case: others want the thing. Seeds 1 to 3 learn the first such problem too late to show.
  const wanted = ofThree.filter(({ group }) => group === "known/wanted");
  return {
    task,
    temperature: 0.6,
    followed: (wanted[1] ?? ofThree[0]) as Problem,
    beginning,
    async canBegin() {
      if (!(await files.exists(storyModelFolder)))
        throw new LaconicError(
          "checkpoint_missing",
          "the story model is not in this browser, and a new run begins with it: load the page again and open the model",
        );
    },
    modelFiles: storyModelFiles,
    factOf: ({ views, question }, agent) => views?.[agent]?.replace(` ${cueOf(question)}`, "") ?? null,
    knows: isOwner,
    problemOf(own) {
      if (own.kind !== "story") throw new LaconicError("input_invalid", "the tellers are asked whose a thing is");
      return problemOf(own, task.topology.agents);
    },
    withLie,
    warmUp: (pupil, watch) => warmUp(files, pupil, watch, task),
  };
}

function isOwner({ views, gold }: Problem, agent: string): boolean {
  return new RegExp(`\\b${gold}\\b`, "u").test(views?.[agent] ?? "");
}

/** Same problem with another owner in one teller's text; the gold answer is unchanged. */
function withLie(problem: Problem, agent: string): Problem {
  const { views = {}, question, gold } = problem;
  const view = views[agent];
  if (view === undefined) throw new LaconicError("input_invalid", `there is no teller ${agent}`);
  const all = Object.values(views).join(" ");
  const liar = knownNames.find((name) => !new RegExp(`\\b${name}\\b`, "u").test(all)) ?? "Tom";
  const lie = isOwner(problem, agent)
    ? view.replaceAll(new RegExp(`\\b${gold}\\b`, "gu"), liar)
    : `${holderTemplates.train["had"]?.(liar, question)} ${cueOf(question)}`;
  return { ...problem, id: `${problem.id}/lie/${agent}`, views: { ...views, [agent]: lie } };
}

/** Max characters of a text and of a thing; the model context is 512 tokens. */
const [maxText, maxThing] = [200, 30];

function problemOf({ thing, texts, name }: OwnStory, agents: readonly string[]): Problem {
  const refuse = (reason: string): never => {
    throw new LaconicError("input_invalid", reason);
  };
  if (!/^[A-Z][a-z]{1,14}$/u.test(name)) refuse("the owner's name is one word, and begins with a capital letter");
  if (!/^[a-z]+(?: [a-z]+)*$/u.test(thing) || thing.length > maxThing)
    refuse(`the thing is a few small words, at most ${maxThing} letters`);
  if (texts.length < 2 || texts.length > 5) refuse("two to five tellers read a text each");
  const views = texts.map((text, i): [string, string] => {
    const told = text.trim();
    if (told === "" || told.length > maxText) refuse(`what teller ${agents[i]} reads has 1 to ${maxText} letters`);
    return [agents[i] as string, `${told} ${cueOf(thing)}`];
  });
  const problem = {
    id: `own:${name}/${thing}/${texts.join("|")}`,
    question: thing,
    gold: name,
    views: Object.fromEntries(views),
  };
  if (!views.some(([agent]) => isOwner(problem, agent)))
    refuse(`no teller reads of ${name}: nobody could name the owner`);
  return problem;
}

/** Follows `laconic train`: measures the downloaded model's team, trains the model, stores both in the run folder. */
async function warmUp(
  files: KeptFiles,
  { settings, model, speaks, parts }: Pupil,
  { onStep, signal }: WarmUpWatch,
  task: World["task"],
): Promise<boolean> {
  if (await files.exists(taught)) return false;
  const [config, warmStart] = [runConfig(settings), warmStartOf(settings)];
  const before = await measureBefore(parts, config);
  const pupil = { model, speaks, tokenizer: task.tokenizer, task };
  const loss = await giveWarmStart(worldCourse(warmStart), warmStart, pupil, {
    onStep: (step, now) => onStep(step, warmStart.steps, now),
    signal,
  });
  const draft = joinPath(keptFolder, "taught.partial");
  await files.remove(draft);
  await model.save(draft);
  await files.remove(joinPath(draft, "optimizer.safetensors"));
  for (const name of storyModelFiles)
    if (!(await files.exists(joinPath(draft, name))))
      await files.write(joinPath(draft, name), await files.read(joinPath(storyModelFolder, name)));
  await files.write(joinPath(draft, "warm-start.json"), written({ version: 2, warmStart, loss }));
  const figures = { key: beforeWarmStartKey({ warmStart }, config), warmStart, said: warmStartText(warmStart), before };
  await files.write(joinPath(runFolder, runFiles.warmStart), written(figures));
  await files.rename(draft, taught);
  return true;
}

const written = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
