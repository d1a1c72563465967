import { environmentName, type LedgerCall, type Problem, type Utterance } from "@laconic/core";
import type { Comparisons, Findings, Place } from "../findings.ts";
import type { Played } from "../played.ts";
import type { World } from "../tasks/world.ts";

export interface RecordRules {
  readonly findings: Findings;
  readonly task: string;
  readonly world: World;
  /** A user reward replaces the task's grade. */
  readonly hasOwnReward: boolean;
  /** Agents with recorded tokens; every later turn must have them too. */
  readonly traced: Set<string>;
  readonly texts: Map<string, string>;
}

export function checkEpisode(rules: RecordRules, location: Place, episode: Played, problem: Problem): void {
  rules.findings.at("problem", location).same("problemId", problem.id, episode.problemId);
  checkLedger(rules.findings, location, episode);
  for (const utterance of episode.utterances) checkUtterance(rules, location, utterance, problem, episode);
  checkAnswer(rules, rules.findings.at("text", location), episode);
}

function checkLedger(
  findings: Findings,
  location: Place,
  { utterances, ledger: { calls }, observations = [] }: Played,
): void {
  const turnsOf = (list: readonly (Utterance | LedgerCall)[]): unknown[] =>
    list.map(({ turn, agent, round, opponent = null }) => [turn, agent, round, opponent]);
  findings.at("ledger", location).same("turns of calls", turnsOf(utterances), turnsOf(calls));
  const readers = new Map<number, Set<string>>();
  for (const [i, { agent, turn, writtenTokens, promptTokens, reads }] of calls.entries()) {
    const ledger = findings.at("ledger", { ...location, agent, turn });
    const { trace, writtenTokens: message = Number.NaN } = utterances[i] ?? ({} as Partial<Utterance>);
    ledger.number("writtenTokens", trace?.tokens.length ?? message, writtenTokens);
    ledger.number("writtenTokens of the utterance", writtenTokens, message);
    if (trace) ledger.number("promptTokens", trace.promptTokens.length, promptTokens);
    for (const { from, turn: source, tokens } of reads) {
      const key = `read of turn ${source}`;
      if (from === environmentName) {
        const observed = observations.find((observation) => observation.turn === source);
        ledger.same(`${key}, an observation`, [observed?.agent, observed?.tokens], [agent, tokens]);
        continue;
      }
      readers.set(source, (readers.get(source) ?? new Set()).add(agent));
      ledger.same(`${key}: from`, utterances[source]?.agent, from);
      ledger.number(`${key}: tokens`, deliveredTokens(utterances[source], calls[source], tokens), tokens);
    }
  }
  for (const { agent, turn, deliveredTo } of utterances)
    findings
      .at("ledger", { ...location, agent, turn })
      .same("deliveredTo", [...(readers.get(turn) ?? [])].toSorted(), [...deliveredTo].toSorted());
}

/** Clamps `found` to possible values: no reasoning, and the end token is optional. No lower bound without a trace. */
function deliveredTokens(written: Utterance | undefined, call: LedgerCall | undefined, match: number): number {
  if (!written || written.silent) return 0;
  const most = written.writtenTokens - (call?.reasoningTokens ?? 0);
  const least = written.trace ? most - (written.finishReason === "stop" ? 1 : 0) : 0;
  return Math.min(most, Math.max(least, match));
}

/** Checks text against tokens. If the task's vocabulary is unknown, equal tokens must have equal text. */
function checkUtterance(
  rules: RecordRules,
  location: Place,
  utterance: Utterance,
  problem: Problem,
  episode: Played,
): void {
  const { task, world, findings, traced, texts } = rules;
  const { agent, turn, text, trace, prompt, silent, opponent, finishReason } = utterance;
  const comparisons = findings.at("text", { ...location, agent, turn });
  if (text === "") comparisons.same("silent", true, silent);
  if (opponent !== undefined) return findings.leaveOut("texts of opponents", "their models are not in the folder");
  if (!trace) {
    if (traced.has(agent)) comparisons.same("tokens are recorded", true, false);
    return findings.leaveOut("tokens of other models", agent);
  }
  traced.add(agent);
  const { tokens, logProbs } = trace;
  comparisons.number("log-probs", tokens.length, logProbs.filter((value) => value <= 1e-6).length);
  if (!world.vocabulary) {
    findings.leaveOut(
      "text of tokens",
      `the vocabulary of ${task} is not in the folder, so that prompts are not read either`,
    );
    const key = `${agent} ${tokens.join()}`;
    comparisons.same("text of these tokens elsewhere", texts.get(key) ?? text, text);
    if (texts.size < 200_000) texts.set(key, text);
    return;
  }
  comparisons.same("text", world.vocabulary.textOf(tokens), text);
  comparisons.same("silent", text === "", silent);
  comparisons.same("finishReason", tokens.indexOf(0) === tokens.length - 1 ? "stop" : "length", finishReason);
  const spelled = world.vocabulary.promptOf(trace.promptTokens);
  comparisons.same("prompt", spelled, prompt);
  if (world.prompt) comparisons.same("prompt of the problem", world.prompt(utterance, problem, episode), spelled);
  const missing = world.includes?.(problem, agent).filter((part) => !spelled.includes(part)) ?? [];
  comparisons.same("parts of the problem that the prompt lacks", [], missing);
}

function checkAnswer({ task, world, findings }: RecordRules, comparisons: Comparisons, episode: Played): void {
  const { utterances, answer, outputs } = episode;
  const last = (agent: string, isSpoken: boolean): string | null =>
    utterances.findLast((utterance) => utterance.agent === agent && !(isSpoken && utterance.silent))?.text ?? null;
  if (world.answerer !== undefined) return comparisons.same("answer", last(world.answerer, true), answer);
  if (!world.outputs) return findings.leaveOut("answers", `answering agents of ${task} are unknown`);
  const texts = world.outputs.map((agent) => last(agent, false) ?? "");
  comparisons.same("outputs", Object.fromEntries(world.outputs.map((agent, i) => [agent, texts[i]])), outputs);
  comparisons.same("answer", texts.some((text) => text !== "") ? texts.join("\n\n") : null, answer);
}

export function checkGrade(
  { world, task, hasOwnReward, findings }: RecordRules,
  location: Place,
  episode: Played,
  problem: Problem,
  recorded: Readonly<Record<string, unknown>>,
): void {
  if (hasOwnReward) findings.leaveOut("grades", "the run has a reward of the user");
  else if (!world.grade) findings.leaveOut("grades", `the grader of ${task} is unknown`);
  else if (episode.stopReason !== "error") {
    const grade = world.grade(episode, problem);
    for (const [key, match] of Object.entries(recorded)) findings.at("grade", location).number(key, grade, match);
  }
}
