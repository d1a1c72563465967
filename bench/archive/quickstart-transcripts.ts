// npx tsx bench/archive/quickstart-transcripts.ts RUN: the first and the last recorded conversation of each problem of a run of the
// quickstart, as `docs/results/quickstart-transcripts.jsonl` holds them. RUN is of `npm start -- --seed 0 --run RUN`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { nodeFileSystem, readSettings } from "@laconic/trainer";
import { folderSource, shownEpisodes } from "@laconic/trainer/reading";

const [run] = process.argv.slice(2);
if (run === undefined) throw new Error("name the folder of a run");
const recorded: RecordedEpisode[] = [];
for await (const each of shownEpisodes(folderSource(run), await readSettings(nodeFileSystem, run))) recorded.push(each);
const ids = [...new Set(recorded.map(({ problem }) => problem.id))];
const rows = ids.flatMap((id) => {
  const ofProblem = recorded.filter(({ problem }) => problem.id === id).toSorted((a, b) => a.step - b.step);
  return [ofProblem[0], ofProblem.at(-1)].filter((each) => each !== undefined).map(short);
});
const target = join(import.meta.dirname, "../../docs/results/quickstart-transcripts.jsonl");
writeFileSync(target, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
console.log(`${rows.length} conversations`);

/** What was asked, who knew what, who said what, and whether it was right. */
function short({ step, problem, episode, task }: RecordedEpisode): object {
  const said = episode.utterances.map(({ agent, text, writtenTokens }) => {
    return { agent, knows: problem.views?.[agent] ?? null, says: text, tokens: writtenTokens };
  });
  const { question, gold } = problem;
  return { step, question, gold, said, answer: episode.answer, right: task === 1 };
}
