import { present, thrownText } from "@laconic/core";
import { createGateway, type GatewayAgent, type GatewayOptions, type GatewayStatus } from "@laconic/serve";
import type { GatewaySettings } from "@laconic/tasks/named";
import { checkTraining, evaluationSampling, type TrainingParts } from "@laconic/trainer";
import type { Progress } from "../progress.ts";
import { openPrograms, type ProgramSettings } from "./programs.ts";
import { openJournal } from "./gateway-journal.ts";
import { toolsOf } from "./open-served.ts";
import type { OpenedParts } from "../run/open-parts.ts";
import type { OpenSource } from "../start/open-folder.ts";

interface Serving extends Required<
  Pick<GatewayOptions, "apiKey" | "hosts" | "maxConcurrency" | "maxBodyBytes" | "defaultMaxTokens">
> {
  readonly host: string;
  readonly port: number;
  /** Programs to run; null if users run them. */
  readonly programs?: ProgramSettings | null;
  /** Endpoint address for programs. Default: the listening address. */
  readonly programUrl?: string | undefined;
}

const lineMs = 500;

/** Opens a run's training endpoint. @param onStatus - called twice a second, and at the end */
export function endpoint(
  serving: Serving,
  progress: Progress,
  onStatus: (status: GatewayStatus, isOver: boolean) => void,
): OpenSource {
  return async (opened, { config, directory, resume }) => {
    const { host, port, programs = null, programUrl, ...server } = serving;
    const warn = (message: string): void => progress.warn(message);
    const journal = await openJournal(directory, resume, { warn });
    const { train } = config;
    const { limits: { groupSeconds, ...limits } = {}, otherSampling, rerendered } = config.task as GatewaySettings;
    const gateway = createGateway({
      ...server,
      agents: agentsOf(opened),
      groupsPerStep: train.problemsPerStep,
      rolloutsPerGroup: train.episodesPerProblem,
      ...present({ groupSeconds, otherSampling, rerendered }),
      sampling: evaluationSampling(train),
      maxLag: train.asynchronous?.maxLag ?? 0,
      agentRewards: typeof train.groupBy !== "string" || train.groupBy.includes("agent"),
      tools: toolsOf(config.task),
      limits,
      seed: train.seed,
      journal: (event) => journal.write(event),
      past: journal.past,
      onError: (error) => progress.note(`error: ${thrownText(error)}`),
    });
    const parts: TrainingParts = { ...opened.parts, source: gateway };
    checkTraining(parts, opened.train);
    const url = await gateway.listen(port, host);
    progress.note(
      `training ${Object.keys(agentsOf(opened)).join(", ")} on ${url} : rollouts at /v1/rollouts/ID, rewards to POST /rollouts/ID/reward; ctrl-c saves and stops`,
    );
    const endPrograms =
      programs &&
      openPrograms(programs, {
        url: programUrl ?? url,
        apiKey: server.apiKey,
        say: progress.note,
        warn,
        allGaveUp(reason) {
          progress.warn(`no program is left, so the run is saved and ends: ${reason}`);
          void gateway.close();
        },
      });
    const timer = setInterval(() => onStatus(gateway.status(), false), lineMs);
    return {
      parts,
      async close() {
        clearInterval(timer);
        await endPrograms?.();
        const closed = gateway.close();
        onStatus(gateway.status(), true);
        await closed;
        await journal.close();
      },
    };
  };
}

/** A frozen agent may be an API without tokens. */
function agentsOf({ parts, tokenizers, task }: OpenedParts): Record<string, GatewayAgent> {
  const agents: Record<string, GatewayAgent> = {};
  for (const [name, { agents: agentIds, model }] of Object.entries(parts.policies))
    for (const agent of agentIds)
      agents[agent] = { tokenizer: tokenizers[name] ?? null, contextLength: model.contextLength, learns: true };
  for (const agent of task.topology.agents)
    agents[agent] ??= { tokenizer: null, contextLength: Number.MAX_SAFE_INTEGER, learns: false };
  return agents;
}
