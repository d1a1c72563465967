import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Baseline } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { distribute } from "@laconic/benchmarks";
import { LaconicError, type LanguageModel, type Topology } from "@laconic/core";
import { findCheckpoint, livePolicies, modelsOf, nodeFileSystem, runFiles } from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { chooseDevice } from "../run/devices.ts";
import { openModelFolder } from "../run/model-folder.ts";
import { checkpointSource, modelSource, openParts } from "../run/open-parts.ts";
import { textTeams, type TextTeam } from "../tasks/text-teams.ts";

/** A run's team as a method: it brings its own models, once they are opened. */
export interface TrainedTeam {
  readonly method: Baseline;
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The team of a run over a benchmark, with the weights of its last checkpoint.
 * @throws LaconicError `run_missing`; `config_invalid` for a run whose team answers no other questions than its own
 */
export async function trainedTeam(name: string, run: string, terminal: Terminal): Promise<TrainedTeam> {
  const directory = resolve(run);
  const text = await readFile(join(directory, runFiles.config), "utf8").catch((error: unknown) => {
    throw new LaconicError("run_missing", `${directory} holds no run`, { directory }, error);
  });
  const config = parseAppConfig(JSON.parse(text));
  const { task } = config;
  if (task.name !== "benchmark")
    throw new LaconicError("config_invalid", `${run}: a team trained on ${task.name} answers no benchmark`, { run });
  const { folder: checkpoint, state } = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints));
  const { agents = 3, rounds = 2, replyTokens = 768, actorTokens = 2048 } = task;
  const teamFor = (read: (reply: string) => string | null): TextTeam =>
    textTeams([task.team].flat(), { agents, rounds, replyTokens, actorTokens, read });
  const members = teamFor((reply) => reply).topology.agents;
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
      models,
      create: ({ reader }) => {
        const team = teamFor((reply) => reader.read(reply));
        return team.holders.length === 0 ? team.topology : dealt(team);
      },
      mostCalls: () => members.length * rounds,
    },
    async open() {
      const { folder } = await openModelFolder(config.model, terminal);
      const device = await chooseDevice(config.device, config.workers, (line) => terminal.note(line));
      const { parts, close } = await openParts(
        config,
        device,
        checkpointSource(config, folder, checkpoint),
        {
          onWarning: (message) => terminal.note(`${terminal.paint("yellow", "warning")}: ${message}`),
          modelFolder: folder,
          openModel: async (other) => (await openModelFolder(other, terminal)).folder,
          heldOut: 0,
        },
        modelSource(config, folder),
      );
      Object.assign(models, modelsOf(parts, livePolicies(parts)));
      closed = close;
    },
    close: () => closed(),
  };
}

/** What a question states is dealt as in training. */
function dealt({ topology, holders }: TextTeam): Topology {
  return {
    ...topology,
    run: (problem, context) =>
      topology.run(distribute(problem as BenchmarkProblem, holders, "laconic").problem, context),
  };
}
