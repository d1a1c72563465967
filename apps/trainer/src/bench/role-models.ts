import { LaconicError } from "@laconic/core";
import { roleModelOf, type BenchJob, type BenchSettings, type RoleModel } from "@laconic/evaluation";
import type { OpenAiModelOptions } from "@laconic/openai";
import { environmentValue } from "@laconic/runtime/folders";
import type { BenchConfig, BenchModel } from "./bench-settings.ts";
import { knownPrice, namedModel, pricePair } from "@laconic/runtime/spending";

/** What `bench` is told of models of single roles. */
export interface RoleArguments {
  readonly "role-model"?: string | undefined;
  readonly "role-price"?: string | undefined;
}

/**
 * `--role-model actor=NAME@URL,router=NAME` and `--role-price actor=0.15/0.6`.
 * @throws LaconicError `config_invalid` naming the flag
 */
export async function roleModelsOf(args: RoleArguments, baseUrl: string): Promise<Record<string, BenchModel>> {
  const prices = Object.fromEntries(
    slotsIn("role-price", args["role-price"]).map(([slot, price]) => [slot, pricePair(price.replace("/", ","))]),
  );
  const models: Record<string, BenchModel> = {};
  for (const [slot, text] of slotsIn("role-model", args["role-model"])) {
    if (Object.hasOwn(models, slot)) throw refused("role-model", `${slot} has two models`);
    const named = namedModel(text, baseUrl, "role-model");
    const price = Object.hasOwn(prices, slot) ? (prices[slot] ?? null) : await knownPrice(named.model);
    models[slot] = { ...named, price };
  }
  const stray = Object.keys(prices).find((slot) => !Object.hasOwn(models, slot));
  if (stray !== undefined) throw refused("role-price", `${stray} has no model of its own; give --role-model`);
  return models;
}

/** The hint's writer has its paper's name in teams. */
const aliases: Readonly<Record<string, string>> = { hint: "collaborator" };

function slotsIn(flag: string, text = ""): [slot: string, value: string][] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const [slot, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      if (at < 1 || value === "") throw refused(flag, `${JSON.stringify(part)} is not SEAT=...`);
      return [Object.hasOwn(aliases, slot) ? (aliases[slot] as string) : slot, value];
    });
}

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

/** For records: which model of which server. */
export function roleIds({ roleModels }: Pick<BenchConfig, "roleModels">): NonNullable<BenchSettings["roleModels"]> {
  return Object.fromEntries(
    Object.entries(roleModels).map(([slot, { model, baseUrl }]) => [slot, `${baseUrl} ${model}`]),
  );
}

/**
 * Opens the models of single roles. The key of another server than the bench's is $OPENAI_API_KEY_SEAT, such as
 * `OPENAI_API_KEY_ACTOR`: the bench's own is not sent there.
 */
export async function openRoleModels(
  { roleModels, baseUrl }: Pick<BenchConfig, "roleModels" | "baseUrl">,
  shared: Omit<OpenAiModelOptions, "model" | "baseUrl" | "price">,
): Promise<Record<string, RoleModel>> {
  const { openAiModel } = await import("@laconic/openai");
  return Object.fromEntries(
    Object.entries(roleModels).map(([slot, { model, baseUrl: url, price }]) => {
      const own = environmentValue(`OPENAI_API_KEY_${slot.toUpperCase().replaceAll("-", "_")}`);
      const apiKey = own ?? (new URL(url).origin === new URL(baseUrl).origin ? undefined : "none");
      const key = apiKey === undefined ? {} : { apiKey };
      return [slot, { price, model: openAiModel({ ...shared, model, baseUrl: url, ...key, ...(price && { price }) }) }];
    }),
  );
}

function refused(flag: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `--${flag}: ${reason}`, { flag });
}
