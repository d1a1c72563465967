import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";
import { total, type Numbers } from "../rules/numbers.ts";
import type { StepContext } from "../memory.ts";
import { ownSaid } from "../rules/opponents.ts";
import type { AuditedStep } from "../folder/record.ts";
import { costRows, creditOf, earned, gradeOf, measured, tokensOf } from "../rules/rewards.ts";
import type { TrainSettings } from "../rules/settings.ts";
import type { Judged } from "../step-facts.ts";

/**
 * Rollouts with what they earned.
 * @param agents - whose words cost; the team's when null
 */
export function judge(
  { findings }: StepContext,
  step: AuditedStep,
  settings: TrainSettings,
  prices: Numbers,
  agents: readonly string[] | null,
): Judged[] {
  const rows = costRows(settings);
  for (const [name, cost] of Object.entries(rows))
    if (cost === null) findings.leaveOut(`cost ${name}`, "it is user-defined; its recorded units are taken");
  const known = Object.fromEntries(Object.entries(prices).filter(([name]) => Object.hasOwn(rows, name)));
  const priced = (episode: StoredEpisode<Utterance>, recorded: Judged["row"]["costs"]): Judged["own"] => {
    const said = agents ? tokensOf(episode, agents) : episode;
    const all = measured(settings, said, recorded);
    const own = settings.opponents ? measured(settings, ownSaid(said), recorded) : all;
    const isPriced = (cost: string): boolean => settings.opponents?.priced.includes(cost) ?? true;
    const costs = Object.fromEntries(
      Object.keys(all).map((name) => [name, (isPriced(name) ? all : own)[name] ?? Number.NaN]),
    );
    return earned(settings, episode, costs, known);
  };
  return step.rollouts.map((row, i) => {
    const episode = step.episodes[row.episode] as StoredEpisode<Utterance>;
    const problem = step.problems[row.group] ?? null;
    const own = priced(episode, row.costs);
    const rewardAt = (at: number | undefined): number =>
      at === undefined ? own.reward : priced(step.episodes[at] as StoredEpisode<Utterance>, row.costs).reward;
    const ofTask = episode.score?.reward?.team ?? { task: gradeOf(episode) };
    const agentTerms = Object.entries(episode.score?.reward?.agents ?? {});
    const turnTerms = Object.entries(episode.score?.reward?.turns ?? {});
    const greedy = row.greedy === undefined ? Number.NaN : rewardAt(row.greedy);
    return {
      row,
      episode,
      problem,
      own,
      place: { step: step.step, episode: i, problem: episode.problemId },
      credit: creditOf(settings, episode, own, row, (agent) => rewardAt(row.without?.[agent]), ofTask),
      agentRewards: new Map(agentTerms.map(([agent, terms]) => [agent, total(Object.values(terms))])),
      turnRewards: new Map(turnTerms.map(([turn, terms]) => [Number(turn), total(Object.values(terms))])),
      greedyReward: greedy,
    };
  });
}
