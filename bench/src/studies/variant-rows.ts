// The table of an ablation or a sweep, from the runs that `laconic ablate` and `laconic sweep` keep: Student's t over the seeds, p-values
// after Holm's correction over the table, and scores at the price of a token (0: no scores).
//   npx tsx bench/src/studies/variant-rows.ts --price 0.00317777 docs/benchmarks/quickstart-ablations.json
import { readFileSync } from "node:fs";
import { summariseResults } from "@laconic/report";
import type { VariantResult } from "@laconic/runtime";
import { readOptions } from "../options.ts";

const { values, positionals } = readOptions({
  allowPositionals: true,
  options: { problems: { type: "string", default: "400" }, price: { type: "string", default: "0" } },
});
const results = positionals.flatMap((file): readonly VariantResult[] => {
  const text = readFileSync(file, "utf8").trim();
  return JSON.parse(text.startsWith("[") ? text : `[${text.split("\n").join(",")}]`) as VariantResult[];
});
const price = Number(values.price) || null;
const { rows } = summariseResults(results, Number(values.problems), price);
process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
