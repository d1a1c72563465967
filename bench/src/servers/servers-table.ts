import type { MethodCheck } from "./check-method.ts";

/** One row per method over all benchmarks, as Markdown: counts, and the largest share of the plan that one benchmark used. */
export function serversTable(checks: readonly MethodCheck[]): string {
  const methods = [...new Set(checks.map(({ method }) => method))];
  const head = [
    "| method | samples, whole + dealt | calls | prompt tokens | completion tokens | records as the server counts | of the plan: calls | prompt | completion |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  const rows = methods.map((method) => {
    const own = checks.filter((check) => check.method === method);
    const samples = (setting: string): number =>
      own.reduce((sum, check) => sum + (check.setting === setting ? check.samples : 0), 0);
    const served = (key: "calls" | "promptTokens" | "completionTokens"): string =>
      own.reduce((sum, check) => sum + check.served[key], 0).toLocaleString("en-US");
    const most = (key: "calls" | "promptTokens" | "completionTokens"): string =>
      `${(100 * Math.max(...own.map((check) => check.served[key] / check.planned[key]))).toFixed(0)} %`;
    return [
      `\`${method}\``,
      `${samples("whole")} + ${samples("dealt")}`,
      served("calls"),
      served("promptTokens"),
      served("completionTokens"),
      own.every(({ equal }) => equal) ? "to the token" : "**no**",
      most("calls"),
      most("promptTokens"),
      most("completionTokens"),
    ].join(" | ");
  });
  return [...head, ...rows.map((row) => `| ${row} |`)].join("\n");
}
