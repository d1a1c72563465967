import { formatCells, formatNumber, formatPercent, formatShare, visibleText } from "@laconic/core/text";
import { markdownOf, type Table } from "@laconic/evaluation";
import type { Speech, TeamAnalysis, ValueSummary } from "@laconic/evaluation/analysis";

/** An analysis as Markdown. What agents said stands in code, with marks of its own taken out. */
export function analysisMarkdown(analysis: TeamAnalysis): string {
  const [summary, worth, edges, said] = analysisTables(analysis);
  // Without the heading that it begins with.
  const under = (table: Table): string[] => [...markdownOf(table).split("\n").slice(2), ""];
  return [
    `# ${analysisTitle(analysis)}`,
    "",
    problemsText(analysis),
    "",
    ...under(summary),
    `## ${worth.title}`,
    "",
    cutSaid(analysis),
    "",
    ...under(worth),
    ...analysis.extremes.map(
      ({ agent, text, value }) => `- ${formatShare(value, 0)} points: ${code(agent)} said ${code(text)}`,
    ),
    "",
    `## ${edges.title}`,
    "",
    ...under(edges),
    `## ${said.title}`,
    "",
    ...under(said),
  ].join("\n");
}

function analysisTitle({ step }: TeamAnalysis): string {
  return `What the team says, at step ${step}`;
}

function problemsText({ problems }: TeamAnalysis): string {
  return `${problems} validation problems, the same random numbers before and after.`;
}

function cutSaid({ cut }: TeamAnalysis): string {
  return `Each message that somebody reads is ${cut === "drop" ? "left out" : "cut to its first half"} in a replay of its episode; points are hundredths of the grade.`;
}

/**
 * An analysis as tables: before and after, what messages are worth, who reads whom, what is said most.
 */
function analysisTables({
  before,
  after,
  valuesBefore,
  values,
  byAgent,
}: TeamAnalysis): readonly [summary: Table, worth: Table, edges: Table, said: Table] {
  const row = (name: string, of: (speech: Speech) => string): string[] => [name, of(before), of(after)];
  const worth = (name: string, each: ValueSummary): (string | number)[] => [
    name,
    String(each.messages),
    each.tokens / Math.max(1, each.messages),
    formatShare(each.meanValue),
    formatShare(each.valuePerToken, 2),
    formatPercent(each.usefulTokenRatio),
    formatPercent(each.harmfulShare),
  ];
  return [
    {
      title: "Before and after",
      columns: ["", "before training", "now"],
      rows: [
        row("accuracy", ({ accuracy }) => formatPercent(accuracy)),
        row("episodes without a score, left out", ({ unscored }) => String(unscored)),
        row("tokens written per episode", ({ writtenTokens }) => formatNumber(writtenTokens)),
        row("tokens read per episode", ({ readTokens }) => formatNumber(readTokens)),
        row("tokens per episode that cannot run in parallel", ({ criticalTokens }) => formatNumber(criticalTokens)),
        row("reads of a token that somebody reads", (each) =>
          each.broadcastAmplification === null ? "-" : formatNumber(each.broadcastAmplification),
        ),
        ...Object.keys(after.silence).map((agent) =>
          row(`silent turns of ${code(agent)}`, ({ silence }) => formatPercent(silence[agent] ?? 0)),
        ),
      ],
    },
    {
      title: "What a message is worth",
      columns: [
        "agent",
        "messages",
        "tokens each",
        "points each",
        "points per token",
        "useful tokens",
        "harmful messages",
      ],
      rows: formatCells([
        ...(valuesBefore ? [worth("all, before training", valuesBefore)] : []),
        worth(valuesBefore ? "all, now" : "all", values),
        ...Object.entries(byAgent).map(([agent, each]) => worth(code(agent), each)),
      ]),
    },
    {
      title: "Who speaks to whom",
      columns: ["from", "to", "tokens read before", "now"],
      rows: edgeRows(before, after),
    },
    {
      title: "What is said most",
      columns: ["agent", "share before", "message before", "share now", "message now"],
      rows: messageRows(before, after),
    },
  ];
}

/** Tokens per episode along each edge. */
function edgeRows(before: Speech, after: Speech): string[][] {
  const pairs = new Map(
    [...before.edges, ...after.edges].map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]),
  );
  return [...pairs.values()].map(({ from, to }) => {
    const tokens = ({ edges }: Speech): string =>
      formatNumber(edges.find((edge) => edge.from === from && edge.to === to)?.tokens ?? 0);
    return [code(from), code(to), tokens(before), tokens(after)];
  });
}

function messageRows(before: Speech, after: Speech): string[][] {
  const agents = [...new Set([...before.messages, ...after.messages].map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const own = ({ messages }: Speech): Speech["messages"] => messages.filter((each) => each.agent === agent);
    const [old, now] = [own(before), own(after)];
    return Array.from({ length: Math.max(old.length, now.length) }, (_, i) => {
      const side = (each: Speech["messages"][number] | undefined): string[] =>
        each ? [formatPercent(each.share), code(each.form)] : ["", ""];
      return [code(agent), ...side(old[i]), ...side(now[i])];
    });
  });
}

/** Model text inside a Markdown table: on one line, without what would end the cell or the code. */
function code(text: string): string {
  const flat = visibleText(text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " "))
    .replaceAll("`", "'")
    .replaceAll("|", "\u00a6");
  return `\`${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat === "" ? " " : flat}\``;
}
