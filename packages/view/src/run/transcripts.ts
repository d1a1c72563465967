import type { Episode, Problem, Utterance } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { escapeHtml } from "@laconic/core/text";
import { longText } from "../pages/html-page.ts";

/** The earliest and the latest transcript of each problem that has two. */
export function pairTranscripts(
  transcripts: readonly RecordedEpisode[],
): (readonly [before: RecordedEpisode, after: RecordedEpisode])[] {
  const byProblem = new Map<string, RecordedEpisode[]>();
  for (const transcript of transcripts) {
    const list = byProblem.get(transcript.problem.id) ?? [];
    list.push(transcript);
    byProblem.set(transcript.problem.id, list);
  }
  return [...byProblem.values()].flatMap((list) => {
    const sorted = list.toSorted((a, b) => a.step - b.step);
    const [before, after] = [sorted[0], sorted.at(-1)];
    return before && after && before.step < after.step ? [[before, after] as const] : [];
  });
}

/** The same problem before and after, side by side. All text is escaped: a model wrote it. */
export function renderTranscriptPair(
  [before, after]: readonly [before: RecordedEpisode, after: RecordedEpisode],
  i: number,
): string {
  const { question, gold } = before.problem;
  return `<section aria-labelledby="problem-${i}"><h3 class="question" id="problem-${i}">Problem ${i + 1}</h3><div class="asked">Asked: ${quoted(question)}. Right is ${quoted(gold)}.</div><div class="pair">${renderTranscript(before, "Before training")}${renderTranscript(after, "After training")}</div></section>`;
}

function renderTranscript({ step, problem, episode, task }: RecordedEpisode, when: string): string {
  const { utterances } = episode;
  const tokens = utterances.reduce((sum, utterance) => sum + utterance.writtenTokens, 0);
  const turns = utterances.map((utterance, i) => renderTurn(utterance, utterances.slice(0, i), problem)).join("");
  const verdict = task === 1 ? `<b class="right">right</b>` : `<b class="wrong">wrong</b>`;
  return `<article class="talk"><h4>${when}<span>step ${step} · ${countOf(tokens)}</span></h4><ol class="turns">${turns}</ol><div class="verdict">Answer ${answerOf(episode)}, expected ${quoted(problem.gold)}: ${verdict}</div>${renderPrompts(utterances)}</article>`;
}

/** Nothing where no prompt is known: records of earlier versions hold none. */
function renderPrompts(utterances: readonly Utterance[]): string {
  if (utterances.every(({ prompt }) => prompt === "")) return "";
  const prompts = utterances.map(({ agent, prompt }) => `<dt>${escapeHtml(agent)}</dt><dd>${longText(prompt)}</dd>`);
  return `<details><summary>Prompts as the models read them</summary><dl class="prompts">${prompts.join("")}</dl></details>`;
}

/** What one agent knew alone, what reached it since its last turn, and what it said. */
function renderTurn(turn: Utterance, earlier: readonly Utterance[], { views }: Problem): string {
  const { agent, text, silent, writtenTokens } = turn;
  const own = views && Object.hasOwn(views, agent) ? views[agent] : undefined;
  const since = earlier.findLastIndex((each) => each.agent === agent);
  const received = earlier
    .slice(since + 1)
    .filter((each) => !each.silent && each.deliveredTo.includes(agent))
    .map((each) => `<dd class="heard"><b><bdi>${escapeHtml(each.agent)}</bdi>:</b> ${longText(each.text)}</dd>`);
  const rows = [
    own === undefined ? "" : `<dt>knows</dt><dd class="fact">${longText(own)}</dd>`,
    received.length === 0 ? "" : `<dt>heard</dt>${received.join("")}`,
    `<dt>says</dt>${silent ? `<dd class="silent">nothing</dd>` : `<dd class="says">${longText(text)}</dd>`}`,
  ];
  return `<li class="turn"><h5><bdi>${escapeHtml(agent)}</bdi> <span>· ${countOf(writtenTokens)}</span></h5><dl>${rows.join("")}</dl></li>`;
}

function countOf(tokens: number): string {
  return tokens === 1 ? "1 token" : `${tokens} tokens`;
}

/** Where the answer is nobody's alone, what each of them says. */
function answerOf({ answer, outputs }: Episode): string {
  if (answer === null) return "missing";
  if (!outputs || Object.values(outputs).includes(answer)) return quoted(answer);
  return Object.entries(outputs)
    .map(([agent, text]) => `${escapeHtml(agent)} ${quoted(text)}`)
    .join(", ");
}

function quoted(text: string): string {
  return `“${longText(text)}”`;
}
