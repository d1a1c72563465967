import { useEffect, useRef, useState } from "preact/hooks";
import type { EpisodeSummary } from "../../../src/protocol.ts";
import { counted, formatNumber } from "../../parts/format.ts";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { setQuery } from "../navigation.ts";
import { Grade } from "./grade.tsx";
import type { LongList } from "./pages.ts";

const rowHeight = 76;

/** Only the rows in sight stand in the page. */
export function Rows({ list, chosen }: { readonly list: LongList; readonly chosen: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const total = list.total ?? 0;
  const from = Math.max(0, Math.floor(view.top / rowHeight) - 4);
  const to = Math.min(total, Math.ceil((view.top + view.height) / rowHeight) + 4);
  useEffect(() => {
    const observer = new ResizeObserver(
      () => box.current && setView({ top: box.current.scrollTop, height: box.current.clientHeight }),
    );
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => total > 0 && list.show(from, to), 30);
    return () => clearTimeout(timer);
  });
  let isChosenInSight = false;
  for (let index = from; index < to; index++) isChosenInSight ||= list.row(index)?.key === chosen;
  const keyed = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -total, End: total }[event.key];
    if (by === undefined || box.current === null || total === 0) return;
    event.preventDefault();
    let at = from;
    while (at < to && list.row(at)?.key !== chosen) at++;
    // With none chosen in sight, the first in sight.
    const next = at < to ? at + by : Math.abs(by) === total ? by : Math.ceil(view.top / rowHeight);
    const index = Math.min(total - 1, Math.max(0, next));
    const row = list.row(index);
    if (row !== null) setQuery({ episode: row.key, with: "" });
    const { scrollTop, clientHeight } = box.current;
    if (index * rowHeight < scrollTop) box.current.scrollTop = index * rowHeight;
    else if ((index + 1) * rowHeight > scrollTop + clientHeight)
      box.current.scrollTop = (index + 1) * rowHeight - clientHeight;
  };
  return (
    <div
      class="rows panel"
      ref={box}
      role="listbox"
      aria-label="Conversations; arrow keys choose"
      aria-activedescendant={isChosenInSight ? `row-${chosen}` : undefined}
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
  readonly row: EpisodeSummary;
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
        <SafeLine text={row.question} />
      </div>
      <div class="answer soft small">
        {row.answer === null ? "no answer" : <SafeLine text={row.answer} max={80} />}
        {row.silent.length > 0 && <> · silent: {row.silent.map((agent) => visibleLine(agent, 24)).join(", ")}</>}
      </div>
    </div>
  );
}
