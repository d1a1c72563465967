import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../src/protocol.ts";
import { ViewError } from "../../src/requests.ts";

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: ViewError | null;
  readonly loading: boolean;
}

export const api: string = `${location.origin}/api`;

/** Null for missing data. */
type Recorded = (path: string) => Promise<unknown>;

let recorded: Recorded | null = null;

export function answerFrom(answers: Recorded): void {
  recorded = answers;
}

interface Entry {
  loaded: Loaded<unknown>;
  /** Older answers do not replace newer ones. */
  sent: number;
  readonly users: Set<() => void>;
}

const entries = new Map<string, Entry>();
const maxEntries = 400;
const nothing: Loaded<never> = { value: null, error: null, loading: true };

async function ask(path: string): Promise<unknown> {
  if (recorded) {
    const answer = await recorded(path);
    if (answer === null) throw new ViewError(404, "not_in_copy", "Not in this exported page");
    return answer;
  }
  const response = await fetch(`${api}${path}`).catch(() => {
    throw new ViewError(0, "gone", "The server does not answer");
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const failure = (body as Failure | null)?.error;
  throw new ViewError(response.status, failure?.code ?? "failed", failure?.message ?? `Status ${response.status}`);
}

/** Updated while shown. Null paths are not requested. */
export function useLoadedAll<T>(paths: readonly (string | null)[]): readonly Loaded<T>[] {
  const [, redraw] = useState(0);
  const key = paths.join("\n");
  useEffect(() => {
    let waiting = false;
    // Batches answers into one update.
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

/** Reloads stale shown paths, drops others. */
export function refresh(isStale: (path: string, hasFailed: boolean) => boolean): void {
  for (const [path, entry] of entries) {
    if (!isStale(path, entry.loaded.error !== null)) continue;
    if (entry.users.size === 0) entries.delete(path);
    else void load(path, entry);
  }
}

export function patch<T>(path: string, change: (value: T) => T): void {
  const entry = entries.get(path);
  if (entry === undefined || entry.loaded.value === null) return;
  publish(entry, { ...entry.loaded, value: change(entry.loaded.value as T) });
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
    if (entries.size <= maxEntries) break;
    if (users.size === 0 && old !== path) entries.delete(old);
  }
  void load(path, entry);
  return entry;
}

async function load(path: string, entry: Entry): Promise<void> {
  const sent = ++entry.sent;
  entry.loaded = { ...entry.loaded, loading: true };
  const outcome = await ask(path).then(
    (value): Loaded<unknown> => ({ value, error: null, loading: false }),
    (error: unknown): Loaded<unknown> => ({
      value: entry.loaded.value,
      error: error instanceof ViewError ? error : new ViewError(0, "failed", String(error)),
      loading: false,
    }),
  );
  if (sent === entry.sent) publish(entry, outcome);
}

function publish(entry: Entry, loaded: Loaded<unknown>): void {
  entry.loaded = loaded;
  for (const user of Array.from(entry.users)) user();
}
