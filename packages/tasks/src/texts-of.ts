import type { AgentId, Episode } from "@laconic/core";

/**
 * What each of two agents answers, as it was written; "" for one who never spoke. An episode that was stored before there were
 * `outputs` has the same texts among its utterances.
 */
export function textsOf(
  { outputs, utterances }: Pick<Episode, "outputs" | "utterances">,
  [first, second]: readonly [first: AgentId, second: AgentId],
): readonly [first: string, second: string] {
  const textOf = (agent: AgentId): string =>
    (outputs ? outputs[agent] : utterances.findLast((each) => each.agent === agent)?.text) ?? "";
  return [textOf(first), textOf(second)];
}
