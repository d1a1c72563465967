import { counted, formatDuration, formatNumber, formatPercent, formatUsd } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { RunState, RunSummary } from "../../../src/protocol.ts";
import { Badge, Button, Table, type Column } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Choice, SearchField } from "../fields.tsx";
import { goTo, linkTo, setQuery, useRoute, useTitle } from "../navigation.ts";
import { Empty, runStates, StateBadge, When } from "../parts.tsx";
import { all, one } from "../route.ts";
import { useLoaded } from "../server.ts";
import { filterRuns, groupRuns, settingRows, sortRuns, type RunGroup, type RunSort } from "./runs.ts";

const shownAtOnce = 200;

export function RunsPage() {
  const loaded = useLoaded<readonly RunSummary[]>("/runs");
  useTitle("Runs");
  return <When loaded={loaded}>{(runs) => (runs.length === 0 ? <NoRuns /> : <Runs runs={runs} />)}</When>;
}

function Runs({ runs }: { runs: readonly RunSummary[] }) {
  const route = useRoute();
  const [max, setMax] = useState(shownAtOnce);
  const [text, sel] = [one(route, "text"), all(route, "sel")];
  const states = all(route, "state") as readonly RunState[];
  const by = (one(route, "sort") || "updated") as RunSort;
  const isDown = (one(route, "order") || (by === "updated" ? "down" : "up")) === "down";
  const group = one(route, "group");
  const matches = useMemo(
    () => sortRuns(filterRuns(runs, text, states), by, isDown),
    [runs, text, states.join("\n"), by, isDown],
  );
  const groups = useMemo(() => (group === "" ? [] : groupRuns(matches, group)), [matches, group]);
  const shown = group === "" ? matches : groups.flatMap((item) => item.runs);
  const differing = useMemo(() => settingRows(runs).filter(({ isSame }) => !isSame), [runs]);
  const selected = new Set(sel);
  const compared = runs.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const comparable = shown.filter(({ state }) => state !== "foreign").map(({ id }) => id);
  const areAll = comparable.length > 0 && comparable.every((id) => selected.has(id));
  const select = (id: string, isOn: boolean): void =>
    setQuery({ sel: isOn ? [...compared, id] : compared.filter((other) => other !== id) });
  const toggle = (next: string): void => setQuery({ sort: next, order: next === by && !isDown ? "down" : "up" });
  const counts = Object.keys(runStates).map(
    (state) => [state, `${state} (${runs.filter((run) => run.state === state).length})`] as const,
  );
  return (
    <>
      <div class="line heading">
        <h1>Runs</h1>
        <p class="soft">
          {shown.length < runs.length && `${shown.length} of `}
          {counted(runs.length, "run")}
        </p>
      </div>
      <form class="toolbar" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField label="Search" query="text" kind="search-runs" placeholder="name, seed=1, train.steps>100 …" />
        <Choice label="State" query="state" any="all" options={counts} />
        <Choice
          label="Group by"
          query="group"
          any="nothing"
          options={[["seeds", "all settings but the seed"], ...differing.map(({ key }) => key)]}
        />
      </form>
      <div class="line actions">
        <Button disabled={comparable.length === 0} onClick={() => setQuery({ sel: areAll ? [] : comparable })}>
          {areAll ? "Select none" : "Select all shown"}
        </Button>
        <Button
          kind="primary"
          disabled={compared.length === 0}
          onClick={() => goTo({ path: ["compare"], query: { sel: compared } })}
        >
          Compare {compared.length > 0 ? counted(compared.length, "run") : "runs"}
        </Button>
        {compared.length === 0 && <span class="soft small">Select runs to compare them.</span>}
      </div>
      {shown.length === 0 ? (
        <Empty title="No run matches the filters">
          <p>
            <a href={linkTo(["runs"])}>Show all {runs.length} runs</a>, or use fewer search words.
          </p>
        </Empty>
      ) : (
        <Table
          label="Runs"
          kind="runs"
          columns={[
            ["Compare", (run) => <Tick {...{ run, select }} isOn={selected.has(run.id)} />, "tick"],
            ...columns.filter(([title]) => title !== "API cost" || runs.some(({ usd }) => usd !== null)),
          ]}
          titles={titlesOf(groups)}
          rows={shown.slice(0, max)}
          rowClass={({ id }) => (selected.has(id) ? "selected" : "")}
          sort={{ by, isDown, toggle }}
        />
      )}
      {shown.length > max && (
        <Button onClick={() => setMax(max + shownAtOnce)}>Show more ({counted(shown.length - max, "run")} left)</Button>
      )}
    </>
  );
}

interface TickProps {
  readonly run: RunSummary;
  readonly isOn: boolean;
  readonly select: (id: string, isOn: boolean) => void;
}

function Tick({ run: { id, name, state }, isOn, select }: TickProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn}
        disabled={state === "foreign"}
        onChange={(event) => select(id, event.currentTarget.checked)}
      />
      <span class="visually-hidden">
        Compare <SafeLine text={name} />
      </span>
    </label>
  );
}

function titlesOf(groups: readonly RunGroup[]): ReadonlyMap<number, ComponentChildren> {
  let row = 0;
  return new Map(
    groups.map(({ key, label, runs }) => {
      const first = row;
      row += runs.length;
      return [first, <GroupTitle key={key} {...{ label, runs }} />];
    }),
  );
}

function GroupTitle({ label, runs }: Pick<RunGroup, "label" | "runs">) {
  const measured = runs.flatMap(({ after }) => after ?? []);
  const mean = (of: "accuracy" | "tokens"): number => measured.reduce((sum, row) => sum + row[of], 0) / measured.length;
  return (
    <span class="line">
      <b>
        <SafeLine text={label} max={120} />
      </b>
      <span class="soft">{counted(runs.length, "run")}</span>
      {measured.length > 0 && (
        <span class="soft">
          means: {formatPercent(mean("accuracy"))} accuracy, {formatNumber(mean("tokens"))} tokens per episode
        </span>
      )}
      <a class="last" href={linkTo(["compare"], { sel: runs.map(({ id }) => id) })}>
        Compare these
      </a>
    </span>
  );
}

const columns: readonly Column<RunSummary>[] = [
  [
    "Run",
    ({ id, name, folder, objective, device, reason }) => (
      <>
        <a href={linkTo(["run", id])}>
          <SafeLine text={name} />
        </a>
        <span class="line soft small">
          {[folder === name ? "" : folder, objective && `objective ${objective}`, device && `device ${device}`].map(
            (text) => text && <SafeLine text={text} />,
          )}
        </span>
        {reason !== null && (
          <span class="line warn tone small">
            <SafeLine text={reason} max={400} />
          </span>
        )}
      </>
    ),
    "of-run",
    "name",
  ],
  [
    "Task and team",
    ({ task, model, agents }) => (
      <>
        <SafeLine text={task ?? "–"} max={60} />
        <span class="line soft small">
          {model !== null && <SafeLine text={model} max={60} />}
          {agents.length > 0 && (
            <span title={visibleLine(agents.join(", "), 400)}>{counted(agents.length, "agent")}</span>
          )}
        </span>
      </>
    ),
    "task",
    "task",
  ],
  [
    "State",
    (run) => (
      <span class="line">
        <StateBadge run={run} />
        {run.warnings > 0 && (
          <Badge look={["!", "warn"]}>
            {run.warnings}
            <span class="visually-hidden">{run.warnings === 1 ? " warning" : " warnings"}</span>
          </Badge>
        )}
      </span>
    ),
    "",
    "state",
  ],
  [
    "Step",
    ({ step, plannedSteps, state }) => (
      <>
        {formatNumber(step)}
        {plannedSteps !== null && <span class="soft"> of {formatNumber(plannedSteps)}</span>}
        {plannedSteps !== null && state === "running" && (
          <progress max={plannedSteps} value={step} aria-label="Steps done" />
        )}
      </>
    ),
    "number",
    "step",
  ],
  [
    "Time",
    ({ state, seconds, secondsLeft }) =>
      state === "running" ? (
        formatDuration(secondsLeft)
      ) : (
        <span class="soft">{seconds === null ? "–" : `${formatDuration(seconds)} in total`}</span>
      ),
    "number",
    "left",
  ],
  ["Validation accuracy", (run) => <Change run={run} of="accuracy" format={formatPercent} />, "number", "accuracy"],
  ["Tokens per episode", (run) => <Change run={run} of="tokens" format={formatNumber} />, "number", "tokens"],
  ["API cost", ({ usd }) => (usd === null ? <span class="soft">–</span> : formatUsd(usd)), "number", "usd"],
  ["Seed", ({ seed }) => <SafeLine text={seed ?? "–"} max={24} />, "number", "seed"],
  [
    "Last change",
    ({ updated }) => new Date(updated).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }),
    "number soft",
    "updated",
  ],
];

interface ChangeProps {
  readonly run: RunSummary;
  readonly of: "accuracy" | "tokens";
  readonly format: (value: number) => string;
}

/** Change from the model before any warm start, over the first evaluation, to the last. */
function Change({ run: { before, after, warmStart }, of, format }: ChangeProps) {
  if (!after) return <span class="soft">–</span>;
  if (!before || before[of] === after[of]) return <>{format(after[of])}</>;
  return (
    <>
      {warmStart && (
        <span class="soft" title="Before the warm start">
          {format(warmStart.before[of])} <span aria-label="after the warm start">→</span>{" "}
        </span>
      )}
      <span class="soft">{format(before[of])}</span> <span aria-label="to">→</span> {format(after[of])}
    </>
  );
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>
        This page shows the runs in and below the opened folder, also while they train. <code>laconic quickstart</code>{" "}
        trains a small team in minutes. <code>laconic train</code> starts a run.
      </p>
      <p>
        <code>laconic view FOLDER</code> opens another folder.
      </p>
    </Empty>
  );
}
