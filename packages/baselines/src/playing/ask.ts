import type { Prompt } from "@laconic/core";
import type { Stage, Turn } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

/**
 * Asks one agent.
 * @param reads - quoted turns
 * @param stop - stop texts
 * @returns undefined if limits allow no reply
 */
export type Ask<PhaseName extends string> = (
  agent: string,
  phase: PhaseName,
  prompt: Prompt,
  reads?: readonly (Turn | undefined)[],
  stop?: readonly string[],
) => Promise<Turn | undefined>;

export function askOn<PhaseName extends string>(
  stage: Stage,
  { phases }: Protocol<PhaseName>,
  options: BaselineOptions,
): Ask<PhaseName> {
  return async (agent, phase, prompt, reads = [], stop) => {
    const [turn] = await stage.say({
      agent,
      prompt,
      reads: reads.flatMap((read) => (read ? [read.message] : [])),
      ...phaseSettings(phases[phase], options),
      ...(stop && { stop }),
    });
    return turn;
  };
}
