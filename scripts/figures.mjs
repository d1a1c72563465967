// Lists every number of README, docs and the packages' READMEs with what it comes from. `--all` names each, `--lower` lowers the counts of
// `unsourced` in docs/figures.json to what is left: it never raises one; `npm run format` after it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { everyFigure, readFigureList } from "./lib/figures.mjs";
import { root } from "./lib/root.mjs";

const list = readFigureList();
const figures = everyFigure(list);
if (process.argv.includes("--all"))
  for (const { page, line, figure, why } of figures) console.log(`${page}:${line}\t${figure}\t${why ?? "no source"}`);

const total = { numbers: 0, tables: 0, prose: 0 };
for (const page of new Set(figures.map((figure) => figure.page))) {
  const own = figures.filter((figure) => figure.page === page);
  const bare = own.filter(({ why }) => why === null);
  const tables = bare.filter(({ table }) => table).length;
  console.log(`${page}: ${own.length} numbers, without source ${tables} in tables, ${bare.length - tables} in prose`);
  total.numbers += own.length;
  total.tables += tables;
  total.prose += bare.length - tables;
  if (list.unsourced[page] > tables) list.unsourced[page] = tables;
  if (tables === 0) delete list.unsourced[page];
}
console.log(
  `All pages: ${total.numbers} numbers, without source ${total.tables} in tables, ${total.prose} in prose; ${list.sources.length} lines from raw files`,
);
if (process.argv.includes("--lower"))
  writeFileSync(join(root, "docs/figures.json"), `${JSON.stringify(list, null, 2)}\n`);
