import {
  counted,
  formatColumn,
  formatDuration,
  formatFileSize,
  formatNumber,
  formatPercent,
  formatUsd,
} from "@laconic/core/text";
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
    <Empty title="Run not found">
      <p>
        The run has not started, was moved or deleted, or is in another folder. <a href={linkTo(["runs"])}>All runs</a>
      </p>
    </Empty>
  );
  return <When {...{ loaded, missing }}>{(detail) => <Run {...{ detail, tab }} />}</When>;
}

function Run({ detail: all, tab }: { detail: RunDetail; tab: string }) {
  const { summary } = all;
  // The reason above is not repeated, unless it names a step.
  const warnings = all.warnings.filter((warning) => warning !== summary.reason || Object.hasOwn(all.warnedAt, warning));
  const detail = { ...all, warnings };
  // Each answer has a new summary.
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
          {summary.state === "half-written" && ". The page shows the intact part."}
          {summary.state === "foreign" && ". The page cannot show it."}
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
      <Tabs tabs={tabs} current={tab} to={(name) => linkTo(["run", summary.id, name])} label="Views of the run" />
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
      <About detail={detail} />
      <Tiles figures={resultsOf(detail)} />
      <Story detail={detail} />
      <h2>Training</h2>
      <Tiles kind="facts" figures={factsOf(detail)} />
      <p>
        {detail.episodes > 0 && (
          <>
            <a href={link("episodes")}>{counted(detail.episodes, "episode")}</a> and{" "}
          </>
        )}
        <a href={link("curves")}>{counted(detail.metrics.length, "curve")}</a>.
      </p>
      {evaluations.length > 0 && (
        <>
          <h2>Evaluations on the validation set</h2>
          <Table label="Evaluations" kind="long" {...{ columns, rows }} />
        </>
      )}
      <Groups {...detail} />
      {detail.environment !== null && (
        <details class="panel">
          <summary>Environment</summary>
          <pre class="mono">
            <SafeText text={JSON.stringify(detail.environment, null, 2)} />
          </pre>
        </details>
      )}
    </section>
  );
}

function About({ detail: { summary, agents } }: { detail: RunDetail }) {
  const { task, model, objective, budgetTokens } = summary;
  const names = agents.map((agent) => visibleLine(agent, 30));
  const shown = names.length > 8 ? [...names.slice(0, 8), `${names.length - 8} more`] : names;
  const settings = [
    ["task", task],
    ["model", model],
    ["objective", objective],
    ["token budget", budgetTokens === null ? null : `${formatNumber(budgetTokens)} per episode`],
  ].flatMap(([name, value]) => (value ? [`${name} ${visibleLine(value, 60)}`] : []));
  if (names.length === 0 && settings.length === 0) return null;
  return (
    <p class="about">
      {names.length > 0 && `Team of ${counted(names.length, "agent")}: ${shown.join(", ")}. `}
      {settings.length > 0 && `Settings: ${settings.join(", ")}.`}
    </p>
  );
}

type Figure = readonly [name: string, value: string];

function Tiles({ figures, kind = "" }: { figures: readonly (Figure | false)[]; kind?: string }) {
  const shown = figures.filter((figure) => figure !== false);
  if (shown.length === 0) return null;
  return (
    <dl class={`tiles ${kind}`}>
      {shown.map(([name, value]) => (
        <div key={name} class="panel">
          <dt>{name}</dt>
          <dd>{value.replaceAll(" %", "\u00A0%")}</dd>
        </div>
      ))}
    </dl>
  );
}

function resultsOf({ summary: { warmStart }, evaluations, test }: RunDetail): readonly (Figure | false)[] {
  const ends = evaluations.length > 1 ? evaluations.filter((_, i, { length }) => i === 0 || i === length - 1) : [];
  const shown = ends.length === 0 ? evaluations : warmStart ? [warmStart.before, ...ends] : ends;
  const accuracies = shown.map(({ accuracy }) => formatPercent(accuracy)).join(" → ");
  const tokens = shown.map((row) => formatNumber(row.tokens)).join(" → ");
  return [
    accuracies !== "" && ["Validation accuracy", accuracies],
    tokens !== "" && ["Tokens per episode", tokens],
    test !== null && [`Test accuracy, ${counted(test.problems, "problem")}`, formatPercent(test.accuracy)],
  ];
}

function factsOf({ summary }: RunDetail): readonly (Figure | false)[] {
  const { plannedSteps, device, state, step, seconds, secondsLeft, bytes, usd } = summary;
  return [
    [plannedSteps === null ? "Steps" : `Steps of ${formatNumber(plannedSteps)}`, formatNumber(step)],
    [`Training time${device === null ? "" : ` on ${visibleLine(device, 30)}`}`, formatDuration(seconds)],
    state === "running" && ["Time left", formatDuration(secondsLeft)],
    usd !== null && ["API cost", formatUsd(usd)],
    ["Folder size", formatFileSize(bytes)],
  ];
}

function Groups({ evaluations: [first, ...others], test }: RunDetail) {
  const last = test ?? others.at(-1);
  const points = [first, last].flatMap((row) => row ?? []);
  const names = [...new Set(points.flatMap(({ groups = {} }) => Object.keys(groups)))];
  if (names.length === 0) return null;
  const columns: readonly Column<string>[] = [
    ["Group", (name) => <SafeLine text={name} max={60} />, "name"],
    ["Problems", (name) => formatNumber(points.at(-1)?.groups?.[name]?.problems), "number"],
    ...points.flatMap((row): Column<string>[] => {
      const column = row === test ? "test" : `step ${row.step}`;
      const measures = new Set(Object.values(row.groups ?? {}).flatMap((group) => Object.keys(group.measures)));
      return [
        [`Accuracy, ${column}`, (name) => formatPercent(row.groups?.[name]?.accuracy), "number"],
        [`Tokens per episode, ${column}`, (name) => formatNumber(row.groups?.[name]?.tokens), "number"],
        ...Array.from(measures, (measure): Column<string> => [
          `${measure.replaceAll("_", " ")}, ${column}`,
          (name) => formatNumber(row.groups?.[name]?.measures[measure]),
          "number",
        ]),
      ];
    }),
  ];
  return (
    <>
      <h2>Evaluations by group of problems</h2>
      <Table label="Evaluations by group" columns={columns} rows={names.toSorted()} />
    </>
  );
}
