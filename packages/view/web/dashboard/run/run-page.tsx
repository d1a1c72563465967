import { useRef } from "preact/hooks";
import type { RunDetail } from "../../../src/protocol.ts";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { Curves } from "../curves/curves.tsx";
import { Episodes } from "../episodes/episodes.tsx";
import { Tabs } from "../fields.tsx";
import { linkTo, useRoute, useTitle } from "../navigation.ts";
import { Empty, Notices, StateBadge, When } from "../parts.tsx";
import { useLoaded } from "../server.ts";
import { Overview } from "./overview.tsx";
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
