import { LaconicError, type LanguageModel } from "@laconic/core";
import { judgeGrader, timerOf } from "@laconic/rewards";
import type { BenchJob, BenchSettings } from "../bench-job.ts";
import { roleModelOf, type RoleModel } from "../bench-parts.ts";
import type { BenchConfig, BenchModel } from "./bench-config.ts";

/** Opens a model of a server. Without `apiKey` it gets the key of the bench's own server. */
export type OpenModel = (model: BenchModel & { readonly apiKey?: string }) => LanguageModel;

/** A variable of the environment; undefined for an empty one. */
export type Environment = (name: string) => string | undefined;

/**
 * Refuses models for roles that nobody has.
 * @throws LaconicError `config_invalid` naming the roles that there are
 */
export function checkRoles(jobs: readonly BenchJob[], { roleModels }: Pick<BenchConfig, "roleModels">): void {
  const agents = [
    ...new Set(jobs.flatMap((job) => job.agents.filter((agent) => !Object.hasOwn(job.method.models ?? {}, agent)))),
  ];
  for (const slot of Object.keys(roleModels))
    if (agents.every((agent) => roleModelOf({ [slot]: true }, agent) === undefined))
      throw refused("role-model", `no method here has a role ${slot} without a model; there are ${agents.join(", ")}`);
}

/** @throws LaconicError `config_invalid` for a judge of nothing */
export function checkJudge(jobs: readonly BenchJob[], { judge }: Pick<BenchConfig, "judge">): void {
  if (judge && jobs.every(({ problem }) => problem.grading.kind !== "text"))
    throw refused("judge", "no question here has a free answer; remove it");
}

/** For records: which model of which server. */
export function roleIds({ roleModels }: Pick<BenchConfig, "roleModels">): NonNullable<BenchSettings["roleModels"]> {
  return Object.fromEntries(
    Object.entries(roleModels).map(([slot, { model, baseUrl }]) => [slot, `${baseUrl} ${model}`]),
  );
}

/** The models of single roles. The key of another server than the bench's is $OPENAI_API_KEY_ROLE, such as `OPENAI_API_KEY_ACTOR`. */
export function openRoleModels(
  { roleModels, baseUrl }: Pick<BenchConfig, "roleModels" | "baseUrl">,
  openModel: OpenModel,
  environment: Environment,
): Record<string, RoleModel> {
  return Object.fromEntries(
    Object.entries(roleModels).map(([slot, named]) => [
      slot,
      { price: named.price, model: openModel({ ...named, ...keyOf(slot, named, baseUrl, environment) }) },
    ]),
  );
}

const rubric = "Does the answer say what the reference says, and nothing that contradicts it?";

/** The judge of free answers; null without one. The key of another server than the bench's is $OPENAI_API_KEY_JUDGE. */
export function openJudge(
  { judge, baseUrl }: Pick<BenchConfig, "judge" | "baseUrl">,
  openModel: OpenModel,
  environment: Environment,
): ReturnType<typeof judgeGrader> | null {
  if (!judge) return null;
  const model = openModel({ ...judge, ...keyOf("judge", judge, baseUrl, environment) });
  return judgeGrader({ model, rubric, deadline: { seconds: 120, timer: timerOf(globalThis) } });
}

/** The bench's own key is sent to no other server. */
function keyOf(
  slot: string,
  { baseUrl }: BenchModel,
  benchUrl: string,
  environment: Environment,
): { readonly apiKey?: string } {
  const own = environment(`OPENAI_API_KEY_${slot.toUpperCase().replaceAll("-", "_")}`);
  if (own !== undefined) return { apiKey: own };
  return new URL(baseUrl).origin === new URL(benchUrl).origin ? {} : { apiKey: "none" };
}

function refused(flag: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `--${flag}: ${reason}`, { flag });
}
