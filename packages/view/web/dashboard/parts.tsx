import type { ComponentChildren, JSX } from "preact";
import type { RunState, RunSummary } from "../../src/protocol.ts";
import { formatPercent, formatShare } from "@laconic/core/text";
import type { Loaded, ServerError } from "./server.ts";

export const stateNames: Readonly<Record<RunState, string>> = {
  running: "running",
  done: "done",
  stopped: "stopped",
  "half-written": "half-written",
  foreign: "foreign",
};

const stateSigns: Readonly<Record<RunState, readonly [sign: string, tone: string]>> = {
  running: ["▶", "live"],
  done: ["✓", "good"],
  stopped: ["■", ""],
  "half-written": ["◐", "warn"],
  foreign: ["?", "bad"],
};

export function StateBadge({ run }: { readonly run: Pick<RunSummary, "state"> }) {
  const [sign, tone] = stateSigns[run.state];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {stateNames[run.state]}
    </span>
  );
}

/** "61.2 % (57.0 to 65.1 %)". */
export function Interval({
  value,
  interval,
}: {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
}) {
  return (
    <span class="number">
      {formatPercent(value)}
      {interval !== null && (
        <span class="soft small">
          {" "}
          ({formatShare(interval[0])} to {formatPercent(interval[1])})
        </span>
      )}
    </span>
  );
}

/** What is missing, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty panel">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const [shownAtOnce, shownAtMost] = [5, 200];

/** The first of a list of notices, and the others behind a click. */
export function Notices<T>({
  all,
  children,
}: {
  readonly all: readonly T[];
  readonly children: (each: T) => JSX.Element;
}) {
  const rest = all.length - shownAtOnce;
  return (
    <>
      <ul>{all.slice(0, shownAtOnce).map(children)}</ul>
      {rest > 0 && (
        <details>
          <summary>{rest} more</summary>
          <ul>
            {all.slice(shownAtOnce, shownAtMost).map(children)}
            {all.length > shownAtMost && <li>and {all.length - shownAtMost} that are not listed here</li>}
          </ul>
        </details>
      )}
    </>
  );
}

/** A failure in words that say what to do. */
export function Problem({ error }: { readonly error: ServerError }) {
  if (error.status === 0)
    return (
      <p class="notice warn" role="alert">
        The server does not answer. This page asks again by itself; if it was stopped, start it with{" "}
        <code>laconic view</code> and the same folder.
      </p>
    );
  if (error.status === 401 || error.status === 403)
    return (
      <p class="notice bad" role="alert">
        The server refused: {error.message}. Open the address with the token that <code>laconic view</code> printed when
        it started.
      </p>
    );
  if (error.code === "not_found")
    return (
      <p class="notice bad" role="alert">
        This is not here: it may not have been written yet, or have been moved or deleted.
      </p>
    );
  return (
    <p class="notice bad" role="alert">
      {error.message} ({error.code}).
    </p>
  );
}

/** The value once it is there, and until then what there is to say. */
export function When<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, error } = loaded;
  return (
    <>
      {error !== null && <Problem error={error} />}
      {value === null ? error === null && <p class="soft loading">Loading …</p> : children(value)}
    </>
  );
}

/** Colour of a series by its place: a class, so that both schemes have their own. */
export function hueOf(index: number): string {
  return `hue${(index % 8) + 1}`;
}
