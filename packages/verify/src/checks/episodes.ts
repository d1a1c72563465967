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
  /** Text of each token sequence, by agent. */
  readonly texts: Map<string, string>;
}

/** Checks an episode against itself and its problem: tokens, ledger, texts, prompts, answer. */
export function checkEpisode(rules: RecordRules, place: Place, episode: Played, problem: Problem): void {
  rules.findings.at("problem", place).same("problemId", problem.id, episode.problemId);
  checkLedger(rules.findings, place, episode);
  for (const utterance of episode.utterances) checkUtterance(rules, place, utterance, problem, episode);
  checkAnswer(rules, rules.findings.at("text", place), episode);
}

function checkLedger(
  findings: Findings,
  place: Place,
  { utterances, ledger: { calls }, observations = [] }: Played,
): void {
  const turnsOf = (list: readonly (Utterance | LedgerCall)[]): unknown[] =>
    list.map(({ turn, agent, round, opponent = null }) => [turn, agent, round, opponent]);
  findings.at("ledger", place).same("turns of calls", turnsOf(utterances), turnsOf(calls));
  const readers = new Map<number, Set<string>>();
  for (const [i, { agent, turn, writtenTokens, promptTokens, reads }] of calls.entries()) {
    const ledger = findings.at("ledger", { ...place, agent, turn });
    const { trace, writtenTokens: said = Number.NaN } = utterances[i] ?? ({} as Partial<Utterance>);
    ledger.number("writtenTokens", trace?.tokens.length ?? said, writtenTokens);
    ledger.number("writtenTokens of the utterance", writtenTokens, said);
    if (trace) ledger.number("promptTokens", trace.promptTokens.length, promptTokens);
    for (const { from, turn: source, tokens } of reads) {
      const key = `read of turn ${source}`;
      if (from === environmentName) {
        const observed = observations.find((each) => each.turn === source);
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
      .at("ledger", { ...place, agent, turn })
      .same("deliveredTo", [...(readers.get(turn) ?? [])].toSorted(), [...deliveredTo].toSorted());
}

/** Clamps `found` to possible values: no reasoning, and the end token is optional. No lower bound without a trace. */
function deliveredTokens(written: Utterance | undefined, call: LedgerCall | undefined, found: number): number {
  if (!written || written.silent) return 0;
  const most = written.writtenTokens - (call?.reasoningTokens ?? 0);
  const least = written.trace ? most - (written.finishReason === "stop" ? 1 : 0) : 0;
  return Math.min(most, Math.max(least, found));
}

/** Checks text against tokens. If the task's vocabulary is unknown, equal tokens must have equal text. */
function checkUtterance(
  rules: RecordRules,
  place: Place,
  utterance: Utterance,
  problem: Problem,
  episode: Played,
): void {
  const { task, world, findings, traced, texts } = rules;
  const { agent, turn, text, trace, prompt, silent, opponent, finishReason } = utterance;
  const at = findings.at("text", { ...place, agent, turn });
  if (text === "") at.same("silent", true, silent);
  if (opponent !== undefined) return findings.leaveOut("texts of opponents", "their models are not in the folder");
  if (!trace) {
    if (traced.has(agent)) at.same("tokens are recorded", true, false);
    return findings.leaveOut("tokens of other models", agent);
  }
  traced.add(agent);
  const { tokens, logProbs } = trace;
  at.number("log-probs", tokens.length, logProbs.filter((value) => value <= 1e-6).length);
  if (!world.vocabulary) {
    findings.leaveOut(
      "text of tokens",
      `the vocabulary of ${task} is not in the folder, so that prompts are not read either`,
    );
    const key = `${agent} ${tokens.join()}`;
    at.same("text of these tokens elsewhere", texts.get(key) ?? text, text);
    if (texts.size < 200_000) texts.set(key, text);
    return;
  }
  at.same("text", world.vocabulary.textOf(tokens), text);
  at.same("silent", text === "", silent);
  at.same("finishReason", tokens.indexOf(0) === tokens.length - 1 ? "stop" : "length", finishReason);
  const spelled = world.vocabulary.promptOf(trace.promptTokens);
  at.same("prompt", spelled, prompt);
  if (world.prompt) at.same("prompt of the problem", world.prompt(utterance, problem, episode), spelled);
  const missing = world.includes?.(problem, agent).filter((part) => !spelled.includes(part)) ?? [];
  at.same("parts of the problem that the prompt lacks", [], missing);
}

function checkAnswer({ task, world, findings }: RecordRules, at: Comparisons, episode: Played): void {
  const { utterances, answer, outputs } = episode;
  const last = (agent: string, isSpoken: boolean): string | null =>
    utterances.findLast((each) => each.agent === agent && !(isSpoken && each.silent))?.text ?? null;
  if (world.answerer !== undefined) return at.same("answer", last(world.answerer, true), answer);
  if (!world.outputs) return findings.leaveOut("answers", `answering agents of ${task} are unknown`);
  const texts = world.outputs.map((agent) => last(agent, false) ?? "");
  at.same("outputs", Object.fromEntries(world.outputs.map((agent, i) => [agent, texts[i]])), outputs);
  at.same("answer", texts.some((text) => text !== "") ? texts.join("\n\n") : null, answer);
}

/** Checks recorded grades against the task's rule, if known. */
export function checkGrade(
  { world, task, hasOwnReward, findings }: RecordRules,
  place: Place,
  episode: Played,
  problem: Problem,
  recorded: Readonly<Record<string, unknown>>,
): void {
  if (hasOwnReward) findings.leaveOut("grades", "the run has a reward of the user");
  else if (!world.grade) findings.leaveOut("grades", `the grader of ${task} is unknown`);
  else if (episode.stopReason !== "error") {
    const grade = world.grade(episode, problem);
    for (const [key, found] of Object.entries(recorded)) findings.at("grade", place).number(key, grade, found);
  }
}
