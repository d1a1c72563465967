import type { StoredEpisode } from "@laconic/core/run-folder";
import type { Findings, Place } from "./findings.ts";
import type { LedgerCall, LedgerRead, Problem, TokenTrace, Utterance } from "@laconic/core";
import type { AuditedStep } from "./folder/record.ts";
import { gradeOf } from "./rules/rewards.ts";
import type { SecondGrade } from "./second-grades.ts";
import type { TrainSettings } from "./rules/settings.ts";

/** What an episode says of itself twice: tokens of the trace and of the ledger, who read whom, its problem. */
export function checkEpisode(
  findings: Findings,
  place: Place,
  episode: StoredEpisode<Utterance>,
  problem: Problem | null,
): void {
  findings.same("episode", place, "problemId", problem?.id, episode.problemId);
  const { utterances, ledger } = episode;
  findings.number("episode", place, "calls", utterances.length, ledger.calls.length);
  const byTurn = new Map(utterances.map((each) => [each.turn, each]));
  for (const call of ledger.calls) {
    const said = byTurn.get(call.turn);
    const at = { ...place, agent: call.agent, turn: call.turn };
    findings.same("episode", at, "agent", said?.agent, call.agent);
    if (!said) continue;
    const { tokens, promptTokens } = said.trace ?? {};
    findings.number("episode", at, "ledger writtenTokens", tokens?.length ?? said.writtenTokens, call.writtenTokens);
    if (tokens) findings.number("episode", at, "writtenTokens", tokens.length, said.writtenTokens);
    if (promptTokens) findings.number("episode", at, "promptTokens", promptTokens.length, call.promptTokens);
    for (const read of call.reads.filter(({ from }) => from === environment))
      checkObservation(findings, at, read, episode, call);
    for (const read of call.reads.filter(({ from }) => from !== environment))
      checkRead(findings, at, read, byTurn.get(read.turn), call.agent);
  }
}

const environment = "environment";

/** An observation is all that a prompt has beyond the last one and its reply, where tokens were kept. */
function checkObservation(
  findings: Findings,
  place: Place,
  read: LedgerRead,
  { observations = [], utterances, ledger }: StoredEpisode<Utterance>,
  call: LedgerCall,
): void {
  const field = `observation of turn ${read.turn}`;
  const observed = observations.find(({ turn }) => turn === read.turn);
  findings.same("episode", place, `${field}: agent`, observed?.agent, call.agent);
  findings.number("episode", place, `${field}: tokens`, observed?.tokens ?? Number.NaN, read.tokens);
  const before = ledger.calls.find(({ turn }) => turn === read.turn);
  const repeated = (before?.writtenTokens ?? Number.NaN) - (before?.reasoningTokens ?? 0);
  const grown = call.promptTokens - (before?.promptTokens ?? Number.NaN) - repeated;
  findings.number("episode", place, `${field}: growth of the prompt`, Math.max(0, grown), read.tokens);
  const traceOf = (turn: number): TokenTrace | undefined => utterances.find((each) => each.turn === turn)?.trace;
  const [first, second] = [traceOf(read.turn), traceOf(call.turn)];
  if (!first || !second) return;
  const kept = [...first.promptTokens, ...first.tokens];
  const isRewritten = kept.some((token, i) => second.promptTokens[i] !== token);
  findings.same("episode", place, `${field}: rewritten`, isRewritten, observed?.rewritten === true);
}

/** What an environment's steps earned, summed: the team's term, and those of agents. A reward without these terms leaves steps out. */
export function checkStepRewards(
  findings: Findings,
  place: Place,
  { observations = [], score }: StoredEpisode<Utterance>,
): void {
  if (score?.status !== "scored" || !observations.some(({ reward }) => reward !== undefined)) return;
  const { team = {}, agents = {} } = score.reward ?? {};
  const sumOf = (own: (reward: number | Readonly<Record<string, number>>) => number | undefined): number =>
    observations.reduce((sum, { reward }) => sum + ((reward !== undefined && own(reward)) || 0), 0);
  const found = team[environment];
  const expected = sumOf((reward) => (typeof reward === "number" ? reward : 0));
  if (found !== undefined) findings.number("reward", place, "rewards of steps", expected, found);
  for (const [agent, terms] of Object.entries(agents)) {
    if (terms[environment] === undefined) continue;
    const own = sumOf((reward) => (typeof reward === "number" ? 0 : reward[agent]));
    findings.number("reward", { ...place, agent }, "rewards of steps", own, terms[environment]);
  }
}

function checkRead(
  findings: Findings,
  place: Place,
  read: { readonly from: string; readonly turn: number; readonly tokens: number },
  written: Utterance | undefined,
  reader: string,
): void {
  findings.same("episode", place, `reads of turn ${read.turn}: from`, written?.agent, read.from);
  if (!written) return;
  findings.same("episode", place, `reads of turn ${read.turn}: delivered`, true, written.deliveredTo.includes(reader));
  const max = written.silent ? 0 : written.writtenTokens;
  if (read.tokens > max) findings.number("episode", place, `reads of turn ${read.turn}: tokens`, max, read.tokens);
}

/** The grade by a second rule, where there is one and the episode has one. */
export function checkGrade(
  findings: Findings,
  place: Place,
  grade: SecondGrade | null,
  episode: StoredEpisode<Utterance>,
  problem: Problem | null,
): void {
  if (!grade || !problem || episode.score?.status !== "scored") return;
  findings.number("grade", place, "score", grade(episode, problem), gradeOf(episode));
  findings.number("grade", place, "task", grade(episode, problem), episode.score.reward?.team["task"]);
}

/** As many problems and episodes as the settings say, each episode in the group of its problem. */
export function checkGroups(findings: Findings, step: AuditedStep, train: TrainSettings): void {
  const place = { step: step.step };
  if (step.trees) return; // branches end where nobody was scored
  findings.number("episode", place, "problems", train.problemsPerStep, step.problems.filter(Boolean).length);
  if (train.asynchronous?.cutStragglers) return; // a group may train without its slowest
  for (const [group] of step.problems.entries()) {
    const members = step.rollouts.filter((rollout) => rollout.group === group).length;
    findings.number("episode", place, `episodes of group ${group}`, train.episodesPerProblem, members);
  }
}
