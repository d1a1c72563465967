import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import { randomFromSeed } from "@laconic/core";
import { warmStartBatch, warmStartCurriculum, type RelayLevel, type WarmStartPhase } from "@laconic/tasks";
import {
  evaluate,
  livePolicies,
  onlyPolicy,
  policyFile,
  supervised,
  type Evaluation,
  type TrainedPolicy,
} from "@laconic/trainer";
import { chooseDevice } from "../../devices/choose-device.ts";
import { freshRelayModel } from "../../models/relay-model.ts";
import type { Progress } from "../../progress.ts";
import { parseAppConfig } from "../app-config.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";

/** How a relay model is taught to imitate the wordy teacher. */
export interface RelayWarmStart {
  readonly level: RelayLevel;
  readonly seed: string;
  readonly steps: number;
  /** Examples per step. */
  readonly batch: number;
  readonly device: string;
  /** Folder that the model is saved to. */
  readonly to: string;
  readonly onStep: (step: number, loss: number) => void;
}

/** Teaches a fresh relay model and saves it: the start of every relay run. @returns the team on validation problems */
export async function trainRelayWarmStart(
  { level, seed, steps, batch, device: name, to, onStep }: RelayWarmStart,
  progress: Progress,
): Promise<Evaluation> {
  const device = await chooseDevice(name, "auto", (line) => progress.note(line));
  const settings = parseAppConfig({ task: { name: "relay", level: level.name } });
  const resources = await runResources(settings.model, progress);
  const { engine, parts } = await openParts(settings, device, { ...resources, fresh: freshRelayModel(seed) });
  const { model } = parts.policies[onlyPolicy] as TrainedPolicy;
  try {
    await supervised(model, {
      steps,
      batch: (step, random) => warmStartBatch(phaseAt(level, step / steps), batch, random),
      random: randomFromSeed(seed).split("warm-start"),
      optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 },
      learningRate: { peak: 3e-3, warmUpSteps: 50, decay: "cosine", finalFraction: 0 },
      onStep,
    });
    const { evaluation } = await evaluate(parts, livePolicies(parts), {
      seed: "warm-start",
      step: 0,
      problems: 500,
      sampling: { temperature: 1 },
    });
    await makeFolders(to);
    await model.save(to);
    // The first step of reinforcement learning starts a fresh optimiser.
    await rm(join(to, "optimizer.safetensors"), { force: true });
    await writeFile(join(to, policyFile), `${JSON.stringify({ task: `relay/${level.name}` }, null, 2)}\n`);
    return evaluation;
  } finally {
    await engine.close();
  }
}

/** The phase of the curriculum that holds at a share of the run, in [0, 1). */
function phaseAt(level: RelayLevel, done: number): WarmStartPhase {
  let end = 0;
  const phases = warmStartCurriculum(level);
  return phases.find((phase) => done < (end += phase.share)) ?? (phases.at(-1) as WarmStartPhase);
}
