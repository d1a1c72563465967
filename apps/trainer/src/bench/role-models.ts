import { LaconicError } from "@laconic/core";
import { roleModelOf, type BenchJob, type BenchSettings, type RoleModel } from "@laconic/evaluation";
import type { OpenAiModelOptions } from "@laconic/openai";
import { environmentValue } from "../cli/environment.ts";
import type { BenchConfig, BenchModel } from "./bench-settings.ts";
import { knownPrice } from "../run/known-price.ts";
import { namedModel } from "../run/named-model.ts";
import { pricePair } from "../run/price-pair.ts";

/** What `bench` is told of models of single seats. */
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
    seatsIn("role-price", args["role-price"]).map(([seat, price]) => [seat, pricePair(price.replace("/", ","))]),
  );
  const models: Record<string, BenchModel> = {};
  for (const [seat, text] of seatsIn("role-model", args["role-model"])) {
    if (Object.hasOwn(models, seat)) throw refused("role-model", `${seat} has two models`);
    const named = namedModel(text, baseUrl, "role-model");
    const price = Object.hasOwn(prices, seat) ? (prices[seat] ?? null) : await knownPrice(named.model);
    models[seat] = { ...named, price };
  }
  const stray = Object.keys(prices).find((seat) => !Object.hasOwn(models, seat));
  if (stray !== undefined) throw refused("role-price", `${stray} has no model of its own; give --role-model`);
  return models;
}

/** The hint's writer has its paper's name in teams. */
const aliases: Readonly<Record<string, string>> = { hint: "collaborator" };

function seatsIn(flag: string, text = ""): [seat: string, value: string][] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const [seat, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      if (at < 1 || value === "") throw refused(flag, `${JSON.stringify(part)} is not SEAT=...`);
      return [Object.hasOwn(aliases, seat) ? (aliases[seat] as string) : seat, value];
    });
}

/**
 * Refuses models for seats that nobody has.
 * @throws LaconicError `config_invalid` naming the seats that there are
 */
export function checkRoles(jobs: readonly BenchJob[], { roleModels }: Pick<BenchConfig, "roleModels">): void {
  const agents = [
    ...new Set(jobs.flatMap((job) => job.agents.filter((agent) => !Object.hasOwn(job.method.models ?? {}, agent)))),
  ];
  for (const seat of Object.keys(roleModels))
    if (agents.every((agent) => roleModelOf({ [seat]: true }, agent) === undefined))
      throw refused("role-model", `no method here has a seat ${seat} without a model; there are ${agents.join(", ")}`);
}

/** For records: which model of which server. */
export function roleIds({ roleModels }: Pick<BenchConfig, "roleModels">): NonNullable<BenchSettings["roleModels"]> {
  return Object.fromEntries(
    Object.entries(roleModels).map(([seat, { model, baseUrl }]) => [seat, `${baseUrl} ${model}`]),
  );
}

/**
 * Opens the models of single seats. The key of another server than the bench's is $OPENAI_API_KEY_SEAT, such as
 * `OPENAI_API_KEY_ACTOR`: the bench's own is not sent there.
 */
export async function openRoleModels(
  { roleModels, baseUrl }: Pick<BenchConfig, "roleModels" | "baseUrl">,
  shared: Omit<OpenAiModelOptions, "model" | "baseUrl" | "price">,
): Promise<Record<string, RoleModel>> {
  const { openAiModel } = await import("@laconic/openai");
  return Object.fromEntries(
    Object.entries(roleModels).map(([seat, { model, baseUrl: url, price }]) => {
      const own = environmentValue(`OPENAI_API_KEY_${seat.toUpperCase().replaceAll("-", "_")}`);
      const apiKey = own ?? (new URL(url).origin === new URL(baseUrl).origin ? undefined : "none");
      const key = apiKey === undefined ? {} : { apiKey };
      return [seat, { price, model: openAiModel({ ...shared, model, baseUrl: url, ...key, ...(price && { price }) }) }];
    }),
  );
}

function refused(flag: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `--${flag}: ${reason}`, { flag });
}
