import { useEffect, useRef, useState } from "preact/hooks";
import type { EpisodeRow, RunDetail } from "../../../src/protocol.ts";
import { counted, formatNumber } from "../../parts/format.ts";
import { visibleLine } from "../../parts/safe-text.ts";
import { SaidLine } from "../../parts/text.tsx";
import { onGrown } from "../live.ts";
import { setQuery, useRoute } from "../navigation.ts";
import { Empty, Problem } from "../parts.tsx";
import { one } from "../route.ts";
import { EpisodeView } from "./episode-view.tsx";
import { useEpisodes, type LongList } from "./pages.ts";
import { queryFields, searchOf } from "./query.ts";

const rowHeight = 76;

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
        <p>A run keeps those of its evaluations, and of training when it records steps. They appear here as they are written.</p>
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
              of the {formatNumber(list.indexed)} read so far; {formatNumber(detail.episodes - list.indexed)} more are being read
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
              <button type="button" class="button" onClick={() => setQuery(Object.fromEntries(queryFields.map((field) => [field, ""])))}>
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

function Filters({ detail }: { readonly detail: RunDetail }) {
  const route = useRoute();
  const field = (name: string) => ({
    value: one(route, name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => setQuery({ [name]: event.currentTarget.value }),
  });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        <span>Search</span>
        <input
          class="input"
          type="search"
          data-search
          placeholder="words said or asked"
          value={one(route, "text")}
          onInput={(event) => setQuery({ text: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Kind</span>
        <select class="select" {...field("kind")}>
          <option value="">all</option>
          <option value="training">training</option>
          <option value="evaluation">evaluation</option>
        </select>
      </label>
      <label>
        <span>Answer</span>
        <select class="select" {...field("correct")}>
          <option value="">all</option>
          <option value="true">right</option>
          <option value="false">wrong</option>
        </select>
      </label>
      <label>
        <span>Agent</span>
        <select class="select" {...field("agent")}>
          <option value="">anybody</option>
          {detail.agents.map((agent) => (
            <option key={agent} value={agent}>
              {visibleLine(agent, 40)}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={one(route, "silent") === "true"}
          onChange={(event) => setQuery({ silent: event.currentTarget.checked ? "true" : "" })}
        />
        <span>was silent</span>
      </label>
      <label>
        <span>Steps</span>
        <span class="pair">
          <input class="input short" type="number" min="0" aria-label="From step" placeholder="from" {...field("fromStep")} />
          <input class="input short" type="number" min="0" aria-label="To step" placeholder="to" {...field("toStep")} />
        </span>
      </label>
      <label>
        <span>Order</span>
        <select class="select" {...field("sort")}>
          <option value="">newest</option>
          <option value="oldest">oldest</option>
          <option value="tokens">most tokens</option>
          <option value="reward">highest reward</option>
        </select>
      </label>
    </form>
  );
}

/** Only the rows in sight stand in the page. */
function Rows({ list, chosen }: { readonly list: LongList; readonly chosen: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const total = list.total ?? 0;
  const from = Math.max(0, Math.floor(view.top / rowHeight) - 4);
  const to = Math.min(total, Math.ceil((view.top + view.height) / rowHeight) + 4);
  useEffect(() => {
    const observer = new ResizeObserver(() => box.current && setView({ top: box.current.scrollTop, height: box.current.clientHeight }));
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => total > 0 && list.show(from, to), 30);
    return () => clearTimeout(timer);
  });
  const indexOfChosen = (): number => {
    for (let i = from; i < to; i++) if (list.row(i)?.key === chosen) return i;
    return -1;
  };
  const keyed = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -total, End: total }[event.key];
    if (by === undefined || box.current === null || total === 0) return;
    event.preventDefault();
    const at = indexOfChosen();
    const next = Math.min(total - 1, Math.max(0, at === -1 ? (Math.abs(by) === total ? (by > 0 ? total - 1 : 0) : from + 4 > total ? 0 : Math.ceil(view.top / rowHeight)) : at + by));
    const row = list.row(next);
    if (row !== null) setQuery({ episode: row.key, with: "" });
    const { scrollTop, clientHeight } = box.current;
    if (next * rowHeight < scrollTop) box.current.scrollTop = next * rowHeight;
    else if ((next + 1) * rowHeight > scrollTop + clientHeight) box.current.scrollTop = (next + 1) * rowHeight - clientHeight;
  };
  return (
    <div
      class="rows panel"
      ref={box}
      role="listbox"
      aria-label="Conversations; arrow keys choose"
      aria-activedescendant={chosen === "" ? undefined : `row-${chosen}`}
      tabIndex={0}
      onKeyDown={keyed}
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div class="all" role="presentation" style={{ height: `${total * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).map((index) => {
          const row = list.row(index);
          return row === null ? (
            <div key={index} class="row waiting" role="presentation" style={{ top: `${index * rowHeight}px` }} />
          ) : (
            <Row key={index} row={row} index={index} total={total} isChosen={row.key === chosen} />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: EpisodeRow;
  readonly index: number;
  readonly total: number;
  readonly isChosen: boolean;
}

function Row({ row, index, total, isChosen }: RowProps) {
  const { grade } = row;
  return (
    <div
      class={`row ${isChosen ? "chosen" : ""}`}
      id={`row-${row.key}`}
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ top: `${index * rowHeight}px` }}
      onClick={() => setQuery({ episode: row.key, with: "" })}
    >
      <div class="line">
        <Grade grade={grade} />
        <span class="soft small">
          step {formatNumber(row.step)}, {row.kind}
        </span>
        <span class="number small">{counted(row.tokens, "token")}</span>
      </div>
      <div class="question">
        <SaidLine text={row.question} />
      </div>
      <div class="answer soft small">
        {row.answer === null ? "no answer" : <SaidLine text={row.answer} most={80} />}
        {row.silent.length > 0 && <> · silent: {row.silent.map((agent) => visibleLine(agent, 24)).join(", ")}</>}
      </div>
    </div>
  );
}

export function Grade({ grade }: { readonly grade: number | null }) {
  if (grade === null) return <span class="badge">not graded</span>;
  if (grade === 1)
    return (
      <span class="badge good">
        <span aria-hidden="true">✓</span> right
      </span>
    );
  return (
    <span class="badge bad">
      <span aria-hidden="true">{grade === 0 ? "✗" : "◐"}</span> {grade === 0 ? "wrong" : `grade ${formatNumber(grade)}`}
    </span>
  );
}
