import { counted } from "@laconic/core/text";
import { useMemo } from "preact/hooks";
import type { RunSummary } from "../../src/protocol.ts";
import { SafeLine } from "../parts/text.tsx";
import { Curves } from "./curves/curves.tsx";
import { Tabs } from "./fields.tsx";
import { linkTo, setQuery, useRoute, useTitle } from "./navigation.ts";
import { Empty, StateBadge, When } from "./parts.tsx";
import { Plane } from "./plane/plane.tsx";
import { all } from "./route.ts";
import { Settings } from "./run/settings.tsx";
import { useLoaded } from "./server.ts";

const tabs = [
  ["curves", "Curves"],
  ["plane", "Accuracy and tokens"],
  ["settings", "Settings"],
] as const;

const maxListed = 12;

export function ComparePage() {
  const loaded = useLoaded<readonly RunSummary[]>("/runs");
  useTitle("Comparison");
  const route = useRoute();
  const tab = route.path[1] ?? "curves";
  const ids = all(route, "sel");
  const list = loaded.value;
  const runs = useMemo(() => ids.flatMap((id) => list?.find((run) => run.id === id) ?? []), [list, ids.join("\n")]);
  if (list === null) return <When loaded={loaded}>{() => null}</When>;
  if (runs.length === 0)
    return (
      <Empty title="No runs selected">
        <p>
          Select runs in the <a href={linkTo(["runs"])}>run list</a>, then press Compare.
        </p>
      </Empty>
    );
  return (
    <>
      <div class="line heading">
        <h1>Comparison of {counted(runs.length, "run")}</h1>
        <a class="soft" href={linkTo(["runs"], { sel: ids })}>
          Change the selection
        </a>
      </div>
      <ul class="line list">
        {runs.slice(0, maxListed).map((run) => (
          <li key={run.id} class="line chip">
            <a href={linkTo(["run", run.id])}>
              <SafeLine text={run.name} max={40} />
            </a>{" "}
            <StateBadge run={run} />
            <button type="button" class="plain" onClick={() => setQuery({ sel: ids.filter((id) => id !== run.id) })}>
              <span aria-hidden="true">×</span>
              <span class="visually-hidden">
                Remove <SafeLine text={run.name} max={40} />
              </span>
            </button>
          </li>
        ))}
        {runs.length > maxListed && <li class="soft">and {runs.length - maxListed} more</li>}
      </ul>
      <Tabs
        tabs={tabs}
        current={tab}
        to={(name) => linkTo(["compare", name], route.query)}
        label="Views of the comparison"
      />
      {tab === "plane" ? <Plane runs={runs} /> : tab === "settings" ? <Settings runs={runs} /> : <Curves runs={runs} />}
    </>
  );
}
