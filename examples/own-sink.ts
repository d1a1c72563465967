import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { MetricSink } from "@laconic/trainer";

/** A sink of one's own: a line for each validation result, in a table that any editor shows. `log` is all that a sink needs. */
export default function validationTable({ directory }: { readonly directory: string }): MetricSink {
  const write = (...cells: readonly string[]): void =>
    appendFileSync(join(directory, "validation.md"), `| ${cells.join(" | ")} |\n`);
  return {
    begin({ name }) {
      write(`step of ${name}`, "accuracy", "tokens");
      write("---", "---", "---");
    },
    log: () => undefined,
    evaluation: ({ step, accuracy, tokens }) =>
      write(String(step), `${(100 * accuracy).toFixed(1)} %`, tokens.toFixed(1)),
  };
}
