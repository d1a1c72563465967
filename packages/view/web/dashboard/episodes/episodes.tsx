import { useEffect, useState } from "preact/hooks";
import type { RunDetail } from "../../../src/protocol.ts";
import { counted, formatNumber } from "../../parts/format.ts";
import { onGrown } from "../live.ts";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, Problem } from "../parts.tsx";
import { one } from "../route.ts";
import { EpisodeView } from "./episode-view.tsx";
import { Filters } from "./filters.tsx";
import { useEpisodes } from "./pages.ts";
import { queryFields, searchOf } from "./query.ts";
import { Rows } from "./rows.tsx";

/** All conversations of a run: a list to search, and the chosen one beside it. */
export function Episodes({ detail }: { readonly detail: RunDetail }) {
  const route = useRoute();
  const { id } = detail.summary;
  const search = searchOf(route);
  const list = useEpisodes(id, search);
  const chosen = one(route, "episode");
  const [isGrown, setGrown] = useState(false);
  useEffect(() => onGrown((event) => event.id === id && setGrown(true)), [id]);
  if (detail.episodes === 0 && (list.total ?? 0) === 0 && search === "")
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
          {list.total === null ? "Searching …" : counted(list.total, "conversation")}
          {list.indexed !== null && list.indexed < detail.episodes && (
            <span class="soft">
              {" "}
              of the {formatNumber(list.indexed)} read so far; {formatNumber(detail.episodes - list.indexed)} more are
              being read
            </span>
          )}
          {(isGrown || (list.indexed !== null && list.indexed < detail.episodes)) && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                setGrown(false);
                list.again();
              }}
            >
              Look again
            </button>
          )}
        </div>
        {list.error !== null && <Problem error={list.error} />}
        {list.total === 0 ? (
          <Empty title="No conversation fits">
            <p>
              <button
                type="button"
                class="button"
                onClick={() => setQuery(Object.fromEntries(queryFields.map((field) => [field, ""])))}
              >
                Show all
              </button>
            </p>
          </Empty>
        ) : (
          <Rows list={list} chosen={chosen} />
        )}
      </div>
      {chosen !== "" ? (
        <EpisodeView run={id} episode={chosen} />
      ) : (
        <div class="choose soft">
          <p>Choose a conversation: it is shown here, with the graph of who heard it.</p>
        </div>
      )}
    </section>
  );
}
