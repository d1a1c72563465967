import { maxReward, type EpisodeReward, type Grader, type Reward, type RewardTerms } from "@laconic/core";
import { readScore, type SampleScore } from "./sample-score.ts";

/** What became of an episode's reward: a score like any other, with the reward where there is one. */
export type RewardOutcome =
  | (Extract<SampleScore, { status: "scored" }> & { readonly reward: EpisodeReward })
  | Exclude<SampleScore, { status: "scored" }>;

/** Grades the answer alone: the reward is `{ task: grade }`. */
export function graded(grader: Grader): Reward {
  return (episode, problem) => ({ task: grader(episode.answer, problem) });
}

/** Reads what a reward gave. */
export function readReward(given: unknown): RewardOutcome {
  if (!isGroup(given)) return invalid(`got ${shown(given)}, expected terms such as { task: 1 }`);
  if ("undecided" in given) return { status: "undecided", reason: String(given["undecided"]) };
  const whole = isGroup(given["team"]) ? given : { team: given };
  const {
    team,
    agents = {},
    score,
    measures = {},
  } = whole as Readonly<Record<string, unknown>> & { team: RewardTerms };
  if (!isGroup(agents)) return invalid(`agents: got ${shown(agents)}, expected terms by agent`);
  for (const [place, terms] of [["", team], ...Object.entries(agents)] as const) {
    if (!isGroup(terms)) return invalid(`agent ${place}: got ${shown(terms)}, expected terms such as { win: 1 }`);
    const bad = Object.entries(terms).find(([name, value]) => !isTerm(name, value));
    if (bad) return invalid(invalidTerm(place, bad[0], bad[1]));
  }
  if (!isGroup(measures)) return invalid(`measures: got ${shown(measures)}, expected numbers by name`);
  const odd = Object.entries(measures).find(([, each]) => typeof each !== "number" || Math.abs(each) > maxReward);
  if (odd) return invalid(`measure ${odd[0]}: got ${shown(odd[1])}, expected a finite number, or NaN`);
  const value = score ?? team["task"] ?? sumOf(team);
  if (typeof value !== "number" || !Number.isFinite(value))
    return invalid(`score: got ${shown(value)}, expected a finite number`);
  const reward = {
    team,
    ...(Object.keys(agents).length > 0 && { agents }),
    score: value,
    ...(Object.keys(measures).length > 0 && { measures }),
  } as EpisodeReward;
  return { status: "scored", value, reward };
}

/** The team's terms and those of one agent; a term that both have is their sum. */
export function termsOf({ team, agents }: EpisodeReward, agent?: string): RewardTerms {
  const own = agent === undefined || !agents || !Object.hasOwn(agents, agent) ? undefined : agents[agent];
  if (!own) return team;
  const terms: Record<string, number> = { ...team };
  for (const [name, value] of Object.entries(own)) terms[name] = (terms[name] ?? 0) + value;
  return terms;
}

function isTerm(name: string, value: unknown): boolean {
  return name === "task"
    ? readScore(value).status === "scored"
    : typeof value === "number" && Math.abs(value) <= maxReward;
}

function invalidTerm(agent: string, name: string, value: unknown): string {
  const place = agent === "" ? "" : `agent ${agent}, `;
  return `${place}term ${name}: got ${shown(value)}, expected a ${name === "task" ? "number from 0 to 1" : "finite number"}`;
}

function sumOf(terms: RewardTerms): number {
  return Object.values(terms).reduce((sum, value) => sum + value, 0);
}

function invalid(reason: string): RewardOutcome {
  return { status: "invalid", reason };
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}

/** For example `[object Promise]`: something that was not awaited. */
function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : Object.prototype.toString.call(value);
}
