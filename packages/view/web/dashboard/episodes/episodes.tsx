import { counted, formatNumber } from "@laconic/core/text";
import { useEffect, useState } from "preact/hooks";
import type { EpisodeQuery, EpisodeSummary, RunDetail, TellingEpisode, TellingReason } from "../../../src/protocol.ts";
import { Button } from "../../parts/elements.tsx";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Check, Choice, SearchField, StepField } from "../fields.tsx";
import { Finder, useFoundList } from "../finder.tsx";
import { onGrown } from "../live.ts";
import { setQuery, useQuery } from "../navigation.ts";
import { Empty, Grade } from "../parts.tsx";
import { useLoaded } from "../server.ts";
import { EpisodeView } from "./episode-view.tsx";

/** Also their names in the address. */
const queryFields = [
  "text",
  "kind",
  "correct",
  "agent",
  "silent",
  "fromStep",
  "toStep",
  "problem",
  "sort",
] as const satisfies readonly (keyof EpisodeQuery)[];

export function Episodes({ detail }: { detail: RunDetail }) {
  const { id } = detail.summary;
  const path = `/runs/${encodeURIComponent(id)}`;
  const list = useFoundList<EpisodeSummary>(`${path}/episodes`, queryFields);
  const asked = useQuery("episode");
  const [other, isListed] = [useQuery("with"), useQuery("list") !== ""];
  const telling = useLoaded<readonly TellingEpisode[]>(detail.episodes === 0 ? null : `${path}/telling`).value ?? [];
  // Searching or returning to the list opens no conversation.
  const opened = asked === "" && list.search === "" && !isListed ? telling[0] : undefined;
  const chosen = opened?.episode.key ?? asked;
  const [isGrown, setGrown] = useState(false);
  useEffect(() => onGrown((event) => event.id === id && setGrown(true)), [id]);
  if (detail.episodes === 0 && !list.value?.total && list.search === "")
    return (
      <Empty title="No episodes yet">
        <p>A run stores the episodes of its evaluations, and of training steps if it records them.</p>
      </Empty>
    );
  const showNew = (): void => {
    setGrown(false);
    list.again();
  };
  return (
    <section class={`episodes ${chosen === "" ? "" : "has-chosen"}`} aria-label="Episodes">
      <Finder
        list={list}
        chosen={asked}
        noun="episode"
        label="Episodes"
        choose={(key) => setQuery({ episode: key, with: "", list: "" })}
        filters={<Filters agents={detail.agents} />}
        status={
          isGrown && (
            <Button kind="small" onClick={showNew}>
              Show new episodes
            </Button>
          )
        }
      >
        {(row) => <EpisodeRow row={row} />}
      </Finder>
      {chosen !== "" ? (
        <EpisodeView run={id} episode={chosen} other={opened?.before?.key ?? other}>
          <Telling telling={telling} chosen={chosen} />
        </EpisodeView>
      ) : (
        <div class="choose soft">
          <p>Select an episode to read its messages.</p>
          <Telling telling={telling} chosen="" />
        </div>
      )}
    </section>
  );
}

const answers = [
  ["true", "right"],
  ["false", "wrong"],
] as const;
const orders = ["oldest", ["tokens", "most tokens"], ["reward", "highest reward"]] as const;

function Filters({ agents }: { agents: readonly string[] }) {
  return (
    <>
      <SearchField label="Search" query="text" placeholder="words in questions and messages" kind="wide" />
      <Choice label="Kind" query="kind" any="all" options={["training", "evaluation"]} />
      <Choice label="Answer" query="correct" any="all" options={answers} />
      <Choice label="Agent" query="agent" any="all" options={agents} />
      <Check label="silent turns" query="silent" on="true" />
      <StepField label="From step" query="fromStep" />
      <StepField label="To step" query="toStep" />
      <Choice label="Order" query="sort" any="newest" options={orders} />
    </>
  );
}

function EpisodeRow({ row }: { row: EpisodeSummary }) {
  const { grade, step, kind, tokens, question, answer, opponent, silent } = row;
  return (
    <>
      <div class="line">
        <Grade grade={grade} />
        <span class="soft small">
          step {formatNumber(step)}, {kind}
        </span>
        <span class="number small last">{counted(tokens, "token")}</span>
      </div>
      <div class="clip question">
        <SafeLine text={question} />
      </div>
      <div class="clip answer soft small">
        <SafeLine text={answer ?? "no answer"} max={80} />
        {opponent !== null && ` · opponent ${visibleLine(opponent, 24)}`}
        {silent.length > 0 && ` · silent: ${silent.map((agent) => visibleLine(agent, 24)).join(", ")}`}
      </div>
    </>
  );
}

const reasonNames: Readonly<Record<TellingReason, string>> = {
  saving: "Largest saving",
  failure: "Failure",
  silence: "Silence",
};

export function reasonOf({ why, episode, before }: TellingEpisode): string {
  if (why === "saving" && before)
    return `Largest fall in tokens at an equal grade, from the first to the last evaluation: ${before.tokens} to ${episode.tokens}.`;
  if (why === "silence")
    return `Right answer with the most silent agents: ${episode.silent.length}, ${counted(episode.tokens, "token")}.`;
  return before?.grade === 1
    ? "Right in the first evaluation, wrong in the last one, with the fewest tokens."
    : "Wrong in the last evaluation, with the most tokens.";
}

function Telling({ telling, chosen }: { telling: readonly TellingEpisode[]; chosen: string }) {
  const shown = telling.find(({ episode }) => episode.key === chosen);
  if (telling.length === 0) return null;
  return (
    <div class="telling small">
      <div class="line actions" role="group" aria-label="Example episodes">
        <span class="soft">Examples:</span>
        {telling.map(({ why, episode, before }) => (
          <Button
            key={why}
            kind="small"
            aria-pressed={episode.key === chosen}
            onClick={() => setQuery({ episode: episode.key, with: before?.key ?? "", list: "" })}
          >
            {reasonNames[why]}
          </Button>
        ))}
      </div>
      {shown && <p class="soft">{reasonOf(shown)}</p>}
    </div>
  );
}
