import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../src/protocol.ts";

/** What came of asking: a value, and what the last asking failed with. Both, when something was there before. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly error: ServerError | null;
  readonly loading: boolean;
}

/** The server said no, or nothing: then `status` is 0. */
export class ServerError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    [this.status, this.code] = [status, code];
  }
}

/** Where the server answers. */
export const api: string = `${location.origin}/api`;

/** Answers requests from the data of the page; undefined for missing data. */
export type Recorded = (path: string) => unknown;

let recorded: Recorded | null = null;

/** From now on nobody else is asked. */
export function answerFrom(answers: Recorded): void {
  recorded = answers;
}

interface Entry {
  loaded: Loaded<unknown>;
  /** Askings that were sent: an older answer does not replace a newer one. */
  sent: number;
  readonly users: Set<() => void>;
}

const entries = new Map<string, Entry>();
const keptAtMost = 400;
const nothing: Loaded<never> = { value: null, error: null, loading: true };

/** Asks once. @throws ServerError */
async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (recorded) {
    const answer = recorded(path);
    if (answer === undefined) throw new ServerError(404, "not_in_copy", "This copy does not hold it");
    return answer as T;
  }
  const response = await fetch(`${api}${path}`, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ServerError(0, "gone", "The server does not answer");
  });
  const body = (await response.json().catch(() => null)) as T | Failure | null;
  if (response.ok && body !== null) return body as T;
  const failure = (body as Failure | null)?.error;
  throw new ServerError(response.status, failure?.code ?? "failed", failure?.message ?? `Status ${response.status}`);
}

/** What the server says of each path, kept while it is shown; null for a path that is not to be asked. */
export function useLoadedAll<T>(paths: readonly (string | null)[]): readonly Loaded<T>[] {
  const [, redraw] = useState(0);
  const key = paths.join("\n");
  useEffect(() => {
    let waiting = false;
    // Of many answers at once one picture.
    const user = (): void => {
      if (waiting) return;
      waiting = true;
      setTimeout(() => {
        waiting = false;
        redraw((count) => count + 1);
      }, 0);
    };
    const used = paths.flatMap((path) => (path === null ? [] : [entryOf(path)]));
    for (const entry of used) entry.users.add(user);
    redraw((count) => count + 1);
    return () => {
      for (const entry of used) entry.users.delete(user);
    };
  }, [key]);
  return paths.map((path) => (path === null ? nothing : ((entries.get(path)?.loaded ?? nothing) as Loaded<T>)));
}

export function useLoaded<T>(path: string | null): Loaded<T> {
  return useLoadedAll<T>([path])[0] ?? nothing;
}

/** What is shown of these paths is asked again; what is not shown is forgotten. */
export function refresh(isStale: (path: string, hasFailed: boolean) => boolean): void {
  for (const [path, entry] of entries) {
    if (!isStale(path, entry.loaded.error !== null)) continue;
    if (entry.users.size === 0) entries.delete(path);
    else void load(path, entry);
  }
}

/** Changes what is held of a path, without asking. */
export function patch<T>(path: string, change: (value: T) => T): void {
  const entry = entries.get(path);
  if (entry === undefined || entry.loaded.value === null) return;
  say(entry, { ...entry.loaded, value: change(entry.loaded.value as T) });
}

function entryOf(path: string): Entry {
  const held = entries.get(path);
  if (held !== undefined) {
    if (held.loaded.error !== null && !held.loaded.loading) void load(path, held);
    return held;
  }
  const entry: Entry = { loaded: nothing, sent: 0, users: new Set() };
  entries.set(path, entry);
  for (const [old, { users }] of entries) {
    if (entries.size <= keptAtMost) break;
    if (users.size === 0 && old !== path) entries.delete(old);
  }
  void load(path, entry);
  return entry;
}

async function load(path: string, entry: Entry): Promise<void> {
  const sent = ++entry.sent;
  entry.loaded = { ...entry.loaded, loading: true };
  const outcome = await ask<unknown>(path).then(
    (value): Loaded<unknown> => ({ value, error: null, loading: false }),
    (error: unknown): Loaded<unknown> => ({
      value: entry.loaded.value,
      error: error instanceof ServerError ? error : new ServerError(0, "failed", String(error)),
      loading: false,
    }),
  );
  if (sent === entry.sent) say(entry, outcome);
}

function say(entry: Entry, loaded: Loaded<unknown>): void {
  entry.loaded = loaded;
  for (const user of Array.from(entry.users)) user();
}
