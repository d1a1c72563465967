import type { ScoreCounts } from "@laconic/rewards";
import { describeUnscored } from "@laconic/trainer";
import type { ChangesOfStep, FamilyTable, ProbeRecord } from "@laconic/trainer/reading";
import { escapeHtml, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { isReference, referencePlace, referencesAt, referenceTitle } from "@laconic/runtime/resolver";
import { renderLineChart } from "../charts/line-chart.ts";
import { renderHeatMap } from "../charts/heat-map.ts";
import { renderPlane } from "../charts/plane-chart.ts";
import type { Plot } from "../charts/plot-library.ts";
import { htmlPage, tableSection, tiles } from "../pages/html-page.ts";
import { policiesOf, runCharts, smoothing, type MetricRow } from "./run-charts.ts";
import { probeRemarks, probeTable } from "../probe/probe-table.ts";
import { runPlane, type FrontierPoint } from "./run-plane.ts";
import { statesTable, beforeWarmStart, type TeamState } from "./states.ts";
import { tokenChange } from "./figures-text.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { pairTranscripts, renderTranscriptPair } from "./transcripts.ts";

/** Everything the report shows, as plain values. */
export interface ReportData {
  readonly name: string;
  readonly rows: readonly MetricRow[];
  readonly evaluations: readonly FrontierPoint[];
  /** How the team ended clearly worse than it began, in words; null where it did not. */
  readonly decline: string | null;
  /** The team before the warm start where there was one, as training began, and at the end. */
  readonly states: readonly TeamState[];
  /** Shares by family of problems; null where they have none. */
  readonly families: FamilyTable | null;
  /** On the test problems; null for a run that measured none. */
  readonly test: FrontierPoint | null;
  /** On other problems and with other teammates; null where `laconic analyze probe` has not measured it. */
  readonly probe: ProbeRecord | null;
  readonly transcripts: readonly RecordedEpisode[];
  /** What the team plays, in two sentences; null where its task does not say. */
  readonly game: string | null;
  /** Mean tokens per episode that the dual controller aims at; null without one. */
  readonly budgetTokens: number | null;
  /** Settings that were changed while it went on, by step and in words. */
  readonly changes: readonly ChangesOfStep[];
  readonly seconds: number | null;
  readonly device: string;
  readonly seed: string;
  /** Resolved configuration, printed as it is. */
  readonly config: unknown;
  readonly warnings: readonly string[];
}

/** One self-contained HTML page: no script, no font, no request. */
export function renderReport(plot: Plot, data: ReportData): string {
  const { rows, evaluations, budgetTokens, warnings } = data;
  const charts = runCharts(rows, budgetTokens, data.changes).map((chart, i) =>
    renderLineChart(plot, chart, `chart-${i + 1}`),
  );
  const listed = warnings.map((warning) => `<li>${escapeHtml(warning)}</li>`).join("");
  return htmlPage(
    data.name,
    `<p class="lead">A team and what it learned: ${escapeHtml(objectiveOf(data))}. Seed ${escapeHtml(data.seed)}, ${rows.length} ${rows.length === 1 ? "step" : "steps"}.</p>
${data.decline === null ? "" : `<p class="alert" role="alert"><b>Warning:</b> ${escapeHtml(data.decline)}.</p>`}
${tiles(tilesOf(data))}
${scores(data)}
${statesSection(data)}
${data.families ? renderHeatMap(data.families, "families") : ""}
${data.probe ? tableSection(probeTable(data.probe), "probe", probeRemarks(data.probe).join(" ")) : ""}
${renderPlane(plot, runPlane(evaluations, budgetTokens, beforeWarmStart(data.states)), "plane")}
<h2>Training, step by step</h2>
<p class="lead">Faint lines are single steps; solid lines are means over ${smoothing} steps where the legend says so.</p>
${changedSettings(data)}<div class="charts">${charts.join("")}</div>
<h2>The same problems, before and after</h2>
${conversations(data)}
${listed === "" ? "" : `<h2>Warnings</h2><ul>${listed}</ul>`}
<h2>Configuration</h2>
${ownValues(data)}
<details><summary>Resolved settings</summary><pre tabindex="0" aria-label="Resolved settings">${escapeHtml(JSON.stringify(data.config, null, 2))}</pre></details>`,
  );
}

function tilesOf({
  evaluations,
  test,
  states,
  budgetTokens,
  seconds,
  device,
}: ReportData): (readonly [string, string])[] {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  if (!first || !last) return [];
  const earlier = beforeWarmStart(states);
  const kind = test ? "validation" : "test";
  const problems = last.problems === 0 ? `${kind} problems` : `${last.problems} ${kind} problems`;
  return [
    [
      `${earlier ? `${formatPercent(earlier.accuracy)} → ` : ""}${formatPercent(first.accuracy)} → ${formatPercent(last.accuracy)}`,
      `accuracy on ${problems}`,
    ],
    ...(test
      ? [[formatPercent(test.accuracy), `accuracy on ${test.problems} test problems, measured once`] as const]
      : []),
    [
      `${earlier ? `${formatNumber(earlier.tokens)} → ` : ""}${formatNumber(first.tokens)} → ${formatNumber(last.tokens)}`,
      "tokens per episode",
    ],
    [
      tokenChange(first.tokens, last.tokens),
      earlier ? "tokens, from after the warm start to the end" : "tokens, start to end",
    ],
    [budgetTokens === null ? "none" : `${formatNumber(budgetTokens)} tokens`, "budget per episode"],
    [formatDuration(seconds), `of training steps on ${device}`],
  ];
}

/** Where there is more than one beginning, or more than one kind of problems. */
function statesSection({ states, families }: ReportData): string {
  // Kinds of problems have a table of their own then.
  const shown = families ? states.map((state) => ({ ...state, groups: {} })) : states;
  const isPlain = shown.every(({ step, groups }) => step !== null && Object.keys(groups).length === 0);
  return isPlain ? "" : tableSection(statesTable(shown), "states");
}

function conversations({ transcripts, game }: ReportData): string {
  const pairs = pairTranscripts(transcripts);
  if (pairs.length === 0) return `<p>No problem was recorded both before and after.</p>`;
  return `${game === null ? "" : `<p class="game"><b>The game.</b> ${escapeHtml(game)}</p>`}${pairs.map(renderTranscriptPair).join("")}`;
}

/** Most of a visitor's slider are a handful; a list of hundreds is nobody's to read. */
const maxChanges = 50;

function changedSettings({ changes }: ReportData): string {
  if (changes.length === 0) return "";
  const shown = changes
    .slice(0, maxChanges)
    .map(({ step, text }) => `<li>from step ${step} on: ${escapeHtml(text)}</li>`)
    .join("");
  const more = changes.length > maxChanges ? `<li>and ${changes.length - maxChanges} more</li>` : "";
  return `<p class="lead">Settings were changed while it trained, at the dotted lines:</p><ul>${shown}${more}</ul>
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
  const policies = policiesOf(rows).length;
  const name = isReference(own) ? referenceTitle(own) : (own?.name ?? "gspo");
  return policies > 1 ? `${name}, ${policies} policies` : name;
}

/** Answers of all steps by what became of their scores; null for a run from before they were counted. */
function scoresOf(rows: readonly Readonly<Record<string, number>>[]): ScoreCounts | null {
  if (!rows.some((row) => "scoring/scored" in row)) return null;
  const sum = (name: string): number => rows.reduce((total, row) => total + (row[`scoring/${name}`] ?? 0), 0);
  return { scored: sum("scored"), undecided: sum("undecided"), invalid: sum("invalid"), error: sum("error") };
}
