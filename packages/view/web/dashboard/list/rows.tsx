import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LongList } from "./long-list.ts";

const rowHeight = 76;

interface RowsProps<Row> {
  readonly list: LongList<Row>;
  /** Key of the chosen row. */
  readonly chosen: string;
  readonly label: string;
  readonly choose: (key: string) => void;
  /** What stands in a row, three lines of it. */
  readonly children: (row: Row) => ComponentChildren;
}

/** Only the rows in sight stand in the page. */
export function Rows<Row extends { readonly key: string }>({ list, chosen, label, choose, children }: RowsProps<Row>) {
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
    if (event.key === "Enter") return document.querySelector<HTMLElement>("[data-opened]")?.focus();
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -total, End: total }[event.key];
    if (by === undefined || box.current === null || total === 0) return;
    event.preventDefault();
    let at = from;
    while (at < to && list.row(at)?.key !== chosen) at++;
    // With none chosen in sight, the first in sight.
    const next = at < to ? at + by : Math.abs(by) === total ? by : Math.ceil(view.top / rowHeight);
    const index = Math.min(total - 1, Math.max(0, next));
    const row = list.row(index);
    if (row !== null) choose(row.key);
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
      aria-label={`${label}; arrow keys choose`}
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
            <div
              key={index}
              class={`row ${row.key === chosen ? "chosen" : ""}`}
              id={`row-${row.key}`}
              role="option"
              aria-selected={row.key === chosen}
              aria-posinset={index + 1}
              aria-setsize={total}
              style={{ top: `${index * rowHeight}px` }}
              onClick={() => choose(row.key)}
            >
              {children(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
