import type { LedgerCall, LedgerRead, Problem, Utterance } from "@laconic/core";
import type { Findings, Place } from "../findings.ts";
import type { Played } from "../folder/record.ts";
import { isObject } from "../rules/closed-set.ts";
import { gradeOf } from "../rules/rewards.ts";
import type { World } from "../tasks/world.ts";

/** With what the episodes of a run are checked. */
export interface EpisodeRules {
  readonly findings: Findings;
  /** The name of the task, for a report. */
  readonly task: string;
  /** What is known of the task. */
  readonly world: World;
  /** A reward of the user replaces the task's grade. */
  readonly hasOwnReward: boolean;
  /** Agents whose tokens are recorded somewhere, so that they have to be everywhere. */
  readonly traced: Set<string>;
  /** The text of each sequence of tokens, by agent. */
  readonly texts: Map<string, string>;
}

/** An episode against itself and its problem: tokens, ledger, texts, prompts, answer. */
export function checkEpisode(rules: EpisodeRules, place: Place, episode: Played, problem: Problem | null): void {
  const { findings } = rules;
  findings.same("problem", place, "problemId", problem?.id, episode.problemId);
  checkLedger(findings, place, episode);
  for (const utterance of episode.utterances) {
    checkText(rules, place, utterance);
    if (problem) checkPrompt(rules, place, utterance, problem, episode);
  }
  checkAnswer(rules, place, episode);
}

const environment = "environment";

function checkLedger(findings: Findings, place: Place, episode: Played): void {
  const { utterances, ledger } = episode;
  const turnsOf = (list: readonly (Utterance | LedgerCall)[]): unknown[] =>
    list.map(({ turn, agent, round, opponent = null }) => [turn, agent, round, opponent]);
  findings.same(
    "ledger",
    place,
    "turn, agent, round and opponent of calls",
    turnsOf(utterances),
    turnsOf(ledger.calls),
  );
  const byTurn = new Map(utterances.map((each) => [each.turn, each]));
  for (const call of ledger.calls) {
    const said = byTurn.get(call.turn);
    if (!said) continue;
    const at = { ...place, agent: call.agent, turn: call.turn };
    const { tokens, promptTokens } = said.trace ?? {};
    findings.number("ledger", at, "writtenTokens", tokens?.length ?? said.writtenTokens, call.writtenTokens);
    findings.number("ledger", at, "writtenTokens of the utterance", call.writtenTokens, said.writtenTokens);
    if (promptTokens) findings.number("ledger", at, "promptTokens", promptTokens.length, call.promptTokens);
    for (const read of call.reads)
      if (read.from === environment) checkObservation(findings, at, read, episode);
      else checkRead(findings, at, read, byTurn.get(read.turn), ledger.calls[read.turn]);
    const readers = ledger.calls.filter(({ reads }) =>
      reads.some(({ from, turn }) => turn === call.turn && from !== environment),
    );
    const expected = [...new Set(readers.map(({ agent }) => agent))].toSorted();
    findings.same("ledger", at, "deliveredTo", expected, [...said.deliveredTo].toSorted());
  }
}

/** An edge: the writer, and its tokens without the end token and without what it only thought. */
function checkRead(
  findings: Findings,
  place: Place,
  { from, turn, tokens }: LedgerRead,
  written: Utterance | undefined,
  call: LedgerCall | undefined,
): void {
  findings.same("ledger", place, `read of turn ${turn}: from`, written?.agent, from);
  if (!written) return;
  const most = written.silent ? 0 : written.writtenTokens - (call?.reasoningTokens ?? 0);
  // Only a model that counts its own tokens is known to count an end token.
  const least = written.silent || !written.trace ? 0 : most - (written.finishReason === "stop" ? 1 : 0);
  const expected = Math.max(0, Math.min(most, Math.max(least, tokens)));
  findings.number("ledger", place, `read of turn ${turn}: tokens`, expected, tokens);
}

/** What an environment answered is part of the next prompt. */
function checkObservation(findings: Findings, place: Place, { turn, tokens }: LedgerRead, episode: Played): void {
  const observed = episode.observations?.find((each) => each.turn === turn);
  findings.same("ledger", place, `observation of turn ${turn}: agent`, observed?.agent, place.agent);
  findings.number("ledger", place, `observation of turn ${turn}: tokens`, observed?.tokens ?? Number.NaN, tokens);
}

/** Texts that are remembered: a long run has more. */
const maxTexts = 200_000;

/** Tokens to text, by the task's vocabulary where it is known; equal tokens have one text in any case. */
function checkText({ task, world, findings, traced, texts }: EpisodeRules, place: Place, utterance: Utterance): void {
  const { agent, turn, text, trace, silent, opponent, finishReason } = utterance;
  const at = { ...place, agent, turn };
  if (text === "") findings.same("text", at, "silent", true, silent);
  if (opponent !== undefined) return findings.leaveOut("texts of opponents", "their models are not in the folder");
  if (!trace) {
    if (traced.has(agent)) findings.same("text", at, "tokens are recorded", true, false);
    return findings.leaveOut("tokens of other models", agent);
  }
  traced.add(agent);
  const { tokens, logProbs } = trace;
  findings.same(
    "text",
    at,
    "log-probs above 0",
    [],
    logProbs.filter((value) => !(value <= 1e-6)),
  );
  if (world.vocabulary) {
    findings.same("text", at, "text", world.vocabulary.textOf(tokens), text);
    findings.same("text", at, "silent", text === "", silent);
    findings.same(
      "text",
      at,
      "finishReason",
      tokens.indexOf(0) === tokens.length - 1 ? "stop" : "length",
      finishReason,
    );
  } else {
    findings.leaveOut("text of tokens", `the vocabulary of ${task} is not in the folder`);
    const key = `${agent} ${tokens.join()}`;
    findings.same("text", at, "text of these tokens elsewhere", texts.get(key) ?? text, text);
    if (texts.size < maxTexts) texts.set(key, text);
  }
}

/** A prompt is that of the problem, and of what the agent read. */
function checkPrompt(rules: EpisodeRules, place: Place, utterance: Utterance, problem: Problem, episode: Played): void {
  const { world, findings, task } = rules;
  const { agent, turn, trace, prompt } = utterance;
  const at = { ...place, agent, turn };
  if (!world.vocabulary) return findings.leaveOut("prompts", `how ${task} renders them is not known here`);
  if (!trace) return;
  const spelled = world.vocabulary.promptOf(trace.promptTokens);
  findings.same("text", at, "prompt", spelled, prompt);
  findings.same("text", at, "prompt of the problem", world.prompt?.(utterance, problem, episode) ?? spelled, spelled);
  const missing = world.includes?.(problem, agent).filter((part) => !spelled.includes(part)) ?? [];
  findings.same("text", at, "parts of the problem that the prompt lacks", [], missing);
}

function checkAnswer({ task, world, findings }: EpisodeRules, place: Place, episode: Played): void {
  const { utterances, answer, outputs } = episode;
  const last = (agent: string, isSpoken: boolean): string | null =>
    utterances.findLast((each) => each.agent === agent && !(isSpoken && each.silent))?.text ?? null;
  if (world.answerer !== undefined) findings.same("text", place, "answer", last(world.answerer, true), answer);
  else if (world.outputs) {
    const replies = world.outputs.map((agent) => [agent, last(agent, false) ?? ""] as const);
    const texts = replies.map(([, text]) => text);
    findings.same("text", place, "outputs", Object.fromEntries(replies), outputs);
    findings.same("text", place, "answer", texts.some((text) => text !== "") ? texts.join("\n\n") : null, answer);
  } else findings.leaveOut("answers", `who answers in ${task} is not known here`);
}

/** The grade by the task's rule, where it is known; null where it is not. */
export function gradeBy(rules: EpisodeRules, episode: Played, problem: Problem | null): number | null {
  const { world, task, hasOwnReward, findings } = rules;
  if (hasOwnReward) findings.leaveOut("grades", "the run has a reward of the user");
  else if (!world.grade) findings.leaveOut("grades", `the grader of ${task} is not known here`);
  else if (problem && episode.stopReason !== "error") return world.grade(episode, problem);
  return null;
}

/** The recorded score of a training episode by the task's rule, and what the steps of an environment earned. */
export function checkScore(rules: EpisodeRules, place: Place, episode: Played, problem: Problem | null): void {
  const { findings } = rules;
  const { score, observations = [] } = episode;
  const grade = gradeBy(rules, episode, problem);
  if (grade !== null) {
    findings.number("grade", place, "score", grade, gradeOf(episode));
    findings.number("grade", place, "term task", grade, score?.reward?.team["task"]);
  }
  if (score?.status !== "scored" || observations.every(({ reward }) => reward === undefined)) return;
  const { team = {}, agents = {} } = score.reward ?? {};
  for (const [agent, terms] of [[null, team], ...Object.entries(agents)] as const) {
    if (terms[environment] === undefined) continue;
    const earned = observations.map(({ reward = 0 }) =>
      isObject(reward) === (agent !== null)
        ? Number(agent === null ? reward : ((reward as Record<string, number>)[agent] ?? 0))
        : 0,
    );
    const sum = earned.reduce((a, b) => a + b, 0);
    findings.number(
      "reward",
      { ...place, ...(agent !== null && { agent }) },
      "rewards of steps",
      sum,
      terms[environment],
    );
  }
}
