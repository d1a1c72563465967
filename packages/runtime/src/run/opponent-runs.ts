import { basename, dirname, join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { nodeFileSystem, runFiles, type OpponentSettings } from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";
import type { Progress } from "../progress.ts";
import { opponentRole } from "./run-inputs.ts";
import type { OpponentRuns, RunPolicy } from "./open-parts.ts";
import { runPolicies } from "./run-policies.ts";

type TokenizerOf = (agent: string) => TeamTask["tokenizer"] | Promise<TeamTask["tokenizer"]>;

/**
 * Finds the runs that settings name as opponents, without their weights.
 * @param tokenizerOf - of each agent in this run: an opponent's has to be the same
 * @param policiesIn - reads a run's folder
 * @throws LaconicError `config_invalid` for what is no run, a policy that it does not have, or another tokenizer
 */
export async function findOpponentRuns(
  { runs, sides }: Pick<OpponentSettings, "runs" | "sides">,
  tokenizerOf: TokenizerOf,
  progress: Progress,
  policiesIn: typeof runPolicies = runPolicies,
): Promise<OpponentRuns> {
  const found: Record<string, Record<string, RunPolicy>> = {};
  for (const name of runs) {
    const { directory, policy } = await placeOf(name);
    const { policies } = await policiesIn(directory, progress);
    const names = Object.keys(policies);
    if (policy !== undefined && !Object.hasOwn(policies, policy))
      throw refusal(`${directory} has no policy "${policy}"; it has ${names.join(", ")}`);
    const own: Record<string, RunPolicy> = {};
    for (const agent of sides.flat()) {
      const speaks = policy ?? names.find((each) => policies[each]?.agents.includes(agent)) ?? names[0] ?? "";
      if (policy === undefined && names.length > 1 && !policies[speaks]?.agents.includes(agent))
        throw refusal(
          `${name} has the policies ${names.join(", ")}, and none speaks for "${agent}"; write ${name}/${names[0]} for one of them`,
        );
      const chosen = policies[speaks] as RunPolicy;
      if (!isSame(chosen.tokenizer, await tokenizerOf(agent)))
        throw refusal(
          `${name} has another tokenizer than the agent "${agent}" of this run: its words would be other tokens`,
        );
      own[agent] = chosen;
    }
    found[name] = own;
  }
  return found;
}

/** What plays in opponents' place has to stay as it was: the files of each policy, by role. */
export function opponentFolders(runs: OpponentRuns): Record<string, string> {
  return Object.fromEntries(
    Object.entries(runs).flatMap(([name, agents]) =>
      Object.entries(agents).map(([agent, { folder }]) => [`${opponentRole}${name} as ${agent}`, folder]),
    ),
  );
}

/** A run's folder, or one policy of it. */
async function placeOf(name: string): Promise<{ readonly directory: string; readonly policy?: string }> {
  const whole = resolve(name);
  const isRun = (folder: string): Promise<boolean> => nodeFileSystem.exists(join(folder, runFiles.manifest));
  if (await isRun(whole)) return { directory: whole };
  if (await isRun(dirname(whole))) return { directory: dirname(whole), policy: basename(whole) };
  throw refusal(`${name} is no run's folder, nor RUN/POLICY of one`);
}

function isSame(one: TeamTask["tokenizer"], other: TeamTask["tokenizer"]): boolean {
  if (one === other) return true;
  if (one.vocabularySize !== other.vocabularySize) return false;
  for (let token = 0; token < one.vocabularySize; token++)
    if (one.decode([token]) !== other.decode([token])) return false;
  return true;
}

function refusal(reason: string): LaconicError {
  return new LaconicError("config_invalid", `train.opponents.runs: ${reason}`, { key: "train.opponents.runs" });
}
