import type { Random } from "@laconic/core";
import type { Line, Stage, Turn } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";

export type DylanPhase = "reply" | "rank" | "judge";

export interface DylanTeam {
  readonly protocol: Protocol<DylanPhase>;
  readonly options: BaselineOptions;
  readonly roles: readonly Role[];
  readonly onImportance?: (importance: ReadonlyMap<string, number>) => void;
}

export const layers = 3;

export const scoreForm = "[[1, 5, 2, ...]]";

/** Two selected positions, from 0. */
interface BestTwo {
  readonly best: readonly number[];
  /** Drawn because the ranking was invalid. */
  readonly drawn: boolean;
}

export const drawnNote = "ranking-drawn";

/**
 * Reads the last pair `[i, j]` (from 1) of a ranking, clipped to the range. Draws two if they are missing or equal; the
 * released code keeps equal ones.
 */
export function bestTwo(reply: string, count: number, random: Random): BestTwo {
  const pair = [...reply.matchAll(/\[\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\]/gu)].at(-1);
  const [first, second] = [pair?.[1], pair?.[2]].map((number) => Math.min(count, Math.max(1, Number(number))) - 1);
  if (pair && first !== second) return { best: [first!, second!], drawn: false };
  return { best: random.shuffle([...Array(count).keys()]).slice(0, 2), drawn: true };
}

export async function rankedBest(
  stage: Stage,
  turns: readonly Turn[],
  random: Random,
  line: Pick<Line, "prompt" | "maxTokens" | "temperature">,
): Promise<string[]> {
  const [choice] = await stage.say({ agent: "ranker", reads: turns.map(({ message }) => message), ...line });
  const { best, drawn } = bestTwo(choice?.utterance.text ?? "", turns.length, random);
  if (drawn) stage.note(drawnNote);
  return best.flatMap((i) => turns[i]?.call.agent ?? []);
}
