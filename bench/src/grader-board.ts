// Writes the grader's board, JSON lines on standard output: as committed, or with --seed S other pairs of the same templates.
//   npx tsx bench/src/grader-board.ts > apps/trainer/assets/grader-board.jsonl
//   npx tsx bench/src/grader-board.ts --seed 7 | npm run -s laconic -- grade - --board
import { parseArgs } from "node:util";
import { boardOf, boardSeed } from "./grader-board/board.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: boardSeed }, rounds: { type: "string", default: "25" } },
});
process.stdout.write(
  boardOf(values.seed, Number(values.rounds))
    .rows.map((row) => `${JSON.stringify(row)}\n`)
    .join(""),
);
