import type { Random } from "@laconic/core";
import type { Line, Stage, Turn } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";

/** Kinds of calls: a debater's or writer's reply, the choice of those who go on, and a judge's remark on programs. */
export type DylanPhase = "reply" | "rank" | "judge";

/** A team of DyLAN: its protocol, and the roles that answer. */
export interface DylanTeam {
  readonly protocol: Protocol<DylanPhase>;
  readonly options: BaselineOptions;
  readonly roles: readonly Role[];
  /** Receives the importance score of every agent that spoke in a play. */
  readonly onImportance?: (importance: ReadonlyMap<string, number>) => void;
}

/** Layers of replies. */
export const layers = 3;

/** How scores are written, as the released prompts show it. */
export const scoreForm = "[[1, 5, 2, ...]]";

/** Two of several, by position from 0. */
interface BestTwo {
  readonly best: readonly number[];
  /** The ranking named no two. */
  readonly drawn: boolean;
}

/** The note of an episode where the two were drawn. */
export const drawnNote = "ranking-drawn";

/**
 * The two that a listwise ranking names, as `[i, j]`, from 1; the last such pair counts. Numbers are clipped to the range. Any other
 * reply, and one that names the same twice, has two drawn: the released code lets the same one go on twice.
 */
export function bestTwo(reply: string, count: number, random: Random): BestTwo {
  const pair = [...reply.matchAll(/\[\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\]/gu)].at(-1);
  const [first, second] = [pair?.[1], pair?.[2]].map((number) => Math.min(count, Math.max(1, Number(number))) - 1);
  if (pair && first !== second) return { best: [first as number, second as number], drawn: false };
  return { best: random.shuffle([...Array(count).keys()]).slice(0, 2), drawn: true };
}

/** The agents of the two turns that a ranker names, in its order. */
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
