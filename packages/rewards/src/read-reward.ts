import { isRecord, LaconicError, maxReward, present, shownValue, mapValues } from "@laconic/core";
import type { EpisodeReward, Grader, Reward, RewardTerms, UnknownRecord } from "@laconic/core";
import { readScore, type SampleScore } from "./sample-score.ts";

/** Score, with the reward if scored. */
export type RewardOutcome =
  | (Extract<SampleScore, { status: "scored" }> & { readonly reward: EpisodeReward })
  | Exclude<SampleScore, { status: "scored" }>;

/** Rewards the answer's grade alone: `{ task: grade }`. */
export function graded(grader: Grader): Reward {
  return (episode, problem) => ({ task: grader(episode.answer, problem) });
}

/** Validates a reward's result. */
export function readReward(input: unknown): RewardOutcome {
  if (typeof input === "number" || typeof input === "boolean") return readReward({ task: input });
  if (!isGroup(input)) return invalid(`got ${shownValue(input)}, expected terms such as { task: 1 }`);
  if ("undecided" in input) return { status: "undecided", reason: String(input["undecided"]) };
  const whole = isGroup(input["team"]) ? input : { team: input };
  const { agents = {}, turns = {}, score, measures = {} } = whole;
  if (!isGroup(agents)) return invalid(`agents: got ${shownValue(agents)}, expected terms by agent`);
  if (!isGroup(turns)) return invalid(`turns: got ${shownValue(turns)}, expected terms by turn`);
  const places = [
    ["", whole.team],
    ...Object.entries(agents).map(([agent, terms]) => [`agent ${agent}`, terms] as const),
    ...Object.entries(turns).map(([turn, terms]) => [`turn ${turn}`, terms] as const),
  ] as const;
  for (const [location, terms] of places) {
    if (!isGroup(terms)) return invalid(`${location}: got ${shownValue(terms)}, expected terms such as { win: 1 }`);
    const bad = Object.entries(terms).find(([name, value]) => !isTerm(name, value));
    if (bad) return invalid(invalidTerm(location, bad[0], bad[1]));
  }
  if (!isGroup(measures)) return invalid(`measures: got ${shownValue(measures)}, expected numbers by name`);
  const odd = Object.entries(measures).find(([, item]) => typeof item !== "number" || Math.abs(item) > maxReward);
  if (odd) return invalid(`measure ${odd[0]}: got ${shownValue(odd[1])}, expected a finite number, or NaN`);
  const team = numbersOf(whole.team as Terms);
  const value = typeof score === "boolean" ? Number(score) : (score ?? team["task"] ?? sumOf(team));
  if (typeof value !== "number" || !Number.isFinite(value))
    return invalid(`score: got ${shownValue(value)}, expected a finite number`);
  const reward: EpisodeReward = {
    team,
    ...(Object.keys(agents).length > 0 && { agents: eachNumbers(agents) }),
    ...(Object.keys(turns).length > 0 && { turns: eachNumbers(turns) }),
    score: value,
    ...(Object.keys(measures).length > 0 && { measures: measures as Readonly<Record<string, number>> }),
  };
  return { status: "scored", value, reward };
}

type Terms = Readonly<Record<string, number | boolean>>;

function numbersOf(terms: Terms): RewardTerms {
  return mapValues(terms, Number);
}

function eachNumbers(groups: UnknownRecord): Record<string, RewardTerms> {
  return mapValues(groups, (terms) => numbersOf(terms as Terms));
}

/**
 * Sums terms; keeps the first score.
 * @throws LaconicError `reward_invalid` for a team term in both
 */
export function addRewards(first: EpisodeReward, more: EpisodeReward): EpisodeReward {
  const twice = Object.keys(more.team).find((name) => Object.hasOwn(first.team, name));
  if (twice !== undefined) {
    const reason = `"${twice}" is a term of the reward and of the group reward; rename one of them`;
    throw new LaconicError("reward_invalid", reason, { term: twice });
  }
  const agents = addedBy(first.agents, more.agents);
  const turns = addedBy(first.turns, more.turns);
  return {
    ...first,
    team: { ...first.team, ...more.team },
    ...present({ agents, turns }),
    ...((first.measures || more.measures) && { measures: { ...first.measures, ...more.measures } }),
  };
}

type ByName = Readonly<Record<string, RewardTerms>>;

function addedBy(first: ByName | undefined, more: ByName | undefined): ByName | undefined {
  if (!first || !more) return first ?? more;
  const names = new Set([...Object.keys(first), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, addedTerms(first[name], more[name])]));
}

function addedTerms(first: RewardTerms = {}, more: RewardTerms = {}): RewardTerms {
  const terms: Record<string, number> = { ...first };
  for (const [name, value] of Object.entries(more)) terms[name] = (terms[name] ?? 0) + value;
  return terms;
}

/** Shared terms are summed. */
export function termsOf({ team, agents }: EpisodeReward, agent?: string): RewardTerms {
  return agent !== undefined && agents && Object.hasOwn(agents, agent) ? addedTerms(team, agents[agent]) : team;
}

function isTerm(name: string, value: unknown): boolean {
  return name === "task"
    ? readScore(value).status === "scored"
    : typeof value === "boolean" || (typeof value === "number" && Math.abs(value) <= maxReward);
}

function invalidTerm(location: string, name: string, value: unknown): string {
  return `${location === "" ? "" : `${location}, `}term ${name}: got ${shownValue(value)}, expected a ${name === "task" ? "number from 0 to 1" : "finite number"}`;
}

function sumOf(terms: RewardTerms): number {
  return Object.values(terms).reduce((sum, value) => sum + value, 0);
}

function invalid(reason: string): RewardOutcome {
  return { status: "invalid", reason };
}

function isGroup(value: unknown): value is UnknownRecord {
  return isRecord(value) && !(value instanceof Promise);
}
