import type { RunSummary } from "../../../src/protocol.ts";
import { counted, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { ago } from "../../parts/ago.ts";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { linkTo } from "../navigation.ts";
import { StateBadge } from "../parts.tsx";
import type { RunSort } from "./filter.ts";

interface RunTableProps {
  readonly runs: readonly RunSummary[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isOn: boolean) => void;
  readonly sort: RunSort;
  readonly descending: boolean;
  readonly onSort: (by: RunSort) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const columns: readonly (readonly [RunSort, string])[] = [
  ["name", "Run"],
  ["task", "Task and team"],
  ["state", "State"],
  ["step", "Step"],
  ["left", "Time left"],
  ["accuracy", "Validation accuracy"],
  ["tokens", "Tokens per episode"],
  ["seed", "Seed"],
  ["updated", "Written"],
];

/** Runs as a table on wide screens and as cards on narrow ones. */
export function RunTable(props: RunTableProps) {
  const { runs, sort, descending, onSort } = props;
  return (
    <table class="runs stacked">
      <caption class="visually-hidden">Runs; tick some to compare them</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Compare</span>
          </th>
          {columns.map(([key, name]) => (
            <th key={key} scope="col" aria-sort={sort === key ? (descending ? "descending" : "ascending") : "none"}>
              <button type="button" class="sort" onClick={() => onSort(key)}>
                {name} <span aria-hidden="true">{sort === key ? (descending ? "↓" : "↑") : ""}</span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run, selected, onSelect, now }: RunTableProps & { readonly run: RunSummary }) {
  const { before, after, warmStart, plannedSteps } = run;
  const beforeWarmStart = warmStart?.before;
  const isSelected = selected.has(run.id);
  return (
    <tr class={isSelected ? "selected" : ""}>
      <td class="tick">
        <label>
          <input
            type="checkbox"
            checked={isSelected}
            disabled={run.state === "foreign"}
            onChange={(event) => onSelect(run.id, event.currentTarget.checked)}
          />
          <span class="visually-hidden">
            Compare <SafeLine text={run.name} />
          </span>
        </label>
      </td>
      <td class="name">
        <a href={linkTo(["run", run.id])}>
          <SafeLine text={run.name} />
        </a>
        <span class="soft small">
          {run.folder !== run.name && run.folder !== "" && <SafeLine text={run.folder} />}
          {run.objective !== null && <SafeLine text={run.objective} />}
          {run.device !== null && <SafeLine text={run.device} />}
        </span>
        {run.reason !== null && (
          <span class="reason small">
            <SafeLine text={run.reason} max={400} />
          </span>
        )}
      </td>
      <td data-label="Task and team" class="task">
        {run.task === null ? "–" : <SafeLine text={run.task} max={60} />}
        <span class="soft small">
          {run.model !== null && <SafeLine text={run.model} max={60} />}
          {run.agents.length > 0 && (
            <span title={visibleLine(run.agents.join(", "), 400)}>{counted(run.agents.length, "agent")}</span>
          )}
        </span>
      </td>
      <td data-label="State">
        <span class="badges">
          <StateBadge run={run} />
          {run.warnings > 0 && (
            <span class="badge warn" title="Warnings of the run">
              <span aria-hidden="true">!</span> {run.warnings}
              <span class="visually-hidden">{run.warnings === 1 ? " warning" : " warnings"}</span>
            </span>
          )}
        </span>
      </td>
      <td data-label="Step" class="number">
        {formatNumber(run.step)}
        {plannedSteps !== null && <span class="soft"> of {formatNumber(plannedSteps)}</span>}
        {plannedSteps !== null && run.state === "running" && (
          <progress max={plannedSteps} value={run.step} aria-label="Steps done" />
        )}
      </td>
      <td data-label="Time left" class="number">
        {run.state === "running" ? (
          formatDuration(run.secondsLeft)
        ) : (
          <span class="soft">{run.seconds === null ? "–" : `${formatDuration(run.seconds)} in all`}</span>
        )}
      </td>
      <td data-label="Validation accuracy" class="number">
        <Change first={beforeWarmStart?.accuracy} from={before?.accuracy} to={after?.accuracy} format={formatPercent} />
      </td>
      <td data-label="Tokens per episode" class="number">
        <Change first={beforeWarmStart?.tokens} from={before?.tokens} to={after?.tokens} format={formatNumber} />
      </td>
      <td data-label="Seed" class="number">
        {run.seed === null ? "–" : <SafeLine text={run.seed} max={24} />}
      </td>
      <td data-label="Written" class="number soft" title={ago(now - run.updated)}>
        {new Date(run.updated).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
      </td>
    </tr>
  );
}

function Change(props: {
  /** Before the warm start. */
  readonly first?: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly format: (value: number | undefined) => string;
}) {
  const { first, from, to, format } = props;
  if (to === undefined) return <span class="soft">–</span>;
  if (from === undefined || from === to) return <>{format(to)}</>;
  return (
    <>
      {first !== undefined && (
        <span class="soft" title="The model before its warm start">
          {format(first)} <span aria-label="after the warm start">→</span>{" "}
        </span>
      )}
      <span class="soft">{format(from)}</span> <span aria-label="to">→</span> {format(to)}
    </>
  );
}
