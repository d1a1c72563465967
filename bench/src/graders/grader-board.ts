// Other labelled pairs of the grader board's families, JSON lines on standard output.
//   npx tsx bench/src/graders/grader-board.ts --seed 7 | npm run -s laconic -- grade - --board
import { drawBoard } from "../../../packages/grading/test/grader-board/draw-board.ts";
import { readOptions } from "../options.ts";

const { values } = readOptions({ options: { seed: { type: "string", default: "0" } } });
process.stdout.write(
  drawBoard(values.seed)
    .rows.map((row) => `${JSON.stringify(row)}\n`)
    .join(""),
);
