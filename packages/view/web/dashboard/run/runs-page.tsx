import { useMemo, useState } from "preact/hooks";
import type { RunState, RunSummary } from "../../../src/protocol.ts";
import { counted } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { goTo, linkTo, setQuery, useRoute } from "../navigation.ts";
import { Empty, stateNames, When } from "../parts.tsx";
import { all, one } from "../route.ts";
import { SearchField } from "../search-field.tsx";
import { useLoaded } from "../server.ts";
import { useTitle } from "../title.ts";
import { filterRuns, sortRuns, variedSettings, type RunSort } from "./filter.ts";
import { RunTable } from "./run-table.tsx";

const shownAtOnce = 200;
const states = Object.keys(stateNames) as readonly RunState[];

/** All runs of the folder, to filter, sort and choose from. */
export function RunsPage() {
  const loaded = useLoaded<readonly RunSummary[]>("/runs");
  useTitle("Runs");
  return (
    <main id="main" tabIndex={-1}>
      <When loaded={loaded}>{(runs) => (runs.length === 0 ? <NoRuns /> : <Runs runs={runs} />)}</When>
    </main>
  );
}

function Runs({ runs }: { readonly runs: readonly RunSummary[] }) {
  const route = useRoute();
  const [max, setMost] = useState(shownAtOnce);
  const [text, where, sel] = [one(route, "text"), all(route, "where"), all(route, "sel")];
  const chosen = all(route, "state") as readonly RunState[];
  const sort = (one(route, "sort") || "updated") as RunSort;
  const descending = (one(route, "order") || (sort === "updated" ? "down" : "up")) === "down";
  const shown = useMemo(
    () => sortRuns(filterRuns(runs, { text, states: chosen, where }), sort, descending),
    [runs, text, where.join("\n"), chosen.join("\n"), sort, descending],
  );
  const selected = new Set(sel);
  const compared = runs.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const comparable = shown.filter(({ state }) => state !== "foreign").map(({ id }) => id);
  const areAll = comparable.length > 0 && comparable.every((id) => selected.has(id));
  const now = new Date().getTime();
  return (
    <>
      <div class="heading">
        <h1>Runs</h1>
        <p class="soft">
          {shown.length === runs.length
            ? counted(runs.length, "run")
            : `${shown.length} of ${counted(runs.length, "run")}`}
        </p>
      </div>
      <Filters runs={runs} where={where} chosen={chosen} sort={sort} descending={descending} />
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={comparable.length === 0}
          onClick={() => setQuery({ sel: areAll ? [] : comparable })}
        >
          {areAll ? "Select none" : "Select all shown"}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={compared.length < 1}
          onClick={() => goTo({ path: ["compare"], query: { sel: compared } })}
        >
          Compare {compared.length > 0 ? counted(compared.length, "run") : "runs"}
        </button>
        {compared.length === 0 && <span class="soft small">Select runs to compare them.</span>}
      </div>
      {shown.length === 0 ? (
        <Empty title="No run fits these filters">
          <p>
            <a href={linkTo(["runs"])}>Show all {runs.length}</a>, or take away a word or a setting.
          </p>
        </Empty>
      ) : (
        <RunTable
          runs={shown.slice(0, max)}
          selected={selected}
          onSelect={(id, isOn) =>
            setQuery({ sel: isOn ? [...compared, id] : compared.filter((other) => other !== id) })
          }
          sort={sort}
          descending={descending}
          onSort={(by) => setQuery({ sort: by, order: by === sort && !descending ? "down" : "up" })}
          now={now}
        />
      )}
      {shown.length > max && (
        <button type="button" class="button" onClick={() => setMost(max + shownAtOnce)}>
          Show more ({counted(shown.length - max, "run")} left)
        </button>
      )}
    </>
  );
}

interface FiltersProps {
  readonly runs: readonly RunSummary[];
  readonly where: readonly string[];
  readonly chosen: readonly RunState[];
  readonly sort: RunSort;
  readonly descending: boolean;
}

function Filters({ runs, where, chosen, sort, descending }: FiltersProps) {
  const [condition, setCondition] = useState("");
  const varied = useMemo(() => variedSettings(runs), [runs]);
  const add = (): void => {
    if (condition.trim() !== "")
      setQuery({ where: [...where.filter((each) => each !== condition.trim()), condition.trim()] });
    setCondition("");
  };
  return (
    <form class="filters" role="search" onSubmit={(event) => (event.preventDefault(), add())}>
      <SearchField label="Search" query="text" placeholder="name, device, setting …" />
      <label>
        <span>State</span>
        <select
          class="select"
          value={chosen[0] ?? ""}
          onChange={(event) => setQuery({ state: event.currentTarget.value })}
        >
          <option value="">all</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {stateNames[state]} ({runs.filter((run) => run.state === state).length})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Setting</span>
        <input
          class="input"
          list="settings"
          placeholder="train.seed=1"
          value={condition}
          onInput={(event) => setCondition(event.currentTarget.value)}
        />
        <datalist id="settings">
          {[...varied].flatMap(([key, values]) =>
            values.size > 20
              ? [<option key={key} value={`${key}=`} />]
              : [...values].map((value) => (
                  <option key={`${key}=${value}`} value={`${key}=${visibleLine(value, 60)}`} />
                )),
          )}
        </datalist>
      </label>
      <button type="submit" class="button" disabled={condition.trim() === ""}>
        Add
      </button>
      <label>
        <span>Sort by</span>
        <select
          class="select"
          value={`${sort} ${descending ? "down" : "up"}`}
          onChange={(event) => {
            const [by = "", order = ""] = event.currentTarget.value.split(" ");
            setQuery({ sort: by, order });
          }}
        >
          {sorts.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {where.length > 0 && (
        <ul class="chips">
          {where.map((each) => (
            <li key={each}>
              <button
                type="button"
                class="button small"
                onClick={() => setQuery({ where: where.filter((other) => other !== each) })}
              >
                {visibleLine(each, 60)} <span aria-hidden="true">×</span>
                <span class="visually-hidden">: take this filter away</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

const sorts: readonly (readonly [string, string])[] = [
  ["updated down", "newest"],
  ["updated up", "oldest"],
  ["name up", "name A-Z"],
  ["name down", "name Z-A"],
  ["state up", "state A-Z"],
  ["state down", "state Z-A"],
  ["step down", "most steps"],
  ["step up", "fewest steps"],
  ["left up", "least time left"],
  ["left down", "most time left"],
  ["accuracy down", "highest accuracy"],
  ["accuracy up", "lowest accuracy"],
  ["tokens up", "fewest tokens"],
  ["tokens down", "most tokens"],
  ["seed up", "lowest seed"],
  ["seed down", "highest seed"],
  ["warnings down", "most warnings"],
];

function NoRuns() {
  return (
    <Empty title="No runs here yet">
      <p>
        This page shows the run folders below the folder that <code>laconic view</code> was started on. Train a small
        team in a minute with <code>laconic quickstart</code>, or start a run with <code>laconic train</code>: it
        appears here by itself, live while it trains.
      </p>
      <p>
        If there are runs elsewhere, start <code>laconic view FOLDER</code> with their folder.
      </p>
    </Empty>
  );
}
