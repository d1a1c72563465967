import { formatNumber, formatPercent } from "../text/format-number.ts";
import type { ValueSummary } from "./message-value.ts";
import type { Speech, TeamAnalysis } from "./team-analysis.ts";

/** An analysis as Markdown. What agents said stands in code, with marks of its own taken out. */
export function analysisMarkdown({
  step,
  problems,
  cut,
  before,
  after,
  values,
  byAgent,
  extremes,
}: TeamAnalysis): string {
  const row = (name: string, of: (speech: Speech) => string): string => `| ${name} | ${of(before)} | ${of(after)} |`;
  const worth = (name: string, each: ValueSummary): string =>
    `| ${name} | ${each.messages} | ${formatNumber(each.tokens / Math.max(1, each.messages))} | ${(100 * each.meanValue).toFixed(1)} | ${(100 * each.valuePerToken).toFixed(2)} | ${formatPercent(each.usefulTokenRatio)} | ${formatPercent(each.harmfulShare)} |`;
  return [
    `# What the team says, at step ${step}`,
    "",
    `${problems} held-out problems, the same random numbers before and after.`,
    "",
    "| | before training | now |",
    "|---|---|---|",
    row("accuracy", ({ accuracy }) => formatPercent(accuracy)),
    row("episodes without a score, left out", ({ unscored }) => String(unscored)),
    row("tokens written per episode", ({ writtenTokens }) => formatNumber(writtenTokens)),
    row("tokens read per episode", ({ readTokens }) => formatNumber(readTokens)),
    row("tokens that cannot run in parallel", ({ criticalTokens }) => formatNumber(criticalTokens)),
    row("reads of a token that somebody reads", (each) =>
      each.broadcastAmplification === null ? "-" : formatNumber(each.broadcastAmplification),
    ),
    ...Object.keys(after.silence).map((agent) =>
      row(`silent turns of ${code(agent)}`, ({ silence }) => formatPercent(silence[agent] ?? 0)),
    ),
    "",
    "## What a message is worth",
    "",
    `Each message that somebody reads is ${cut === "drop" ? "left out" : "cut to its first half"} in a replay of its episode; points are hundredths of the grade.`,
    "",
    "| agent | messages | tokens each | points each | points per token | useful tokens | harmful messages |",
    "|---|---|---|---|---|---|---|",
    worth("all", values),
    ...Object.entries(byAgent).map(([agent, each]) => worth(code(agent), each)),
    "",
    ...extremes.map(
      ({ agent, text, value }) => `- ${(100 * value).toFixed(0)} points: ${code(agent)} said ${code(text)}`,
    ),
    "",
    "## Who speaks to whom",
    "",
    "![Who speaks to whom](speech-graph.svg)",
    "",
    "## What is said most",
    "",
    "| agent | share before | message | share now | message |",
    "|---|---|---|---|---|",
    ...protocol(before, after),
    "",
  ].join("\n");
}

function protocol(before: Speech, after: Speech): string[] {
  const agents = [...new Set([...before.messages, ...after.messages].map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const own = ({ messages }: Speech): Speech["messages"] => messages.filter((each) => each.agent === agent);
    const [old, now] = [own(before), own(after)];
    return Array.from({ length: Math.max(old.length, now.length) }, (_, i) => {
      const side = (each: Speech["messages"][number] | undefined): string =>
        each ? `${formatPercent(each.share)} | ${code(each.form)}` : " | ";
      return `| ${code(agent)} | ${side(old[i])} | ${side(now[i])} |`;
    });
  });
}

/** Model text inside a Markdown table: on one line, without what would end the cell or the code. */
function code(text: string): string {
  const flat = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("`", "'")
    .replaceAll("|", "\u00a6");
  return `\`${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat === "" ? " " : flat}\``;
}
