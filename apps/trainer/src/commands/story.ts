import { cp, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { randomFromSeed, type LanguageModel, type Random, type Tokenizer, type TrainingSequence } from "@laconic/core";
import { copyingLessons, namedStories, ownDeeds, rehearsed } from "@laconic/tasks/stories";
import { onlyPolicy, supervised, type TrainedPolicy } from "@laconic/trainer";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { chooseDevice } from "../run/devices.ts";
import { openModelFolder } from "../run/model-folder.ts";
import { openParts } from "../run/open-parts.ts";
import { runResources } from "../run/open-run.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

/** What a model folder says of its tokens and of its ends, beside its weights. */
const beside = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

export function storyCommand(context: CommandContext, exit: ExitCode): CommandDef {
  return {
    subCommands: { "warm-start": warmStartCommand(context, exit) },
  };
}

function warmStartCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "story warm-start",
      description: "Teach a story model to copy names, most of them made up: a start for story-tellers and story-relay",
      args: {
        model: { type: "string", required: true, description: "The story model: a folder, or hub:OWNER/NAME/FOLDER" },
        out: { type: "string", required: true, description: "Folder for the model", valueHint: "folder" },
        steps: { type: "string", description: "Training steps", default: "400", valueHint: "n" },
        batch: { type: "string", description: "Examples per step", default: "32", valueHint: "n" },
        seed: { type: "string", description: "Seed of the examples", default: "0", valueHint: "text" },
        device: { type: "string", description: "Device to compute on", default: "wasm", valueHint: "name" },
        ...jsonFlag,
      },
      run: async (args) => {
        const { device, model, seed } = args;
        const [steps, batch] = [wholeNumber("steps", args.steps), wholeNumber("batch", args.batch)];
        const folder = resolve(args.out);
        const loss = await teachCopying({ model, folder, steps, batch, seed, device }, terminal);
        terminal.result(args.json ? JSON.stringify({ folder, steps, loss }) : `${folder}: loss ${loss.toFixed(4)}`);
        return 0;
      },
    },
    exit,
  );
}

/** A warm start and where it goes. */
export interface CopyingLessons {
  /** A folder, or a name of the hub. */
  readonly model: string;
  readonly folder: string;
  readonly steps: number;
  readonly batch: number;
  readonly seed: string;
  readonly device: string;
}

/** What the model as it was says behind each text, up to the end of a sentence; what ran on is left out. */
async function goneOn(model: LanguageModel, texts: readonly string[], maxTokens: number, random: Random) {
  const replies = await Promise.all(
    texts.map(async (text, i) => {
      const { trace, finishReason } = await model.complete({
        prompt: { kind: "text", text },
        sampling: { temperature: 1, maxTokens, stop: [".", "!", "\n"] },
        random: random.split(i).state(),
      });
      return { promptTokens: trace?.promptTokens ?? [], completionTokens: trace?.tokens ?? [], finishReason };
    }),
  );
  return replies.filter(({ completionTokens }) => completionTokens.length > 0);
}

/** Texts of the model as it was, which it learns again beside the lessons. */
function ownWords(model: LanguageModel, most: number, random: Random): Promise<TrainingSequence[]> {
  const openings = Array.from({ length: Math.min(400, most) }, (_, i) => rehearsed[i % rehearsed.length] as string);
  return goneOn(model, openings, 24, random);
}

/** What children of the model's own stories do: it learns to copy their names without learning to speak in other words. */
async function deedsOf(model: LanguageModel, tokenizer: Tokenizer, most: number, random: Random): Promise<string[]> {
  const stories = namedStories(Math.min(900, most), random.split("stories"));
  const replies = await goneOn(model, stories, 18, random.split("words"));
  const said = replies
    .filter(({ finishReason }) => finishReason === "stop")
    .map(({ promptTokens, completionTokens }) =>
      tokenizer
        .decode([...promptTokens, ...completionTokens])
        .slice(tokenizer.decode(promptTokens).length)
        .replace(/[.!\n]+$/u, ""),
    );
  return ownDeeds(said);
}

/** The lessons that the presets' figures begin with. */
export const copyingDefaults: Pick<CopyingLessons, "steps" | "batch" | "seed" | "device"> = {
  ...{ steps: 400, batch: 32, seed: "0", device: "wasm" },
};

/** Teaches a story model to copy names and writes it into a folder. Returns the last loss, nats per token. */
export async function teachCopying(lessons: CopyingLessons, terminal: CommandContext["terminal"]): Promise<number> {
  const { model: given, folder, steps, batch: size, seed } = lessons;
  const device = await chooseDevice(lessons.device, "auto", (line) => terminal.note(line));
  const settings = parseAppConfig({ task: { name: "story-tellers" }, model: given });
  const { folder: from } = await openModelFolder(settings.model, terminal);
  const resources = { ...(await runResources(settings.model, terminal)), heldOut: 0 };
  const { parts, task, close } = await openParts(settings, device, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy] as TrainedPolicy;
    const own = await ownWords(speak(model), steps * size, randomFromSeed(seed).split("own words"));
    const deeds = await deedsOf(speak(model), task.tokenizer, steps * size, randomFromSeed(seed).split("deeds"));
    let last = Number.NaN;
    await supervised(model, {
      steps,
      batch: (_, random) => [
        ...copyingLessons(task.tokenizer, size, random, deeds.length > 0 ? deeds : undefined),
        ...Array.from({ length: Math.ceil(size / 2) }, () => random.pick(own)),
      ],
      random: randomFromSeed(seed).split("copying"),
      optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
      learningRate: { peak: 2e-3, warmUpSteps: 20, decay: "cosine", finalFraction: 0.05 },
      onStep: (step, loss) => {
        last = loss;
        if (step % 20 === 0 || step === steps) terminal.note(`step ${step}/${steps}  loss ${loss.toFixed(4)}`);
      },
    });
    await mkdir(folder, { recursive: true });
    await model.save(folder);
    // Reinforcement learning starts a fresh optimiser.
    await rm(join(folder, "optimizer.safetensors"), { force: true });
    for (const name of beside) if (existsSync(join(from, name))) await cp(join(from, name), join(folder, name));
    return last;
  } finally {
    await close();
  }
}
