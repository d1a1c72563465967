import { counted, formatNumber } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import type { ListPage } from "../../src/protocol.ts";
import { Button } from "../parts/elements.tsx";
import { setQuery, useRoute } from "./navigation.ts";
import { Empty, Problem } from "./parts.tsx";
import { one } from "./route.ts";
import { refresh, useLoaded } from "./server.ts";

const pageSize = 50;

type FoundList<Row> = ReturnType<typeof useFoundList<Row>>;

/** @param fields - setting names, shared by address and server */
export function useFoundList<Row>(path: string, fields: readonly string[]) {
  const route = useRoute();
  const page = Math.max(0, Math.floor(Number(one(route, "page")) || 0));
  const query = new URLSearchParams(
    fields.map((field) => [field, one(route, field)]).filter(([, value]) => value !== ""),
  );
  const search = query.toString();
  query.set("offset", String(page * pageSize));
  query.set("limit", String(pageSize));
  const address = `${path}?${query.toString()}`;
  return {
    ...useLoaded<ListPage<Row>>(address),
    search,
    page,
    again: () => refresh((url) => url === address),
    clear: () => setQuery(Object.fromEntries([...fields, "page"].map((field) => [field, ""]))),
  };
}

interface FinderProps<Row> extends RowsProps<Row> {
  readonly noun: string;
  readonly filters: ComponentChildren;
  readonly status: ComponentChildren;
}

export function Finder<Row extends { readonly key: string }>({ noun, filters, status, ...rest }: FinderProps<Row>) {
  const { value, error, clear } = rest.list;
  return (
    <div class="finder">
      <form class="toolbar" role="search" onSubmit={(event) => event.preventDefault()}>
        {filters}
      </form>
      <div class="line status small" role="status">
        {value === null ? error === null && "Searching …" : counted(value.total, noun)}
        {status}
      </div>
      {value?.total === 0 ? (
        <Empty title={`No ${noun} matches`}>
          <p>
            <Button onClick={clear}>Show all</Button>
          </p>
        </Empty>
      ) : (
        <Rows {...rest} />
      )}
    </div>
  );
}

interface RowsProps<Row> {
  readonly list: FoundList<Row>;
  readonly chosen: string;
  readonly label: string;
  readonly choose: (key: string) => void;
  readonly children: (row: Row) => ComponentChildren;
}

function Rows<Row extends { readonly key: string }>({ list, chosen, label, choose, children }: RowsProps<Row>) {
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
    <Button
      kind="small"
      aria-label={name}
      disabled={to < 0 || to > last || to === page}
      onClick={() => setQuery({ page: String(to) })}
    >
      {sign}
    </Button>
  );
  return (
    <>
      {error && <Problem error={error} />}
      <div
        class="rows panel"
        role="listbox"
        aria-label={`${label}; arrow keys select`}
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
        <div class="line actions pager" role="group" aria-label="Pages">
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
