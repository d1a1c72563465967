import {
  type Engine,
  type Episode,
  type Problem,
  type TrainableModel,
  ledgerTotals,
  randomFromSeed,
} from "@laconic/core";
import { createInlineEngine, localPolicy, repeatableBatching } from "@laconic/engine";
import type { Kernels } from "@laconic/engine/kernels";
import { onePolicy, onlyPolicy, sha256Of, type TrainedPolicy, type TrainingParts } from "@laconic/trainer";
import { conversationOf, teamOf } from "./conversation.ts";
import type { WorkerFiles } from "./archive.ts";
import type { Answers, Conversation, Glimpse, OwnProblem } from "./messages.ts";
import type { PlaygroundSettings } from "./settings.ts";
import type { WarmUpWatch, World } from "./world.ts";

/** The engine runs on this thread. */
export interface Team {
  readonly world: World;
  readonly device: string;
  readonly capabilities: Engine["capabilities"];
  readonly parts: TrainingParts;
  /** SHA-256, named as by `laconic train`. */
  inputs(): Promise<Readonly<Record<string, string>>>;
  begin(): Promise<void>;
  /** @throws LaconicError `aborted` by the signal */
  warmUp(settings: PlaygroundSettings, watch: WarmUpWatch): Promise<void>;
  /** Uses fixed random numbers, without training. @param price - λ, default 0 */
  glimpse(price?: number): Promise<Glimpse>;
  /** @throws LaconicError `input_invalid` */
  ask(problem: OwnProblem, draw: number): Promise<Answers>;
  close(): Promise<void>;
}

/** @throws LaconicError `device_unavailable`, `weights_invalid` */
export async function openTeam(kernels: Kernels, files: WorkerFiles, world: World): Promise<Team> {
  const engine = await createInlineEngine([kernels], { files });
  const { capabilities } = engine;
  const { task } = world;
  const opened = async (): Promise<TrainableModel> =>
    engine.createModel({ kind: "folder", path: await world.beginning() });
  let model = await opened();
  let first: TrainableModel | null = null;
  const { id } = model;
  const speaking = (weights: TrainableModel): TrainingParts =>
    onePolicy(task, weights, (sampler) =>
      localPolicy({ id, sampler, tokenizer: task.tokenizer, batching: repeatableBatching(capabilities) }),
    );
  const policyOf = (weights: TrainableModel): ReturnType<TrainedPolicy["speak"]> =>
    speaking(weights).policies[onlyPolicy]!.speak(weights);
  const played = async (weights: TrainableModel, problem: Problem, draw: number): Promise<Episode> => {
    const policy = policyOf(weights);
    const models = Object.fromEntries(task.topology.agents.map((agent) => [agent, policy]));
    const random = randomFromSeed(`asked ${draw}`);
    return task.topology.run(problem, { models, sampling: { temperature: world.temperature }, random });
  };
  const conversation = async (weights: TrainableModel, problem: Problem, draw: number): Promise<Conversation> =>
    conversationOf(world, problem, await played(weights, problem, draw));
  const begin = async (): Promise<void> => {
    await model.dispose();
    await first?.dispose();
    first = null;
    model = await opened();
  };
  return {
    world,
    device: capabilities.device,
    capabilities,
    get parts() {
      return speaking(model);
    },
    inputs: () => inputsOf(files, world),
    begin,
    async warmUp(settings, watch) {
      const pupil = { settings, model, speaks: policyOf(model), parts: speaking(model) };
      let isTaught = true;
      try {
        isTaught = (await world.warmUp?.(pupil, watch)) ?? false;
      } finally {
        // Drops an incomplete warm start.
        if (isTaught) await begin();
      }
    },
    async glimpse(price = 0) {
      const episode = await played(model, world.followed, 0);
      const tokens = ledgerTotals(episode.ledger).writtenTokens;
      const charged = { episode, costs: { tokens }, terms: { tokens: -price * tokens } };
      return { team: teamOf([charged]), episode: conversationOf(world, world.followed, episode) };
    },
    async ask(ownProblem, draw) {
      const problem = world.problemOf(ownProblem);
      first ??= await opened();
      return { before: await conversation(first, problem, draw), now: await conversation(model, problem, draw) };
    },
    close: () => engine.close(),
  };
}

/** Names and hashes as in `laconic train`'s manifest; it resumes only with equal ones. */
async function inputsOf(files: WorkerFiles, { task, modelFiles, beginning }: World): Promise<Record<string, string>> {
  const { tokenizer, validation, testProblems } = task;
  const vocabulary = Array.from({ length: tokenizer.vocabularySize }, (_, token) => tokenizer.decode([token]));
  const folder = await beginning();
  const inputs: Record<string, string> = {};
  for (const name of modelFiles) inputs[`model: ${name}`] = (await files.digest(`${folder}/${name}`)).sha256;
  return {
    ...inputs,
    "tokenizer: vocabulary": sha256Of(vocabulary),
    "data: validation problems": sha256Of(validation),
    "data: test problems": sha256Of(testProblems),
  };
}
