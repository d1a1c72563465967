import { useRef } from "preact/hooks";
import type { RunDetail } from "../../../src/protocol.ts";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { Curves } from "../curves/curves.tsx";
import { Episodes } from "../episodes/episodes.tsx";
import { linkTo, useRoute } from "../navigation.ts";
import { Empty, Notices, StateBadge, When } from "../parts.tsx";
import { Tabs } from "../tabs.tsx";
import { useTitle } from "../title.ts";
import { useLoaded } from "../server.ts";
import { Overview } from "./overview.tsx";
import { Settings } from "./settings.tsx";

const tabs = [
  ["overview", "Overview"],
  ["curves", "Curves"],
  ["episodes", "Episodes"],
  ["settings", "Settings"],
] as const;

/** One run: what it came to, and everything behind that. */
export function RunPage() {
  const { path } = useRoute();
  const [, id = "", tab = "overview"] = path;
  const loaded = useLoaded<RunDetail>(`/runs/${encodeURIComponent(id)}`);
  useTitle(loaded.value?.summary.name ?? "Run");
  if (loaded.value === null && loaded.error?.status === 404)
    return (
      <main id="main" tabIndex={-1}>
        <Empty title="No such run">
          <p>
            It may not have begun yet, have been moved or deleted, or the page was opened on another folder.{" "}
            <a href={linkTo(["runs"])}>All runs</a>
          </p>
        </Empty>
      </main>
    );
  return (
    <main id="main" tabIndex={-1}>
      <When loaded={loaded}>{(detail) => <Run detail={detail} tab={tab} />}</When>
    </main>
  );
}

function Run({ detail: all, tab }: { readonly detail: RunDetail; readonly tab: string }) {
  const { summary } = all;
  // What stands above as the reason is told once, unless it has a step of its own.
  const warnings = all.warnings.filter((each) => each !== summary.reason || Object.hasOwn(all.warnedAt, each));
  const detail = { ...all, warnings };
  // The summary is new with every answer; curves are told by the worker when the run grows.
  const runs = useRef([summary]);
  if (runs.current[0]?.id !== summary.id) runs.current = [summary];
  return (
    <>
      <div class="heading">
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
      {warnings.length > 0 && tab !== "overview" && <Warnings warnings={warnings} />}
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

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return (
    <section class="notice warn" aria-label="Warnings">
      <Notices all={warnings}>
        {(warning) => (
          <li key={warning}>
            <SafeText text={warning} max={600} />
          </li>
        )}
      </Notices>
    </section>
  );
}
