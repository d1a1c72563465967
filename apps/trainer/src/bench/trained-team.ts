import { resolve } from "node:path";
import type { Baseline } from "@laconic/baselines";
import { LaconicError, type LanguageModel } from "@laconic/core";
import { livePolicies, modelsOf } from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import { benchmarkTeam, dealTo, type TextTeam } from "@laconic/tasks/text";
import { configOfRun, findRun, openFoundRun } from "../run/open-run.ts";

/** A run's team as a method: it brings its own models, once they are opened. */
export interface TrainedTeam {
  readonly method: Baseline;
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The team of a run over questions, with the weights of its last checkpoint.
 * @throws LaconicError `run_missing`; `config_invalid` for a run whose team answers no other questions than its own
 */
export async function trainedTeam(name: string, run: string, terminal: Terminal): Promise<TrainedTeam> {
  const { task } = await configOfRun(resolve(run));
  if (task.name !== "benchmark" && task.name !== "data")
    throw new LaconicError("config_invalid", `${run}: a team trained on ${task.name} answers no benchmark`, { run });
  const found = await findRun(resolve(run));
  const { directory, config, state } = found;
  const { rounds = 2, replyTokens = 768, actorTokens = 2048 } = task;
  const teamFor = (answerForm: string, read: (reply: string) => string | null): TextTeam =>
    benchmarkTeam(task, { answerForm, read, targetTokens: config.train.budget?.targetTokens });
  const { topology, holders } = teamFor("", (reply) => reply);
  const models: Record<string, LanguageModel> = {};
  let closed: () => Promise<void> = async () => undefined;
  return {
    method: {
      name,
      title: name,
      source: `${directory}, step ${state.step}`,
      calls: "as its team speaks",
      temperature: config.train.sampling.temperature,
      identity: `${directory}@${state.step}`,
      replyTokens: Math.max(replyTokens, actorTokens),
      models,
      create: ({ answerForm, reader }) => teamFor(answerForm, (reply) => reader.read(reply)).topology,
      // What a question states is dealt as in training.
      ...(holders.length > 0 && { deal: dealTo(holders) }),
      mostCalls: () => topology.agents.length * rounds,
    },
    async open() {
      const { parts, close } = await openFoundRun(found, terminal, { heldOut: 0 });
      Object.assign(models, modelsOf(parts, livePolicies(parts)));
      closed = close;
    },
    close: () => closed(),
  };
}
