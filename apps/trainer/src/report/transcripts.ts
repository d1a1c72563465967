import type { Episode, Problem } from "@laconic/core";
import { escapeHtml } from "@laconic/evaluation";

/** A stored conversation about a problem at some step of the run. */
export interface Transcript {
  readonly step: number;
  readonly problem: Problem;
  readonly episode: Episode;
  /** Task reward: 1 is right. */
  readonly task: number;
}

export interface TranscriptPair {
  readonly before: Transcript;
  readonly after: Transcript;
}

/** Pairs the earliest and the latest transcript of each problem that has two. */
export function pairTranscripts(transcripts: readonly Transcript[]): TranscriptPair[] {
  const byProblem = new Map<string, Transcript[]>();
  for (const transcript of transcripts) {
    const list = byProblem.get(transcript.problem.id) ?? [];
    list.push(transcript);
    byProblem.set(transcript.problem.id, list);
  }
  return [...byProblem.values()].flatMap((list) => {
    const sorted = list.toSorted((a, b) => a.step - b.step);
    const [before, after] = [sorted[0], sorted.at(-1)];
    return before && after && before.step < after.step ? [{ before, after }] : [];
  });
}

/** The same problem before and after, side by side. All text is escaped: a model wrote it. */
export function renderTranscriptPair(pair: TranscriptPair): string {
  return `<div class="pair">${renderTranscript(pair.before)}${renderTranscript(pair.after)}</div>`;
}

function renderTranscript({ step, problem, episode, task }: Transcript): string {
  const tokens = episode.utterances.reduce((sum, utterance) => sum + utterance.writtenTokens, 0);
  const turns = episode.utterances
    .map((utterance) => {
      const said = utterance.silent ? `<p class="silent">silent</p>` : `<p>${escapeHtml(utterance.text)}</p>`;
      return `<div class="turn"><header><b>${escapeHtml(utterance.agent)}</b> · ${utterance.writtenTokens} tokens · saw ${escapeHtml(utterance.prompt)}</header>${said}</div>`;
    })
    .join("");
  const right = task === 1;
  return `<section class="talk"><h3>Step ${step}<span>${tokens} tokens</span></h3>${turns}<p class="verdict">Answer ${answerOf(episode)}, expected ${escapeHtml(problem.gold)}: <b class="${right ? "right" : "wrong"}">${right ? "right" : "wrong"}</b></p></section>`;
}

/** Where the answer is nobody's alone, what each of them says. */
function answerOf({ answer, outputs }: Episode): string {
  if (answer === null) return "missing";
  const quoted = (text: string): string => `“${escapeHtml(text)}”`;
  if (!outputs || Object.values(outputs).includes(answer)) return quoted(answer);
  return Object.entries(outputs)
    .map(([agent, text]) => `${escapeHtml(agent)} ${quoted(text)}`)
    .join(", ");
}
