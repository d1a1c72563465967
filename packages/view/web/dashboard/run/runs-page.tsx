import { useMemo, useState } from "preact/hooks";
import type { RunState, RunSummary } from "../../../src/protocol.ts";
import { counted } from "@laconic/core/text";
import { goTo, linkTo, setQuery, useRoute } from "../navigation.ts";
import { Empty, stateNames, When } from "../parts.tsx";
import { all, one } from "../route.ts";
import { SearchField } from "../search-field.tsx";
import { useLoaded } from "../server.ts";
import { useTitle } from "../title.ts";
import { filterRuns, sortRuns, type RunSort } from "./filter.ts";
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
  const [text, sel] = [one(route, "text"), all(route, "sel")];
  const chosen = all(route, "state") as readonly RunState[];
  const sort = (one(route, "sort") || "updated") as RunSort;
  const descending = (one(route, "order") || (sort === "updated" ? "down" : "up")) === "down";
  const shown = useMemo(
    () => sortRuns(filterRuns(runs, text, chosen), sort, descending),
    [runs, text, chosen.join("\n"), sort, descending],
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
      <Filters runs={runs} chosen={chosen} />
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
            <a href={linkTo(["runs"])}>Show all {runs.length}</a>, or take a word away.
          </p>
        </Empty>
      ) : (
        <div class="scroll">
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
        </div>
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
  readonly chosen: readonly RunState[];
}

function Filters({ runs, chosen }: FiltersProps) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Search" query="text" placeholder="name, device, train.seed=1 …" wide />
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
    </form>
  );
}

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
