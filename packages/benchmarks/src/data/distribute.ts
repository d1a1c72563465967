import { LaconicError, randomFromSeed, type AgentId, type Problem } from "@laconic/core";

/** A stretch of a question. Stretches in their order are the question, to the character. */
export interface Shard {
  readonly text: string;
  /** Who sees it; null for everybody. */
  readonly agent: AgentId | null;
}

export interface DistributedProblem<P extends Problem> {
  /** The problem whose `question` everybody sees and whose `views` hold each agent's facts. */
  readonly problem: P & { readonly views: Readonly<Record<AgentId, string>> };
  readonly shards: readonly Shard[];
}

/**
 * Splits what a problem states over agents: nobody sees another's facts, everybody the question that is asked. Facts are
 * sentences; the last sentence with a question mark, or the last of all, and what follows it (options) are shared. Facts
 * are dealt as evenly as their number allows, to agents in an order drawn by seed and problem id.
 *
 * An agent that gets no fact has no view. {@link reunite} gives the original back.
 * @throws LaconicError `input_invalid` without agents, or with one named twice
 */
export function distribute<P extends Problem>(
  problem: P,
  agents: readonly AgentId[],
  seed: string | number,
): DistributedProblem<P> {
  if (agents.length === 0 || new Set(agents).size < agents.length)
    throw new LaconicError("input_invalid", `agents are ${JSON.stringify(agents)}, expected at least one, each once`);
  const sentences = sentencesOf(problem.question);
  const asked = sentences.findLastIndex((sentence) => sentence.includes("?"));
  const facts = asked < 0 ? sentences.length - 1 : asked;
  const order = randomFromSeed(`distribute:${seed}`).split(problem.id);
  const holders = order.shuffle(agents);
  const dealt = order.shuffle(Array.from({ length: facts }, (_, i) => holders[i % holders.length] as AgentId));
  const shards = sentences.map((text, i): Shard => ({ text, agent: dealt[i] ?? null }));
  const of = (agent: AgentId | null): string =>
    shards
      .filter((shard) => shard.agent === agent)
      .map(({ text }) => text.trim())
      .join(" ");
  const views = Object.fromEntries(
    agents.map((agent) => [agent, of(agent)] as const).filter(([, view]) => view !== ""),
  );
  const question = shards
    .filter(({ agent }) => agent === null)
    .map(({ text }) => text)
    .join("")
    .trim();
  return { problem: { ...problem, question, views }, shards };
}

/** The question that {@link distribute} was given. */
export function reunite(shards: readonly Shard[]): string {
  return shards.map(({ text }) => text).join("");
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Sentences with the white space after them. One never ends inside `$…$`, or open brackets. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open = "";
  for (const { segment } of segmenter.segment(text)) {
    open += segment;
    if (isBalanced(open)) {
      sentences.push(open);
      open = "";
    }
  }
  if (open !== "") sentences.push(open);
  // White space alone belongs to what is before it.
  return sentences.reduce<string[]>((all, each) => {
    if (each.trim() === "" && all.length > 0) all[all.length - 1] += each;
    else all.push(each);
    return all;
  }, []);
}

function isBalanced(text: string): boolean {
  // A dollar before a price opens no formula.
  const dollars = text.replaceAll(/\\\$|\$\d[\d,]*(\.\d+)?(?=[\s.,;:!?)]|$)/g, "").split("$").length - 1;
  const count = (character: string): number => text.split(character).length - 1;
  return dollars % 2 === 0 && count("{") === count("}") && count("\\[") === count("\\]");
}
