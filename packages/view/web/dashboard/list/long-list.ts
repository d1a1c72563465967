import { useEffect, useRef, useState } from "preact/hooks";
import { ask, ServerError } from "../server.ts";

/** Rows of a long list, of which only what is looked at is asked for. */
export interface LongList<Row> {
  /** Null before the first answer. */
  readonly total: number | null;
  readonly indexed: number | null;
  readonly error: ServerError | null;
  /** Null while it is not there. */
  row(index: number): Row | null;
  /** Sees to it that these rows come. */
  show(from: number, to: number): void;
  /** Asks for everything again; what was there is shown until it comes. */
  again(): void;
}

const pageSize = 100;
/** Pages far from what is seen are forgotten. */
const pagesAtMost = 40;

/** What the server says of one. */
interface Page<Row> {
  readonly total: number;
  readonly indexed: number;
  readonly rows: readonly Row[];
}

interface State<Row> {
  readonly pages: Map<number, readonly Row[]>;
  /** Of the last asking. */
  readonly old: ReadonlyMap<number, readonly Row[]>;
  readonly asked: Map<number, AbortController>;
  total: number | null;
  indexed: number | null;
  error: ServerError | null;
}

/** @param path - that the server answers with a page. @param search - its query, without the page */
export function useLongList<Row>(path: string, search: string): LongList<Row> {
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const state = useRef<State<Row>>(fresh());
  const question = `${path}\n${search}`;
  const key = `${question}\n${round}`;
  const held = useRef({ key: "", question: "" });
  if (held.current.key !== key) {
    for (const controller of state.current.asked.values()) controller.abort();
    // The length stays until the new one is known: lists do not jump at each letter of a search.
    const { total, indexed, pages } = state.current;
    const old = held.current.question === question ? pages : fresh<Row>().old;
    state.current = { ...fresh(), total, indexed, old };
    held.current = { key, question };
  }
  const current = state.current;
  const load = (page: number): void => {
    if (current.pages.has(page) || current.asked.has(page)) return;
    const controller = new AbortController();
    current.asked.set(page, controller);
    const query = new URLSearchParams(search);
    query.set("offset", String(page * pageSize));
    query.set("limit", String(pageSize));
    ask<Page<Row>>(`${path}?${query.toString()}`, controller.signal).then(
      ({ total, indexed, rows }) => {
        current.pages.set(page, rows);
        for (const old of Array.from(current.pages.keys()))
          if (current.pages.size > pagesAtMost && Math.abs(old - page) > pagesAtMost / 2) current.pages.delete(old);
        Object.assign(current, { total, indexed, error: null });
        current.asked.delete(page);
        redraw((count) => count + 1);
      },
      (error: unknown) => {
        current.asked.delete(page);
        if (controller.signal.aborted) return;
        current.error = error instanceof ServerError ? error : new ServerError(0, "failed", String(error));
        redraw((count) => count + 1);
      },
    );
  };
  useEffect(() => {
    // After a pause of typing.
    const timer = setTimeout(() => load(0), round === 0 && current.total === null ? 0 : 120);
    return () => clearTimeout(timer);
  }, [key]);
  return {
    total: current.total,
    indexed: current.indexed,
    error: current.error,
    row(index) {
      const page = Math.floor(index / pageSize);
      return (current.pages.get(page) ?? current.old.get(page))?.[index % pageSize] ?? null;
    },
    show(from, to) {
      // What was scrolled past is not waited for.
      const [first, last] = [Math.floor(from / pageSize), Math.floor(Math.max(from, to - 1) / pageSize)];
      for (const [page, controller] of current.asked)
        if (page !== 0 && (page < first - 1 || page > last + 1)) {
          controller.abort();
          current.asked.delete(page);
        }
      for (let page = first; page <= last; page++) load(page);
    },
    again: () => setRound((count) => count + 1),
  };
}

function fresh<Row>(): State<Row> {
  return { pages: new Map(), old: new Map(), asked: new Map(), total: null, indexed: null, error: null };
}
