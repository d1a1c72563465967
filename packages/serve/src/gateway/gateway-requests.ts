import { createHash } from "node:crypto";
import type { EpisodeReward, AgentId, LanguageModel } from "@laconic/core";
import { z } from "zod";
import { invalid } from "../http.ts";
import { parse } from "../parse.ts";
import type { FinishedRollout, Validated } from "./rollout-record.ts";
import type { Split, RolloutRegistry } from "./rollout-registry.ts";
import type { Admission } from "./admission.ts";
import type { Gate } from "./gate.ts";

/** What a rollout or a group may be called: it stands in addresses, files and reports. */
const idPattern = /^[A-Za-z0-9][\w.:@-]{0,127}$/u;

/** @throws HttpError 400 */
export function checkId(id: string, name: string): string {
  if (idPattern.test(id)) return id;
  throw invalid(`${name}: expected 1 to 128 letters, digits and . _ : @ -, beginning with a letter or digit`, name);
}

/** Where a request says what it belongs to. */
export interface Belonging {
  readonly rollout: string | null;
  readonly group: string | null;
  /** Null where it says nothing of it: rollouts are for training. */
  readonly split: Split | null;
}

const isSplit = (name: string): name is Split => name === "train" || name === "validation";

const metadataSchema: z.ZodType<Readonly<Record<string, string>>> = z.record(z.string().max(64), z.string().max(512));

/**
 * The rollout that a request names: in its address, the header `x-rollout-id`, `metadata.rollout_id`, or `user` as
 * `rollout:ID`. The group: the header `x-rollout-group` or `metadata.rollout_group`. What it is for: the
 * header `x-rollout-split` or `metadata.split`.
 * @throws HttpError 400 where they disagree, or are no ids
 */
export function belongingOf(
  body: Readonly<Record<string, unknown>>,
  headers: Headers,
  inPath: string | null,
): Belonging {
  const metadata = body["metadata"] == null ? {} : parse(metadataSchema, body["metadata"], "metadata");
  const user = typeof body["user"] === "string" && body["user"].startsWith("rollout:") ? body["user"].slice(8) : null;
  const one = (name: string, given: readonly (string | null | undefined)[]): string | null => {
    const found = [...new Set(given.filter((each) => typeof each === "string"))];
    if (found.length > 1) throw invalid(`the request names the ${name}s ${found.join(" and ")}`, name);
    return found[0] === undefined ? null : checkId(found[0], name);
  };
  const split = one("split", [headers.get("x-rollout-split"), metadata["split"]]);
  if (split !== null && !isSplit(split)) throw invalid(`split: it must be train or validation, not ${split}`, "split");
  return {
    split,
    rollout: one("rollout", [inPath, headers.get("x-rollout-id"), metadata["rollout_id"], user]),
    group: one("group", [headers.get("x-rollout-group"), metadata["rollout_group"]]),
  };
}

const term = z.number().min(-1e9).max(1e9);
const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/-]{0,63}$/u, "it must be a name of up to 64 letters, digits and . _ : / -");
const terms = z.union([term, z.record(name, term)]);

interface RewardBody {
  readonly reward?: number | Readonly<Record<string, number>> | undefined;
  readonly agents?: Readonly<Record<string, number | Readonly<Record<string, number>>>> | undefined;
  readonly score?: number | undefined;
  readonly answer?: string | null | undefined;
  readonly group?: string | undefined;
}

const rewardSchema: z.ZodType<RewardBody> = z.strictObject({
  reward: terms.optional(),
  agents: z.record(name, terms).optional(),
  score: term.optional(),
  answer: z.string().max(65_536).nullable().optional(),
  group: z.string().optional(),
});

/** What a rollout earned, as the harness says it. */
export interface SaidReward {
  readonly reward: EpisodeReward;
  /** Undefined where it says nothing of it. */
  readonly answer: string | null | undefined;
  readonly group: string | null;
}

/**
 * A number from 0 to 1 is a grade, the term `task`; any other a term `reward`.
 * @throws HttpError 400 for what is no reward, and agents that are not there
 */
export function rewardIn(json: unknown, agents: readonly string[], takesAgents: boolean): SaidReward {
  const body = parse(rewardSchema, json);
  if (body.reward === undefined && body.agents === undefined)
    throw invalid('the body has no reward; send {"reward": 1}, or rewards by agent in agents', "reward");
  const own = Object.entries(body.agents ?? {});
  if (own.length > 0 && !takesAgents)
    throw invalid("agents: this run compares whole rollouts; set train.groupBy to prompt+agent", "agents");
  const stranger = own.find(([agent]) => !agents.includes(agent));
  if (stranger) throw invalid(`agents: there is no agent ${stranger[0]}; there are ${agents.join(", ")}`, "agents");
  const team = termsOf(body.reward ?? {});
  if (Object.keys(team).length === 0 && own.length === 0) throw invalid("reward: it has no term", "reward");
  const grade = team["task"];
  if (grade !== undefined && !(grade >= 0 && grade <= 1))
    throw invalid(`reward: the term task is a grade from 0 to 1, got ${grade}`, "reward");
  return {
    reward: {
      team,
      ...(own.length > 0 && {
        agents: Object.fromEntries(own.map(([agent, given]) => [agent, termsOf(given, "own")])),
      }),
      ...(body.score !== undefined && { score: body.score }),
    },
    answer: body.answer,
    group: body.group === undefined ? null : checkId(body.group, "group"),
  };
}

/** What tells one reward from another: not how its JSON is laid out, and not what it leaves unsaid. */
export interface RewardMeaning {
  readonly reward: string;
  readonly group: string;
  readonly answer: string;
}

/** Of a rollout that has its reward. */
function meaningOf({ reward, group, episode }: FinishedRollout): RewardMeaning {
  return { reward: digestOf(sorted(reward)), group, answer: digestOf(episode.answer) };
}

/** Whether a reward that comes again says nothing else than the first. */
export function isRepeated({ reward, group, answer }: SaidReward, first: RewardMeaning): boolean {
  return (
    digestOf(sorted(reward)) === first.reward &&
    (group === null || group === first.group) &&
    (answer === undefined || digestOf(answer) === first.answer)
  );
}

/** With the keys of every object in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

function termsOf(given: number | Readonly<Record<string, number>>, alone?: string): Record<string, number> {
  if (typeof given !== "number") return { ...given };
  return { [alone ?? (given >= 0 && given <= 1 ? "task" : "reward")]: given };
}

/** What requests are answered from. */
export interface GatewayState {
  readonly registry: RolloutRegistry;
  readonly admission: Admission;
  readonly gate: Gate;
  readonly prompts: Record<string, number>;
  readonly dropped: Record<string, number>;
  /** Of finished rollouts, so that one that is sent again is no error. */
  readonly rewards: Map<string, RewardMeaning>;
  /** Of the latest step that has validation rollouts. */
  validation: { readonly step: number; readonly count: number; readonly score: number } | null;
  otherSampling: number;
  foreign: number;
  step: number | null;
  models: Readonly<Record<AgentId, LanguageModel>>;
  closed: boolean;
  /** Tells whoever waits for groups, or for room to begin, that something changed. */
  changed(): void;
}

/** Adds to the mean of its step; one of an earlier step comes too late. */
export function countValidated(state: GatewayState, { step, score }: Validated): void {
  const { step: latest, count, score: mean } = state.validation ?? { step: -1, count: 0, score: 0 };
  if (step < latest) return;
  const before = step === latest ? count : 0;
  const added = before === 0 ? score : mean + (score - mean) / (before + 1);
  state.validation = { step, count: before + 1, score: added };
}

/** Rewards that are remembered for being sent again. */
const maxRewards = 10_000;

/** Forgets the oldest where there are too many. */
export function rememberReward({ rewards }: GatewayState, rollout: FinishedRollout): void {
  rewards.set(rollout.id, meaningOf(rollout));
  const [oldest] = rewards.keys();
  if (rewards.size > maxRewards && oldest !== undefined) rewards.delete(oldest);
}
