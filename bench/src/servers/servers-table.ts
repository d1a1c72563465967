import type { MethodCheck } from "./check-method.ts";

/** One row per method over all benchmarks and settings, as Markdown: counts by server, the largest share of the plan of any cell, and where a turn was not taken. */
export function serversTable(checks: readonly MethodCheck[]): string {
  const servers = [...new Set(checks.map(({ server }) => server))];
  const names = [...new Set(checks.map(({ method }) => method))];
  const heads = [
    "method",
    ...servers.map((server) => `\`${server}\`: cells, questions, calls, prompt tokens`),
    "of the plan: calls, prompt, completion tokens",
    "a turn was not taken on",
  ];
  const row = (title: string, own: readonly MethodCheck[]): string[] => [
    title,
    ...servers.map((server) => countsOf(own.filter((check) => check.server === server))),
    usage
      .map((key) => `${(100 * Math.max(...own.map((each) => each.served[key] / each.planned[key]))).toFixed(0)} %`)
      .join(", "),
    [...new Set(own.filter(({ missing }) => missing.length > 0).map(({ benchmark }) => benchmark))].join(", "),
  ];
  const rows = names.map((name) =>
    row(
      `\`${name}\``,
      checks.filter(({ method }) => method === name),
    ),
  );
  const lines = [heads, heads.map(() => "---"), ...rows, row("all", checks)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

const usage = ["calls", "promptTokens", "completionTokens"] as const;

function countsOf(checks: readonly MethodCheck[]): string {
  if (checks.length === 0) return "–";
  const sum = (value: (check: MethodCheck) => number): string =>
    checks.reduce((total, check) => total + value(check), 0).toLocaleString("en-US");
  const [samples, calls, tokens] = [
    sum((check) => check.samples),
    sum(({ served }) => served.calls),
    sum(({ served }) => served.promptTokens),
  ];
  return `${checks.length}; ${samples}; ${calls}; ${tokens}`;
}
