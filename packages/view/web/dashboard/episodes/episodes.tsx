import { useEffect, useRef, useState } from "preact/hooks";
import type { EpisodeQuery, EpisodeSummary, RunDetail, TellingEpisode } from "../../../src/protocol.ts";
import { counted, formatNumber } from "@laconic/core/text";
import { onGrown } from "../live.ts";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty } from "../parts.tsx";
import { one } from "../route.ts";
import { useLoaded } from "../server.ts";
import { EpisodeView } from "./episode-view.tsx";
import { Filters } from "./filters.tsx";
import { Rows, usePagedList } from "../list/rows.tsx";
import { NothingFits, searchOf } from "../list/search.tsx";
import { EpisodeRow } from "./episode-row.tsx";
import { Telling } from "./telling.tsx";

/** Fields of the query that stand in the address by their own names. */
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

/** While the server still reads. */
const lookAgainMs = 1500;

/** All conversations of a run: a list to search, and the chosen one beside it. */
export function Episodes({ detail }: { readonly detail: RunDetail }) {
  const route = useRoute();
  const { id } = detail.summary;
  const search = searchOf(route, queryFields);
  const list = usePagedList<EpisodeSummary>(`/runs/${encodeURIComponent(id)}/episodes`, search);
  const asked = one(route, "episode");
  const path = detail.episodes === 0 ? null : `/runs/${encodeURIComponent(id)}/telling`;
  const telling = useLoaded<readonly TellingEpisode[]>(path).value ?? [];
  // Who searches, or went back to the list, has the list.
  const opened = asked === "" && search === "" && one(route, "list") === "" ? telling[0] : undefined;
  const chosen = opened?.episode.key ?? asked;
  const [isGrown, setGrown] = useState(false);
  const { total = null, indexed = null } = list.value ?? {};
  const isReading = indexed !== null && indexed < detail.episodes;
  const seen = useRef({ indexed: -1, times: 0 });
  useEffect(() => onGrown((event) => event.id === id && setGrown(true)), [id]);
  useEffect(() => {
    if (!isReading || indexed === null) return;
    // The number of episodes is about right until all are read: what does not grow is not waited for.
    const times = seen.current.indexed === indexed ? seen.current.times + 1 : 0;
    seen.current = { indexed, times };
    if (times > 5) return;
    const timer = setTimeout(list.again, lookAgainMs);
    return () => clearTimeout(timer);
  });
  if (detail.episodes === 0 && (total ?? 0) === 0 && search === "")
    return (
      <Empty title="No conversations yet">
        <p>
          A run keeps those of its evaluations, and of training when it records steps. They appear here as they are
          written.
        </p>
      </Empty>
    );
  return (
    <section class={`episodes ${chosen === "" ? "" : "has-chosen"}`} aria-label="Episodes">
      <div class="finder">
        <Filters detail={detail} />
        <div class="status small" role="status">
          {total === null ? list.error === null && "Searching …" : counted(total, "conversation")}
          {isReading && seen.current.times <= 5 && (
            <span class="soft"> of the {formatNumber(indexed)} read so far; the others are being read</span>
          )}
          {isGrown && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                setGrown(false);
                list.again();
              }}
            >
              Show new ones
            </button>
          )}
        </div>
        {total === 0 ? (
          <NothingFits title="No conversation fits" fields={queryFields} />
        ) : (
          <Rows
            list={list}
            chosen={asked}
            label="Conversations"
            choose={(key) => setQuery({ episode: key, with: "", list: "" })}
          >
            {(row) => <EpisodeRow row={row} />}
          </Rows>
        )}
      </div>
      {chosen !== "" ? (
        <EpisodeView run={id} episode={chosen} other={opened?.before?.key ?? one(route, "with")}>
          <Telling telling={telling} chosen={chosen} />
        </EpisodeView>
      ) : (
        <div class="choose soft">
          <div>
            <p>Choose a conversation to read it here, with the graph of its messages.</p>
            <Telling telling={telling} chosen="" />
          </div>
        </div>
      )}
    </section>
  );
}
