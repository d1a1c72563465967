// npx tsx bench/archive/quickstart-transcripts.ts RUN: the first and the last recorded conversation of each problem of a run of the
// quickstart, as `docs/results/quickstart-transcripts.jsonl` holds them. RUN is of `npm start -- --seed 0 --run RUN`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Episode, Problem } from "@laconic/core";

interface Recorded {
  readonly step: number;
  readonly problem: Problem;
  readonly episode: Episode;
  readonly task: number;
}

const [run] = process.argv.slice(2);
if (run === undefined) throw new Error("name the folder of a run");
const json = (text: string): unknown => JSON.parse(text);
const recorded = readFileSync(join(run, "episodes.jsonl"), "utf8").trim().split("\n").map(json) as Recorded[];
const ids = [...new Set(recorded.map(({ problem }) => problem.id))];
const rows = ids.flatMap((id) => {
  const ofProblem = recorded.filter(({ problem }) => problem.id === id).toSorted((a, b) => a.step - b.step);
  return [ofProblem[0], ofProblem.at(-1)].filter((each) => each !== undefined).map(short);
});
const target = join(import.meta.dirname, "../../docs/results/quickstart-transcripts.jsonl");
writeFileSync(target, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
console.log(`${rows.length} conversations`);

/** What was asked, who knew what, who said what, and whether it was right. */
function short({ step, problem, episode, task }: Recorded): object {
  const said = episode.utterances.map(({ agent, text, writtenTokens }) => {
    return { agent, knows: problem.views?.[agent] ?? null, says: text, tokens: writtenTokens };
  });
  const { question, gold } = problem;
  return { step, question, gold, said, answer: episode.answer, right: task === 1 };
}
