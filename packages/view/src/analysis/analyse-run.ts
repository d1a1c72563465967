import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type Episode } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { formatNumber, formatPercent, formatShare, visibleText } from "@laconic/core/text";
import { markdownOf, tableOf, type Table } from "@laconic/evaluation";
import {
  analyseTeam,
  messageValues,
  type Cut,
  type MessageValue,
  type PlayedTeam,
  type TeamAnalysis,
  type Speech,
  type SpeechEdge,
  type ValueSummary,
} from "@laconic/evaluation/analysis";
import { scoreValue } from "@laconic/rewards";
import {
  configOfRun,
  findRun,
  openFoundRun,
  openRun,
  type FoundRun,
  type OpenedParts,
  type Progress,
  type RunChoice,
} from "@laconic/runtime";
import { actorSpending, type ActorCap } from "@laconic/runtime/spending";
import {
  livePolicies,
  modelsOf,
  rewardOf,
  scorer,
  scoringFailure,
  scoringReport,
  type TrainConfig,
  evaluationSampling,
} from "@laconic/trainer";

/** Options of `analyseRun`. */
export interface AnalyseOptions extends RunChoice {
  readonly problems: number;
  readonly seed: string;
  readonly cut: Cut;
}

/** A line of `message-values.jsonl`. */
export interface WorthOfMessage extends MessageValue {
  readonly step: number;
  readonly cut: Cut;
  readonly problem: string;
}

/** Team analysis and values of its messages. */
export interface RunAnalysis {
  readonly analysis: TeamAnalysis;
  readonly messages: readonly WorthOfMessage[];
}

interface Played extends PlayedTeam {
  readonly worth: readonly Omit<WorthOfMessage, "step" | "cut">[];
}

/**
 * Measures a run's messages and their value on validation problems before and after training.
 * @throws LaconicError `run_missing`, `checkpoint_missing`, `checkpoint_corrupt`; `scoring_failed` for too few scores
 */
export async function analyseRun(
  directory: string,
  options: AnalyseOptions,
  progress: Progress,
  cap: ActorCap = {},
): Promise<RunAnalysis> {
  const spending = await actorSpending((await configOfRun(directory)).actor, cap);
  const played = async ({ parts, close }: OpenedParts, { train }: FoundRun["config"]): Promise<Played> => {
    try {
      return await play(parts, options, train);
    } finally {
      await close();
    }
  };
  const first = await findRun(directory, options);
  const before = await played(await openFoundRun(first, progress, { trained: false, spending }), first.config);
  const { opened, config, state } = await openRun(directory, options, async (foundRun) => ({
    ...foundRun,
    opened: await openFoundRun(foundRun, progress, { spending }),
  }));
  const after = await played(opened, config);
  const { step } = state;
  const messages = after.worth.map((item) => ({ step, cut: options.cut, ...item }));
  return { analysis: analyseTeam(before, after, { step, cut: options.cut }), messages };
}

async function play(
  parts: Parameters<typeof livePolicies>[0],
  { problems, seed, cut }: AnalyseOptions,
  config: TrainConfig,
): Promise<Played> {
  const { limits, onAgentError: onError, scoring } = config;
  const sampling = evaluationSampling(config);
  const { topology } = parts.task;
  // The dashboard shows message values with the evaluated problems.
  const testProblems = parts.task.validation ?? parts.task.testProblems;
  const scoreOf = scorer(rewardOf(parts.task), scoring);
  const models = modelsOf(parts, livePolicies(parts));
  const random = randomFromSeed(seed).split("analysis");
  const results = await Promise.all(
    testProblems.slice(0, problems).map(async (problem, i) => {
      const context = { models, sampling, limits, onError, random: random.split(i), isEvaluation: true };
      const judge = { score: (episode: Episode) => scoreOf(episode, problem), valueOf: scoreValue };
      return messageValues(topology, problem, context, judge, cut);
    }),
  );
  const failure = scoringFailure(scoringReport(results.map(({ score }) => score)), scoring, "the analysis");
  if (failure) throw failure;
  return {
    agents: topology.agents,
    episodes: results.map(({ episode }) => episode),
    grades: results.map(({ score }) => scoreValue(score)),
    values: results.flatMap(({ values }) => values),
    worth: results.flatMap(({ episode, values }) => values.map((value) => ({ problem: episode.problemId, ...value }))),
  };
}

/** Writes `analysis.json`, `analysis.md` and `message-values.jsonl`; returns the Markdown. */
export async function writeAnalysis(run: string, { analysis, messages }: RunAnalysis): Promise<string> {
  const markdown = analysisMarkdown(analysis);
  await writeFile(join(run, "analysis.json"), `${JSON.stringify(analysis, null, 2)}\n`);
  await writeFile(join(run, "analysis.md"), markdown);
  await writeFile(
    join(run, "message-values.jsonl"),
    messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
  );
  return markdown;
}

/** Formats an analysis as Markdown. Agent text is escaped code. */
export function analysisMarkdown(analysis: TeamAnalysis): string {
  const { step, problems, cut, before, after, extremes } = analysis;
  const loss = cut === "drop" ? "removed" : "cut to its first half";
  return [
    `# Messages of the team at step ${step}`,
    "",
    `${problems} validation problems, the same random numbers before and after.`,
    "",
    markdownOf({ title: "", columns: ["", "before training", "now"], rows: summaryRows(before, after) }),
    "",
    "## Message value",
    "",
    `In a replay of its episode, each message with a reader is ${loss}. Points are hundredths of the grade.`,
    "",
    markdownOf(valueTable(analysis)),
    "",
    ...extremes.map(({ agent, text, value }) => `- ${formatShare(value, 0)} points: ${code(agent)} said ${code(text)}`),
    "",
    markdownOf(edgeTable(before, after)),
    "",
    markdownOf(messageTable(before, after)),
    "",
  ].join("\n");
}

function summaryRows(before: Speech, after: Speech): string[][] {
  const row = (name: string, show: (speech: Speech) => string): string[] => [name, show(before), show(after)];
  return [
    row("accuracy", ({ accuracy }) => formatPercent(accuracy)),
    row("episodes without a score", ({ unscored }) => String(unscored)),
    row("tokens written per episode", ({ writtenTokens }) => formatNumber(writtenTokens)),
    row("tokens read per episode", ({ readTokens }) => formatNumber(readTokens)),
    row("tokens per episode that cannot run in parallel", ({ criticalTokens }) => formatNumber(criticalTokens)),
    row("reads of each token with a reader", ({ broadcastAmplification: reads }) =>
      reads === null ? "-" : formatNumber(reads),
    ),
    ...Object.keys(after.silence).map((agent) =>
      row(`silent turns of ${code(agent)}`, ({ silence }) => formatPercent(silence[agent] ?? 0)),
    ),
  ];
}

function valueTable({ valuesBefore, values, byAgent }: TeamAnalysis): Table {
  const summaries: readonly (readonly [name: string, summary: ValueSummary])[] = [
    ...(valuesBefore ? [["all, before training", valuesBefore] as const] : []),
    [valuesBefore ? "all, now" : "all", values],
    ...Object.entries(byAgent).map(([agent, summary]) => [code(agent), summary] as const),
  ];
  return tableOf("", summaries, [
    ["agent", ([name]) => name],
    ["messages", ([, { messages }]) => String(messages)],
    ["tokens each", ([, { tokens, messages }]) => tokens / Math.max(1, messages)],
    ["points each", ([, { meanValue }]) => formatShare(meanValue)],
    ["points per token", ([, { valuePerToken }]) => formatShare(valuePerToken, 2)],
    ["useful tokens", ([, { usefulTokenRatio }]) => formatPercent(usefulTokenRatio)],
    ["harmful messages", ([, { harmfulShare }]) => formatPercent(harmfulShare)],
  ]);
}

function edgeTable(before: Speech, after: Speech): Table {
  const pairs = grouped([...before.edges, ...after.edges], ({ from, to }) => [from, to]).map(([edge]) => edge);
  const tokens = ({ edges }: Speech, { from, to }: SpeechEdge): string =>
    formatNumber(edges.find((edge) => edge.from === from && edge.to === to)?.tokens ?? 0);
  return tableOf("Messages between agents", pairs, [
    ["from", ({ from }) => code(from)],
    ["to", ({ to }) => code(to)],
    ["tokens read before", (edge) => tokens(before, edge)],
    ["now", (edge) => tokens(after, edge)],
  ]);
}

function messageTable(before: Speech, after: Speech): Table {
  const agents = [...new Set([...before.messages, ...after.messages].map(({ agent }) => agent))];
  const rows = agents.flatMap((agent) => {
    const [old, now] = [before, after].map(({ messages }) => messages.filter((message) => message.agent === agent));
    const side = (message: Speech["messages"][number] | undefined): string[] =>
      message ? [formatPercent(message.share), code(message.form)] : ["", ""];
    return Array.from({ length: Math.max(old?.length ?? 0, now?.length ?? 0) }, (_, i) => [
      code(agent),
      ...side(old?.[i]),
      ...side(now?.[i]),
    ]);
  });
  const columns = ["agent", "share before", "message before", "share now", "message now"];
  return { title: "Most frequent messages", columns, rows };
}

function code(text: string): string {
  const flat = visibleText(text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, " "))
    .replaceAll("`", "'")
    .replaceAll("|", "\u00a6");
  return `\`${flat.length > 80 ? `${flat.slice(0, 80)}…` : flat === "" ? " " : flat}\``;
}
