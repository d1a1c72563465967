import { formatCells, formatNumber, formatPercent, formatShare, visibleText } from "@laconic/core/text";
import { markdownOf } from "@laconic/evaluation";
import type { Speech, TeamAnalysis, ValueSummary } from "@laconic/evaluation/analysis";

/** Formats an analysis as Markdown. Agent text is escaped code. */
export function analysisMarkdown(analysis: TeamAnalysis): string {
  const { step, problems, cut, before, after, extremes } = analysis;
  const loss = cut === "drop" ? "left out" : "cut to its first half";
  return [
    `# What the team says, at step ${step}`,
    "",
    `${problems} validation problems, the same random numbers before and after.`,
    "",
    ...table(["", "before training", "now"], summaryRows(before, after)),
    "## What a message is worth",
    "",
    `Each message that somebody reads is ${loss} in a replay of its episode; points are hundredths of the grade.`,
    "",
    ...table(
      ["agent", "messages", "tokens each", "points each", "points per token", "useful tokens", "harmful messages"],
      valueRows(analysis),
    ),
    ...extremes.map(({ agent, text, value }) => `- ${formatShare(value, 0)} points: ${code(agent)} said ${code(text)}`),
    "",
    "## Who speaks to whom",
    "",
    ...table(["from", "to", "tokens read before", "now"], edgeRows(before, after)),
    "## What is said most",
    "",
    ...table(["agent", "share before", "message before", "share now", "message now"], messageRows(before, after)),
  ].join("\n");
}

/** Table without title. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [...markdownOf({ title: "", columns, rows }).split("\n").slice(2), ""];
}

function summaryRows(before: Speech, after: Speech): string[][] {
  const row = (name: string, show: (speech: Speech) => string): string[] => [name, show(before), show(after)];
  return [
    row("accuracy", ({ accuracy }) => formatPercent(accuracy)),
    row("episodes without a score, left out", ({ unscored }) => String(unscored)),
    row("tokens written per episode", ({ writtenTokens }) => formatNumber(writtenTokens)),
    row("tokens read per episode", ({ readTokens }) => formatNumber(readTokens)),
    row("tokens per episode that cannot run in parallel", ({ criticalTokens }) => formatNumber(criticalTokens)),
    row("reads of a token that somebody reads", ({ broadcastAmplification: reads }) =>
      reads === null ? "-" : formatNumber(reads),
    ),
    ...Object.keys(after.silence).map((agent) =>
      row(`silent turns of ${code(agent)}`, ({ silence }) => formatPercent(silence[agent] ?? 0)),
    ),
  ];
}

function valueRows({ valuesBefore, values, byAgent }: TeamAnalysis): string[][] {
  const summaries: readonly (readonly [name: string, summary: ValueSummary])[] = [
    ...(valuesBefore ? [["all, before training", valuesBefore] as const] : []),
    [valuesBefore ? "all, now" : "all", values],
    ...Object.entries(byAgent).map(([agent, summary]) => [code(agent), summary] as const),
  ];
  return formatCells(
    summaries.map(([name, summary]) => [
      name,
      String(summary.messages),
      summary.tokens / Math.max(1, summary.messages),
      formatShare(summary.meanValue),
      formatShare(summary.valuePerToken, 2),
      formatPercent(summary.usefulTokenRatio),
      formatPercent(summary.harmfulShare),
    ]),
  );
}

function edgeRows(before: Speech, after: Speech): string[][] {
  const pairs = new Map([...before.edges, ...after.edges].map((edge) => [JSON.stringify([edge.from, edge.to]), edge]));
  return Array.from(pairs.values(), ({ from, to }) => {
    const tokens = ({ edges }: Speech): string =>
      formatNumber(edges.find((edge) => edge.from === from && edge.to === to)?.tokens ?? 0);
    return [code(from), code(to), tokens(before), tokens(after)];
  });
}

function messageRows(before: Speech, after: Speech): string[][] {
  const agents = [...new Set([...before.messages, ...after.messages].map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const [old, now] = [before, after].map(({ messages }) => messages.filter((message) => message.agent === agent));
    const side = (message: Speech["messages"][number] | undefined): string[] =>
      message ? [formatPercent(message.share), code(message.form)] : ["", ""];
    return Array.from({ length: Math.max(old?.length ?? 0, now?.length ?? 0) }, (_, i) => [
      code(agent),
      ...side(old?.[i]),
      ...side(now?.[i]),
    ]);
  });
}

/** Escapes model text for a table cell. */
function code(text: string): string {
  const flat = visibleText(text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " "))
    .replaceAll("`", "'")
    .replaceAll("|", "\u00a6");
  return `\`${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat === "" ? " " : flat}\``;
}
