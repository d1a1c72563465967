import { randomFromSeed, type AgentId, type Problem, type Random, inputError } from "@laconic/core";
import { countFacts, type Passage } from "./facts.ts";
import { factRule, type Dealable } from "./problem-facts.ts";

/** Parts of a question join to it. */
export interface Shard {
  readonly text: string;
  /** Null for all. */
  readonly agent: AgentId | null;
}

/** Problem with facts dealt among agents. */
export interface DistributedProblem<P extends Problem> {
  readonly problem: P & { readonly views: Readonly<Record<AgentId, string>> };
  readonly shards: readonly Shard[];
}

/**
 * Splits a problem's facts (`factRule`) among agents, by seed and problem id. All see the question asked. A holder of
 * options has two or more of them, never all, and the gold has no influence.
 * @returns null for fewer than two different facts
 * @throws LaconicError `input_invalid` for fewer than two agents
 */
export function distribute<P extends Problem>(
  problem: P,
  agents: readonly AgentId[],
  seed: string | number,
): DistributedProblem<P> | null {
  if (agents.length < 2 || new Set(agents).size < agents.length)
    throw inputError(`agents are ${JSON.stringify(agents)}, expected at least two, each once`);
  const { passages: cut, reshuffles } = factRule(problem);
  const passages = cut?.(problem) ?? [];
  if (countFacts(passages) < 2) return null;
  const order = randomFromSeed(`distribute:${seed}`).split(problem.id);
  const isKnown = passages.some(({ needed }) => needed !== undefined);
  const deal = isKnown ? neededDeal : reshuffles ? shuffledDeal : steadyDeal;
  const holders = deal(passages, agents, order);
  const shards = passages.map(({ text }, i): Shard => ({ text, agent: holders.get(i) ?? null }));
  const views = Object.fromEntries(
    agents.map((agent) => [agent, seenBy(agent, shards)] as const).filter(([, view]) => view !== ""),
  );
  if (Object.keys(views).length < 2) return null;
  const { choices: _, ...rest } = problem as Dealable;
  const own = passages.some(({ option }) => option) ? (rest as P) : problem;
  return { problem: { ...own, question: seenBy(null, shards), views }, shards };
}

/** Holder of each fact, by passage. */
type Deal = Map<number, AgentId>;

function indexesOf(passages: readonly Passage[], isWanted: (passage: Passage) => boolean): number[] {
  return passages.flatMap((passage, i) => (passage.fact && isWanted(passage) ? [i] : []));
}

/** Chance that one of several holders has no needed fact. */
const idleShare = 0.7;

/** Needed facts go to at least two agents, so that no share gives the answer; the others to anybody. */
function neededDeal(passages: readonly Passage[], agents: readonly AgentId[], order: Random): Deal {
  const [idle = "", ...others] = order.shuffle(agents);
  const active = agents.length > 2 && order.uniform() < idleShare ? others : [idle, ...others];
  const needed = indexesOf(passages, (passage) => passage.needed === true);
  const rest = indexesOf(passages, (passage) => passage.needed !== true);
  return new Map([
    ...needed.map((fact, i) => [fact, active[i % active.length]!] as const),
    ...rest.map((fact, i) => [fact, i === 0 ? idle : order.pick(agents)] as const),
  ]);
}

/** Even shares; another agent moves all facts. */
function shuffledDeal(passages: readonly Passage[], agents: readonly AgentId[], order: Random): Deal {
  const facts = indexesOf(passages, () => true);
  const holders = order.shuffle(agents);
  const dealt = order.shuffle(facts.map((_, i) => holders[i % holders.length]!));
  return new Map(facts.map((fact, i) => [fact, dealt[i]!]));
}

/** Even shares of the options, by two or three, and of the rest; another agent only takes facts. */
function steadyDeal(passages: readonly Passage[], agents: readonly AgentId[], order: Random): Deal {
  const options = order.split("options").shuffle(indexesOf(passages, ({ option = false }) => option));
  const groups = Array.from({ length: Math.floor(options.length / 2) }, (_, i, { length } = options) =>
    options.slice(2 * i, i === Math.floor(length / 2) - 1 ? length : 2 * i + 2),
  );
  const others = withoutCopies(
    passages,
    indexesOf(passages, ({ option = false }) => !option),
  );
  return new Map([...steadyShares(groups, agents, order), ...steadyShares(others, agents, order)]);
}

/** Facts of which one has all of another's words in order stay together. */
function withoutCopies(passages: readonly Passage[], facts: readonly number[]): (readonly number[])[] {
  const plain = passages.map(({ text }) => ` ${text.trim().replaceAll(/\s+/gu, " ")} `);
  let units: (readonly number[])[] = [];
  for (const fact of facts) {
    const isCopy = (other: number): boolean =>
      [plain[fact]!, plain[other]!].some((text, i, { [1 - i]: longer = "" }) => longer.includes(text));
    const same = units.filter((unit) => unit.some(isCopy));
    units = [...units.filter((unit) => !same.includes(unit)), [...same.flat(), fact]];
  }
  return units;
}

/** Each further agent takes its even share at random from the largest shares. */
function steadyShares(units: readonly (readonly number[])[], agents: readonly AgentId[], order: Random): Deal {
  const shares: { readonly agent: AgentId; readonly units: (readonly number[])[] }[] = [];
  for (const [i, agent] of agents.entries()) {
    const random = order.split(`units ${units.length}, agent ${i + 1}`);
    const share = { agent, units: i === 0 ? [...units] : [] };
    const even = units.length / (i + 1);
    const target = Math.floor(even + random.uniform());
    while (i > 0 && share.units.length < target) {
      const most = Math.max(...shares.map((other) => other.units.length));
      const from = random.pick(shares.filter((other) => other.units.length === most));
      share.units.push(...from.units.splice(random.integer(from.units.length), 1));
    }
    shares.push(share);
  }
  return new Map(shares.flatMap(({ agent, units: held }) => held.flat().map((fact) => [fact, agent] as const)));
}

/** A gap becomes a space, or the line break behind it. */
function seenBy(agent: AgentId | null, shards: readonly Shard[]): string {
  let [seen, isGap] = ["", false];
  for (const { text, agent: holder } of shards) {
    if (holder === agent) seen += isGap && seen !== "" && !/^[\s.,;:?!)]/u.test(text) ? ` ${text}` : text;
    else [seen, isGap] = [seen.trimEnd(), true];
    if (holder === agent) isGap = false;
  }
  return seen.trim();
}
