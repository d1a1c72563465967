import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { MetricSink } from "@laconic/trainer";

/** Custom sink: one table row per validation result. A sink needs only `log`. */
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
