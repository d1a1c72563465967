import { describeUnscored } from "@laconic/trainer";
import { formatDuration, formatNumber, formatPercent } from "../cli/format.ts";
import { isReference, referencePlace, referencesAt, referenceTitle } from "../door/reference.ts";
import { renderFrontier, type FrontierPoint } from "./frontier-chart.ts";
import { escapeHtml } from "@laconic/evaluation";
import { renderLineChart, smooth, type LineChart, type Point, type Series } from "./line-chart.ts";
import { scoresOf } from "./unscored.ts";
import { theme } from "./theme.ts";
import { pairTranscripts, renderTranscriptPair, type Transcript } from "./transcripts.ts";

/** One logged step: metric name to value. */
export type MetricRow = Readonly<Record<string, number>>;

/** Everything the report shows, as plain values. */
export interface ReportData {
  readonly name: string;
  readonly rows: readonly MetricRow[];
  readonly evaluations: readonly FrontierPoint[];
  /** How the team ended clearly worse than it began, in words; null where it did not. */
  readonly decline: string | null;
  readonly transcripts: readonly Transcript[];
  /** Mean tokens per episode that the dual controller aims at; null without one. */
  readonly budgetTokens: number | null;
  readonly seconds: number | null;
  readonly device: string;
  readonly seed: string;
  /** Resolved configuration, printed as it is. */
  readonly config: unknown;
  readonly warnings: readonly string[];
}

const smoothing = 8;

/** One self-contained HTML page: no script, no font, no request. */
export function renderReport(data: ReportData): string {
  const [first, last] = [data.evaluations[0], data.evaluations.at(-1)];
  const tiles =
    first && last
      ? [
          tile(`${formatPercent(first.accuracy)} → ${formatPercent(last.accuracy)}`, "accuracy on held-out problems"),
          tile(`${formatNumber(first.tokens)} → ${formatNumber(last.tokens)}`, "tokens per episode"),
          tile(`${formatNumber(first.tokens / last.tokens)}×`, "fewer tokens"),
          tile(data.budgetTokens === null ? "none" : formatNumber(data.budgetTokens), "token budget"),
          tile(data.seconds === null ? "n/a" : formatDuration(data.seconds), `of training steps on ${data.device}`),
        ].join("")
      : "";
  const warnings =
    data.warnings.length === 0
      ? ""
      : `<h2>Warnings</h2><ul>${data.warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join("")}</ul>`;
  const pairs = pairTranscripts(data.transcripts);
  const transcripts =
    pairs.length === 0
      ? `<p class="empty">No problem was recorded both before and after.</p>`
      : pairs.map(renderTranscriptPair).join("");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(data.name)} · Laconic report</title><style>${theme}</style></head><body><main>
<h1>${escapeHtml(data.name)}</h1>
<p class="lead">A team and what it learned: ${escapeHtml(objectiveOf(data))}. Seed ${escapeHtml(data.seed)}, ${data.rows.length} steps.</p>
${data.decline === null ? "" : `<p class="lead" role="alert"><b>Warning:</b> ${escapeHtml(data.decline)}.</p>`}
<div class="tiles">${tiles}</div>
${scores(data)}
${renderFrontier(data.evaluations, data.budgetTokens)}
<h2>Training, step by step</h2>
<p class="lead">Faint lines are single steps; solid lines are means over ${smoothing} steps.</p>
<div class="charts">${charts(data).map(renderLineChart).join("")}</div>
<h2>The same problems, before and after</h2>
${transcripts}
${warnings}
<h2>Configuration</h2>
${ownValues(data)}
<details><summary>Resolved settings</summary><pre>${escapeHtml(JSON.stringify(data.config, null, 2))}</pre></details>
</main></body></html>
`;
}

/** What became of the answers of training, where not all got a score. */
function scores({ rows }: ReportData): string {
  const counts = scoresOf(rows);
  const unscored = counts ? describeUnscored(counts) : "";
  return counts === null || unscored === ""
    ? ""
    : `<p class="lead">${formatNumber(counts.scored)} answers of training were scored; left out without a score: ${escapeHtml(unscored)}.</p>`;
}

/** Values of the user's own by key, what they are called, and the files they come from. */
function ownValues({ config }: ReportData): string {
  const said = referencesAt(config).map(
    ([key, reference]) => `${key}: ${referenceTitle(reference)}, of ${referencePlace(reference)}`,
  );
  return said.length === 0
    ? ""
    : `<p class="lead">Of the user's own, with copies in sources/: ${escapeHtml(said.join("; "))}.</p>`;
}

/** The objective by name, and how many policies learned by it. */
function objectiveOf({ config, rows }: ReportData): string {
  const { train } = config as { readonly train?: { readonly objective?: { readonly name?: string } } };
  const own = train?.objective;
  const policies = names(rows, /^policy\/([\w-]+)\/optim\/lr$/).length;
  const name = isReference(own) ? referenceTitle(own) : (own?.name ?? "gspo");
  return policies > 1 ? `${name}, ${policies} policies` : name;
}

function charts(data: ReportData): LineChart[] {
  const { rows, budgetTokens } = data;
  const policies = names(rows, /^policy\/([\w-]+)\/optim\/lr$/);
  const agents = names(rows, /^silence\/(.+)\/frac$/);
  const terms = names(rows, /^rewards\/(.+)\/mean$/);
  const budgetLine = budgetTokens === null ? [] : [{ y: budgetTokens, label: `budget ${formatNumber(budgetTokens)}` }];
  const step = { xLabel: "step" };
  return [
    {
      ...step,
      title: "Accuracy",
      caption: "Share of training episodes answered correctly, sampled.",
      series: pairOf(rows, "task/accuracy", "accuracy", 1),
      yDomain: [0, 1],
    },
    {
      ...step,
      title: "Tokens per episode",
      caption: "Written by the whole team, end tokens included.",
      series: pairOf(rows, "tokens/episode_mean", "tokens", 2),
      references: budgetLine,
    },
    {
      ...step,
      title: "Price of a token (λ)",
      caption: "The dual variable of Eq. 5: it rises while the team is over budget.",
      series: [series(rows, "budget/tokens/lambda", "λ", 4)],
    },
    {
      ...step,
      title: "Silence",
      caption: "Share of turns in which an agent said nothing.",
      series: agents.map((agent, i) => ({
        ...series(rows, `silence/${agent}/frac`, agent, color(i)),
        points: smooth(pointsOf(rows, `silence/${agent}/frac`), smoothing),
      })),
      yDomain: [0, 1],
    },
    policies.length > 1
      ? {
          ...step,
          title: "Entropy",
          caption: "Mean entropy of a token in nats, by policy.",
          series: policies.map((policy, i) => series(rows, `policy/${policy}/actor/entropy`, policy, color(i))),
        }
      : {
          ...step,
          title: "Clip fraction",
          caption: "Share of messages whose ratio was clipped, by side.",
          series: [
            series(rows, "clip_ratio/low_mean", "below 1 − ε", 1),
            series(rows, "clip_ratio/high_mean", "above 1 + ε", 2),
          ],
        },
    {
      ...step,
      title: "Reward terms",
      caption: "Mean of each term of Eq. 1; costs are negative.",
      series: terms.map((term, i) => series(rows, `rewards/${term}/mean`, term, color(i))),
    },
    ...measureCharts(rows),
  ];
}

/** What rewards count beside their terms: one chart of names alone, and one a family, such as `scheme/fallback`. */
function measureCharts(rows: readonly MetricRow[]): LineChart[] {
  const measures = names(rows, /^measures\/(.+)$/);
  const familyOf = (name: string): string => (name.includes("/") ? name.slice(0, name.indexOf("/")) : "");
  return [...new Set(measures.map((name) => familyOf(name)))].map((family) => ({
    xLabel: "step",
    title: family === "" ? "What the reward counts" : `What the reward counts: ${family}`,
    caption:
      family === "" ? "Mean of each part over the step's episodes." : "Share or mean over the step's episodes of each.",
    series: measures
      .filter((name) => familyOf(name) === family)
      .map((name, i) => series(rows, `measures/${name}`, name.slice(family === "" ? 0 : family.length + 1), color(i))),
  }));
}

/** The raw values, faint, under their trailing mean. */
function pairOf(rows: readonly MetricRow[], metric: string, name: string, hue: Series["color"]): Series[] {
  const points = pointsOf(rows, metric);
  return [
    { name: `${name}, each step`, points, color: hue, faint: true },
    { name, points: smooth(points, smoothing), color: hue },
  ];
}

function series(rows: readonly MetricRow[], metric: string, name: string, hue: Series["color"]): Series {
  return { name, points: pointsOf(rows, metric), color: hue };
}

function pointsOf(rows: readonly MetricRow[], metric: string): Point[] {
  return rows.flatMap((row) => {
    const [x, y] = [row["step"], row[metric]];
    return x === undefined || y === undefined ? [] : [{ x, y }];
  });
}

function names(rows: readonly MetricRow[], pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const key of Object.keys(rows.at(-1) ?? {})) {
    const name = pattern.exec(key)?.[1];
    if (name !== undefined) found.add(name);
  }
  return [...found];
}

function color(index: number): Series["color"] {
  return ((index % 5) + 1) as Series["color"];
}

function tile(value: string, label: string): string {
  return `<div class="tile"><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></div>`;
}
