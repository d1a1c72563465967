import { formatNumber } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import { setQuery, useRoute } from "../navigation.ts";
import { Problem } from "../parts.tsx";
import { one } from "../route.ts";
import { refresh, useLoaded, type Loaded } from "../server.ts";

const pageSize = 50;

/** A page of a list, as the server answers it. */
interface Page<Row> {
  readonly total: number;
  readonly indexed: number;
  readonly rows: readonly Row[];
}

/** The page of a long list that the address names. */
export interface PagedList<Row> extends Loaded<Page<Row>> {
  readonly page: number;
  /** Loads the page again. */
  again(): void;
}

/** @param path - answered with a page. @param search - its query, without the page */
export function usePagedList<Row>(path: string, search: string): PagedList<Row> {
  const page = Math.max(0, Math.floor(Number(one(useRoute(), "page")) || 0));
  const query = new URLSearchParams(search);
  query.set("offset", String(page * pageSize));
  query.set("limit", String(pageSize));
  const address = `${path}?${query.toString()}`;
  return { ...useLoaded<Page<Row>>(address), page, again: () => refresh((each) => each === address) };
}

interface RowsProps<Row> {
  readonly list: PagedList<Row>;
  /** Key of the chosen row. */
  readonly chosen: string;
  readonly label: string;
  readonly choose: (key: string) => void;
  /** Content of a row, three lines. */
  readonly children: (row: Row) => ComponentChildren;
}

/** Rows of a page, and buttons to other pages. */
export function Rows<Row extends { readonly key: string }>({ list, chosen, label, choose, children }: RowsProps<Row>) {
  const { value, error, page } = list;
  const rows = value?.rows ?? [];
  const last = Math.max(0, Math.ceil((value?.total ?? 0) / pageSize) - 1);
  const keyed = (event: KeyboardEvent): void => {
    if (event.key === "Enter") return document.querySelector<HTMLElement>("[data-opened]")?.focus();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const current = rows.findIndex(({ key }) => key === chosen);
    const row = by === undefined ? undefined : rows[current < 0 ? 0 : current + by];
    if (row === undefined) return;
    event.preventDefault();
    choose(row.key);
    document.querySelector(`#row-${CSS.escape(row.key)}`)?.scrollIntoView({ block: "nearest" });
  };
  const turn = (name: string, sign: string, to: number) => (
    <button
      type="button"
      class="button small"
      aria-label={name}
      disabled={to < 0 || to > last || to === page}
      onClick={() => setQuery({ page: String(to) })}
    >
      {sign}
    </button>
  );
  return (
    <>
      {error && <Problem error={error} />}
      <div
        class="rows panel"
        role="listbox"
        aria-label={`${label}; arrow keys choose`}
        aria-activedescendant={rows.some(({ key }) => key === chosen) ? `row-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={keyed}
      >
        {rows.map((row, i) => (
          <div
            key={row.key}
            class={`row ${row.key === chosen ? "chosen" : ""}`}
            id={`row-${row.key}`}
            role="option"
            aria-selected={row.key === chosen}
            aria-posinset={page * pageSize + i + 1}
            aria-setsize={value?.total}
            onClick={() => choose(row.key)}
          >
            {children(row)}
          </div>
        ))}
      </div>
      {last > 0 && (
        <div class="actions pager" role="group" aria-label="Pages">
          {turn("First page", "⇤", 0)}
          {turn("Previous page", "←", page - 1)}
          <span class="small">
            page {formatNumber(page + 1)} of {formatNumber(last + 1)}
          </span>
          {turn("Next page", "→", page + 1)}
          {turn("Last page", "⇥", last)}
        </div>
      )}
    </>
  );
}
