import type { Engine, Episode, Problem, TrainableModel } from "@laconic/core";
import { randomFromSeed } from "@laconic/core";
import { createInlineEngine, localPolicy, repeatableBatching } from "@laconic/engine";
import type { Kernels } from "@laconic/kernels";
import { relayTask, type RelayTask } from "@laconic/tasks";
import { onePolicy, sha256Of, type TrainingParts } from "@laconic/trainer";
import { conversationOf, teamOf } from "./conversation.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { Conversation, Glimpse } from "./messages.ts";

/** Where the shipped policy lies. */
export const policyFolder = "/policy";

/** The team on an engine of this thread. */
export interface Team {
  readonly device: string;
  readonly capabilities: Engine["capabilities"];
  /** The weights that learn, and who speaks with them. */
  readonly parts: TrainingParts;
  /** Who holds a fact. */
  readonly holders: readonly string[];
  /** SHA-256 of what a run reads, by name, as `laconic train` has it. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The shipped weights again. */
  begin(): Promise<void>;
  /** How the team talks now, about a problem that it never learns on. */
  glimpse(): Promise<Glimpse>;
  /** One problem with the weights of the beginning and of now, with the same random numbers. */
  ask(problem: Problem, draw: number): Promise<{ readonly before: Conversation; readonly now: Conversation }>;
  close(): Promise<void>;
}

/** @throws LaconicError `device_unavailable`, `weights_invalid` */
export async function openTeam(kernels: Kernels, files: KeptFiles): Promise<Team> {
  const engine = await createInlineEngine([kernels], { files });
  const { capabilities } = engine;
  // As many as the command line opens: the run folder says which they are.
  const task = relayTask({ level: "one-fact", heldOut: 1000 });
  const shipped = (): Promise<TrainableModel> => engine.createModel({ kind: "folder", path: policyFolder });
  let model = await shipped();
  let first: TrainableModel | null = null;
  // What a run folder calls its policy: a later one goes by the same name, as each is the only one of its run.
  const { id } = model;
  const speaking = (weights: TrainableModel): TrainingParts =>
    onePolicy(task, weights, (sampler) =>
      localPolicy({ id, sampler, tokenizer: task.tokenizer, batching: repeatableBatching(capabilities) }),
    );
  const played = async (weights: TrainableModel, problem: Problem, draw: number): Promise<Episode> => {
    const policy = speaking(weights).policies["policy"]?.speak(weights);
    const models = Object.fromEntries(
      task.topology.agents.map((agent) => [agent, policy as NonNullable<typeof policy>]),
    );
    const random = randomFromSeed(`asked ${draw}`);
    return task.topology.run(problem, { models, sampling: { temperature: 1 }, random });
  };
  const said = async (weights: TrainableModel, problem: Problem, draw: number): Promise<Conversation> =>
    conversationOf(problem, await played(weights, problem, draw));
  return {
    device: capabilities.device,
    capabilities,
    get parts() {
      return speaking(model);
    },
    holders: task.topology.agents.filter((agent) => agent !== "solver"),
    inputs: await inputsOf(files, task),
    async begin() {
      await model.dispose();
      model = await shipped();
    },
    async glimpse() {
      const [problem] = task.heldOut as [Problem];
      const episode = await played(model, problem, 0);
      return { team: teamOf([{ episode }]), episode: conversationOf(problem, episode) };
    },
    async ask(problem, draw) {
      first ??= await shipped();
      return { before: await said(first, problem, draw), now: await said(model, problem, draw) };
    },
    close: () => engine.close(),
  };
}

/** The names and hashes that `laconic train` puts into a manifest; it refuses to go on with others. */
async function inputsOf(files: KeptFiles, task: RelayTask): Promise<Record<string, string>> {
  const { tokenizer, validation, heldOut } = task;
  const vocabulary = Array.from({ length: tokenizer.vocabularySize }, (_, token) => tokenizer.decode([token]));
  const digest = async (name: string): Promise<string> => (await files.digest(`${policyFolder}/${name}`)).sha256;
  return {
    "model: config.json": await digest("config.json"),
    "model: model.safetensors": await digest("model.safetensors"),
    "tokenizer: vocabulary": sha256Of(vocabulary),
    "data: held-out problems": sha256Of(validation),
    "data: test problems": sha256Of(heldOut),
  };
}
