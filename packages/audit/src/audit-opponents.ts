import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";
import type { StepContext } from "./memory.ts";
import { total } from "./rules/numbers.ts";
import { firstRivals, grown, rate, type OpponentSettings, type Rival } from "./rules/opponents.ts";
import type { AuditedStep } from "./folder/record.ts";
import type { Judged } from "./step-facts.ts";

/**
 * Who played whom, checked: an opponent plays whole sides, is of the pool, and is named alike by utterance, call and model. Counts
 * its games, and lets the pool change as the settings say.
 */
export function auditOpponents(context: StepContext, step: AuditedStep, judged: readonly Judged[]): void {
  const { train, findings, memory } = context;
  const { opponents: settings } = train;
  if (!settings) return;
  findings.leaveOut("draws of opponents", "streams of the seed are not drawn again; who played is taken as recorded");
  if (!memory.isWhole) return findings.leaveOut("results of opponents", "earlier steps are not recorded");
  memory.rivals ??= firstRivals(settings);
  const learners = Object.values(step.policies).flatMap(({ agents }) => agents);
  const byGroup = new Map<number, string>();
  for (const { episode, place, row } of judged) {
    const name = episode.utterances.find(({ opponent }) => opponent !== undefined)?.opponent;
    checkNames(context, episode, place, settings, name);
    const first = byGroup.get(row.group) ?? name ?? "";
    byGroup.set(row.group, first);
    if (settings.draw === "group") findings.same("episode", place, "opponent of the group", first, name ?? "");
    if (name === undefined) continue;
    const rival = memory.rivals.find((each) => each.name === name);
    findings.same("episode", place, `opponent ${name} in the pool`, true, rival !== undefined);
    const points = pointsOf(episode, settings, learners);
    if (rival && points !== null) {
      rival.games += 1;
      rival.points += points;
    }
  }
  if (step.step % settings.every === 0) memory.rivals = grown(memory.rivals, step.step, settings);
}

function checkNames(
  { findings }: StepContext,
  { utterances, ledger }: StoredEpisode<Utterance>,
  place: Judged["place"],
  { sides }: OpponentSettings,
  name: string | undefined,
): void {
  const played = new Set(utterances.flatMap(({ agent, opponent }) => (opponent === undefined ? [] : [agent])));
  const side = sides.find((agents) => agents.some((agent) => played.has(agent))) ?? [];
  for (const { agent, turn, opponent, model } of utterances) {
    const expected = side.includes(agent) ? name : undefined;
    const at = { ...place, agent, turn };
    findings.same("episode", at, "opponent", expected ?? null, opponent ?? null);
    const call = ledger.calls.find((each) => each.turn === turn);
    findings.same("episode", at, "opponent in the ledger", expected ?? null, call?.opponent ?? null);
    if (expected !== undefined) findings.same("episode", at, "model of the opponent", expected, model.id);
  }
}

/** 1 where learners earned more of their own than the side, 0 where less, half where as much; the grade where nobody has terms. */
function pointsOf(
  { utterances, score }: StoredEpisode<Utterance>,
  { sides }: OpponentSettings,
  learners: readonly string[],
): number | null {
  if (score?.status !== "scored") return null;
  const { agents = {}, turns = {} } = score.reward ?? {};
  if (Object.keys(agents).length + Object.keys(turns).length === 0)
    return Math.max(0, Math.min(1, score.value ?? Number.NaN));
  const sum = (terms: Readonly<Record<string, number>> = {}): number => total(Object.values(terms));
  const earned = (agent: string): number =>
    sum(agents[agent]) + total(utterances.map((each) => (each.agent === agent ? sum(turns[each.turn]) : 0)));
  const mean = (names: readonly string[]): number => total(names.map(earned)) / Math.max(1, names.length);
  const seat = utterances.find(({ opponent }) => opponent !== undefined)?.agent ?? "";
  const side = sides.find((names) => names.includes(seat)) ?? [];
  const gap = mean(learners.filter((agent) => !side.includes(agent))) - mean(side);
  return gap === 0 || Number.isNaN(gap) ? 0.5 : gap > 0 ? 1 : 0;
}

/** Lines of `metrics.jsonl` about the pool, after the step. */
export function opponentMetrics(
  rivals: readonly Rival[] | null,
  judged: readonly Judged[],
): Readonly<Record<string, number>> {
  if (rivals === null) return {};
  const latest = judged.filter(({ episode }) => episode.utterances.every(({ opponent }) => opponent === undefined));
  return {
    "opponents/pool": rivals.length,
    "opponents/latest_frac": latest.length / Math.max(1, judged.length),
    ...Object.fromEntries(
      rivals.flatMap((each) =>
        each.games === 0
          ? []
          : [
              [`opponents/games/${each.name}`, each.games] as const,
              [`opponents/win_rate/${each.name}`, rate(each)] as const,
            ],
      ),
    ),
  };
}
