import type { AgentId } from "@laconic/core";

/** Whether what a question states can be dealt among a method's agents, so that nobody sees another's part. */
export type Partition =
  /** Agents of these slots are dealt it, and whoever answers hears them; all others see what is asked alone. */
  | { readonly kind: "among"; readonly slots: readonly string[] }
  /** It is played on whole questions alone, for this reason. */
  | { readonly kind: "whole"; readonly reason: string };

/** For methods in which one agent answers whatever it is asked. */
export const oneAgent: Partition = {
  kind: "whole",
  reason: "One agent answers, and hears nobody: it would see one share.",
};

/** For teams that write programs. */
export const onePiece: Partition = { kind: "whole", reason: "The description of a program is one piece." };

/**
 * Agents of a team among whom its protocol deals what a question states.
 * @param agents - all of the team's
 * @returns nobody for a protocol that is played on whole questions alone
 */
export function holdersOf({ partition }: { readonly partition: Partition }, agents: readonly AgentId[]): AgentId[] {
  return partition.kind === "among" ? agents.filter((agent) => partition.slots.includes(slotOf(agent))) : [];
}

/** An agent's slot: its name without the number that tells it from others alike, `debater` of `debater-2`. */
export function slotOf(agent: AgentId): string {
  return agent.replace(/-\d+$/u, "");
}
