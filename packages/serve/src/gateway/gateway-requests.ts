import { createHash } from "node:crypto";
import type { EpisodeReward, AgentId, LanguageModel } from "@laconic/core";
import { z } from "zod";
import { invalid } from "../http.ts";
import { parse } from "../parse.ts";
import { metadataSchema } from "../schemas.ts";
import type { FinishedRollout, Validated } from "./rollout-record.ts";
import type { DropReason, RolloutRegistry, Split } from "./rollout-registry.ts";
import type { Admission } from "./admission.ts";
import type { Gate } from "./gate.ts";

/** Names appear in addresses, files and reports. */
const idPattern = /^[A-Za-z0-9][\w.:@-]{0,127}$/u;

/** @throws HttpError 400 */
export function checkId(id: string, name: string): string {
  if (idPattern.test(id)) return id;
  throw invalid(`${name}: expected 1 to 128 letters, digits and . _ : @ -, beginning with a letter or digit`, name);
}

export interface Belonging {
  readonly rollout: string | null;
  readonly group: string | null;
  /** Null: for training. */
  readonly split: Split | null;
}

const isSplit = (name: string): name is Split => name === "train" || name === "validation";

/**
 * Reads the rollout (path, header `x-rollout-id`, `metadata.rollout_id`, or `user` as `rollout:ID`), the group (header
 * `x-rollout-group` or `metadata.rollout_group`) and the split (header `x-rollout-split` or `metadata.split`).
 * @throws HttpError 400 if they contradict each other or are invalid
 */
export function belongingOf(
  body: Readonly<Record<string, unknown>>,
  headers: Headers,
  inPath: string | null,
): Belonging {
  const metadata = body["metadata"] == null ? {} : parse(metadataSchema, body["metadata"], "metadata");
  const user = typeof body["user"] === "string" && body["user"].startsWith("rollout:") ? body["user"].slice(8) : null;
  const one = (name: string, values: readonly (string | null | undefined)[]): string | null => {
    const distinct = [...new Set(values.filter((text) => typeof text === "string"))];
    if (distinct.length > 1) throw invalid(`the request has several values for ${name}: ${distinct.join(", ")}`, name);
    return distinct[0] === undefined ? null : checkId(distinct[0], name);
  };
  const split = one("split", [headers.get("x-rollout-split"), metadata["split"]]);
  if (split !== null && !isSplit(split)) throw invalid(`split: expected train or validation, got ${split}`, "split");
  return {
    split,
    rollout: one("rollout", [inPath, headers.get("x-rollout-id"), metadata["rollout_id"], user]),
    group: one("group", [headers.get("x-rollout-group"), metadata["rollout_group"]]),
  };
}

const term = z.number().min(-1e9).max(1e9);
const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/-]{0,63}$/u, "expected a name of up to 64 letters, digits and . _ : / -");
const terms = z.union([term, z.record(name, term)]);

const rewardSchema = z.strictObject({
  reward: terms.optional(),
  agents: z.record(name, terms).optional(),
  score: term.optional(),
  answer: z.string().max(65_536).nullable().optional(),
  group: z.string().optional(),
});

export interface SaidReward {
  readonly reward: EpisodeReward;
  readonly answer: string | null | undefined;
  readonly group: string | null;
}

/**
 * Reads a reward. A number from 0 to 1 becomes the term `task`, others `reward`.
 * @throws HttpError 400
 */
export function rewardIn(json: unknown, agents: readonly string[], takesAgents: boolean): SaidReward {
  const body = parse(rewardSchema, json);
  if (body.reward === undefined && body.agents === undefined)
    throw invalid('the body has no reward; send {"reward": 1}, or rewards by agent in agents', "reward");
  const byAgent = Object.entries(body.agents ?? {});
  if (byAgent.length > 0 && !takesAgents)
    throw invalid("agents: this run compares whole rollouts; set train.groupBy to prompt+agent", "agents");
  const stranger = byAgent.find(([agent]) => !agents.includes(agent));
  if (stranger) throw invalid(`agents: agent ${stranger[0]} not found; available: ${agents.join(", ")}`, "agents");
  const team = termsOf(body.reward ?? {});
  if (Object.keys(team).length === 0 && byAgent.length === 0) throw invalid("reward: terms missing", "reward");
  const grade = team["task"];
  if (grade !== undefined && !(grade >= 0 && grade <= 1))
    throw invalid(`reward: expected a grade from 0 to 1 for the term task, got ${grade}`, "reward");
  return {
    reward: {
      team,
      ...(byAgent.length > 0 && {
        agents: Object.fromEntries(byAgent.map(([agent, value]) => [agent, termsOf(value, "own")])),
      }),
      ...(body.score !== undefined && { score: body.score }),
    },
    answer: body.answer,
    group: body.group === undefined ? null : checkId(body.group, "group"),
  };
}

/** Reward independent of JSON layout and omitted fields. */
export interface RewardMeaning {
  readonly reward: string;
  readonly group: string;
  readonly answer: string;
}

export function isRepeated({ reward, group, answer }: SaidReward, first: RewardMeaning): boolean {
  return (
    digestOf(sorted(reward)) === first.reward &&
    (group === null || group === first.group) &&
    (answer === undefined || digestOf(answer) === first.answer)
  );
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

function termsOf(value: number | Readonly<Record<string, number>>, alone?: string): Record<string, number> {
  if (typeof value !== "number") return { ...value };
  return { [alone ?? (value >= 0 && value <= 1 ? "task" : "reward")]: value };
}

export interface GatewayState {
  readonly registry: RolloutRegistry;
  readonly admission: Admission;
  readonly gate: Gate;
  readonly prompts: Record<string, number>;
  readonly dropped: Record<string, number>;
  /** Repeated rewards are no error. */
  readonly rewards: Map<string, RewardMeaning>;
  /** Latest step with validation rollouts. */
  validation: { readonly step: number; readonly count: number; readonly score: number } | null;
  otherSampling: number;
  foreign: number;
  step: number | null;
  models: Readonly<Record<AgentId, LanguageModel>>;
  closed: boolean;
  changed(): void;
  drop(id: string, reason: DropReason): Promise<void>;
}

/** Adds a score to the mean of its step; ignores earlier steps. */
export function countValidated(state: GatewayState, { step, score }: Validated): void {
  const { step: latest, count, score: mean } = state.validation ?? { step: -1, count: 0, score: 0 };
  if (step < latest) return;
  const before = step === latest ? count : 0;
  const added = before === 0 ? score : mean + (score - mean) / (before + 1);
  state.validation = { step, count: before + 1, score: added };
}

const maxRewards = 10_000;

/** Drops the oldest above the limit. */
export function rememberReward({ rewards }: GatewayState, { id, reward, group, episode }: FinishedRollout): void {
  rewards.set(id, { reward: digestOf(sorted(reward)), group, answer: digestOf(episode.answer) });
  const [oldest] = rewards.keys();
  if (rewards.size > maxRewards && oldest !== undefined) rewards.delete(oldest);
}
