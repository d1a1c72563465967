import { counted, formatColumn, formatDuration, formatFileSize, formatNumber, formatPercent } from "@laconic/core/text";
import type { FamilyTable } from "@laconic/trainer/reading";
import { useRef } from "preact/hooks";
import type { RunDetail } from "../../../src/protocol.ts";
import { Table, type Column } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { Curves } from "../curves/curves.tsx";
import { Episodes } from "../episodes/episodes.tsx";
import { Tabs } from "../fields.tsx";
import { linkTo, useRoute, useTitle } from "../navigation.ts";
import { Empty, Notices, StateBadge, When, Interval } from "../parts.tsx";
import { useLoaded } from "../server.ts";
import { Story } from "../story/story.tsx";
import { Settings } from "./settings.tsx";

const tabs = [
  ["overview", "Overview"],
  ["curves", "Curves"],
  ["episodes", "Episodes"],
  ["settings", "Settings"],
] as const;

export function RunPage() {
  const [, id = "", tab = "overview"] = useRoute().path;
  const loaded = useLoaded<RunDetail>(`/runs/${encodeURIComponent(id)}`);
  useTitle(loaded.value?.summary.name ?? "Run");
  const missing = (
    <Empty title="No such run">
      <p>
        It may not have begun yet, have been moved or deleted, or the page was opened on another folder.{" "}
        <a href={linkTo(["runs"])}>All runs</a>
      </p>
    </Empty>
  );
  return <When {...{ loaded, missing }}>{(detail) => <Run {...{ detail, tab }} />}</When>;
}

function Run({ detail: all, tab }: { detail: RunDetail; tab: string }) {
  const { summary } = all;
  // The reason above is not repeated, unless it names a step.
  const warnings = all.warnings.filter((each) => each !== summary.reason || Object.hasOwn(all.warnedAt, each));
  const detail = { ...all, warnings };
  // Each answer has a new summary; curves refresh when the run grows.
  const runs = useRef([summary]);
  if (runs.current[0]?.id !== summary.id) runs.current = [summary];
  return (
    <>
      <div class="line heading">
        <h1>
          <SafeLine text={summary.name} />
        </h1>
        <StateBadge run={summary} />
      </div>
      {summary.reason !== null && (
        <p class="notice warn">
          <SafeText text={summary.reason} />
          {summary.state === "half-written" && ". The intact part is shown."}
          {summary.state === "foreign" && ". It cannot be shown."}
        </p>
      )}
      {warnings.length > 0 && tab !== "overview" && (
        <section class="notice warn" aria-label="Warnings">
          <Notices all={warnings}>
            {(warning) => (
              <li key={warning}>
                <SafeText text={warning} max={600} />
              </li>
            )}
          </Notices>
        </section>
      )}
      <Tabs tabs={tabs} current={tab} to={(each) => linkTo(["run", summary.id, each])} label="Parts of the run" />
      {tab === "curves" ? (
        <Curves runs={runs.current} />
      ) : tab === "episodes" ? (
        <Episodes detail={detail} />
      ) : tab === "settings" ? (
        <Settings runs={[summary]} />
      ) : (
        <Overview detail={detail} />
      )}
    </>
  );
}

function Overview({ detail }: { detail: RunDetail }) {
  const { summary, evaluations } = detail;
  const { warmStart } = summary;
  const rows = [
    ...(warmStart ? [{ ...warmStart.before, at: `before ${visibleLine(warmStart.said, 60)}` }] : []),
    ...evaluations.map((row) => ({ ...row, at: formatNumber(row.step) })),
  ];
  const tokens = formatColumn(rows.map((row) => row.tokens));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    ["Step", ({ at }) => at, "number"],
    ["Problems", ({ problems }) => formatNumber(problems), "number"],
    ["Accuracy (95 % interval)", ({ accuracy, interval }) => <Interval value={accuracy} interval={interval} />],
    ["Tokens per episode", (_, i) => tokens[i], "number"],
    [
      "Silent turns",
      ({ silence }) =>
        Object.entries(silence)
          .map(([agent, share]) => `${visibleLine(agent, 30)} ${formatPercent(share)}`)
          .join(", "),
      "small silences",
    ],
  ];
  const link = (tab: string): string => linkTo(["run", summary.id, tab]);
  return (
    <section aria-label="Overview">
      <Story detail={detail} />
      <h2>In numbers</h2>
      <dl class="tiles">
        {tilesOf(detail).map(([name, value]) => (
          <div key={name} class="panel">
            <dt>{name}</dt>
            <dd>{value.replaceAll(" %", "\u00A0%")}</dd>
          </div>
        ))}
      </dl>
      <p>
        {detail.episodes > 0 && (
          <>
            <a href={link("episodes")}>{counted(detail.episodes, "conversation")}</a> to read, and{" "}
          </>
        )}
        <a href={link("curves")}>{counted(detail.metrics.length, "curve")}</a>.
      </p>
      {evaluations.length > 0 && (
        <>
          <h2>Evaluations on validation problems</h2>
          <Table label="Evaluations" kind="long" {...{ columns, rows }} />
        </>
      )}
      {detail.families !== null && <Families table={detail.families} />}
      {detail.environment !== null && (
        <details class="panel">
          <summary>Where it ran</summary>
          <pre class="mono">
            <SafeText text={JSON.stringify(detail.environment, null, 2)} />
          </pre>
        </details>
      )}
    </section>
  );
}

type Figure = readonly [name: string, value: string];

function tilesOf({ summary, evaluations, test }: RunDetail): readonly Figure[] {
  const { warmStart, budgetTokens, plannedSteps, device, state, step, seconds, secondsLeft, bytes } = summary;
  const ends = evaluations.length > 1 ? evaluations.filter((_, i, { length }) => i === 0 || i === length - 1) : [];
  const shown = ends.length === 0 ? evaluations : warmStart ? [warmStart.before, ...ends] : ends;
  const accuracies = shown.map(({ accuracy }) => formatPercent(accuracy)).join(" → ");
  const tokens = shown.map((row) => formatNumber(row.tokens)).join(" → ");
  const tested = `accuracy on ${formatNumber(test?.problems)} test problems, measured once`;
  const figures: readonly (Figure | false)[] = [
    accuracies !== "" && ["validation accuracy", accuracies],
    tokens !== "" && ["tokens per episode", tokens],
    test !== null && [tested, formatPercent(test.accuracy)],
    ["token budget per episode", budgetTokens === null ? "none" : formatNumber(budgetTokens)],
    [plannedSteps === null ? "steps" : `of ${formatNumber(plannedSteps)} steps`, formatNumber(step)],
    [`of training${device === null ? "" : ` on ${visibleLine(device, 30)}`}`, formatDuration(seconds)],
    state === "running" && ["left", formatDuration(secondsLeft)],
    ["on disk", formatFileSize(bytes)],
  ];
  return figures.filter((figure) => figure !== false);
}

/** Limit in % for readable text. */
const deepest = 45;

function Families({ table: { columns, rows } }: { table: FamilyTable }) {
  const heat = (share: number): string =>
    `color-mix(in srgb, var(--accent) ${Math.round(deepest * share)}%, transparent)`;
  const all: readonly Column<FamilyTable["rows"][number]>[] = [
    ["Family", ({ family }) => visibleLine(family, 60), "name"],
    ["In training", ({ isTrained }) => (isTrained ? "trained" : "held back")],
    ["Problems", ({ problems }) => formatNumber(problems), "number"],
    ...columns.map(({ measure, at }, i): Column<FamilyTable["rows"][number]> => [
      `${measure}, ${at}`,
      ({ shares: { [i]: share = null } }) => (
        <span class="heat" style={share === null ? {} : { background: heat(share) }}>
          {formatPercent(share, 0)}
        </span>
      ),
      "number",
    ]),
  ];
  return (
    <>
      <h2>By family</h2>
      <p class="small">
        Validation problems by what is new in them. A deeper colour is a larger share; trained families have nothing
        that is held back.
      </p>
      <Table label="By family" columns={all} rows={rows} />
    </>
  );
}
