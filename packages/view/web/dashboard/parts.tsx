import { formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import type { ComponentChildren, JSX } from "preact";
import type { RunState } from "../../src/protocol.ts";
import { Badge, type Look } from "../parts/elements.tsx";
import { SafeText } from "../parts/text.tsx";
import type { ViewError } from "../../src/requests.ts";
import type { Loaded } from "./server.ts";

export const runStates: Readonly<Record<RunState, Look>> = {
  running: ["▶", "live"],
  done: ["✓", "good"],
  stopped: ["■", ""],
  "half-written": ["◐", "warn"],
  foreign: ["?", "bad"],
};

export function StateBadge({ run: { state } }: { run: { readonly state: RunState } }) {
  return <Badge look={runStates[state]}>{state}</Badge>;
}

export function gradeText(grade: number): string {
  return grade === 1 ? "right" : grade === 0 ? "wrong" : `grade ${formatNumber(grade)}`;
}

export function Grade({ grade }: { grade: number | null }) {
  if (grade === null) return <span class="badge">not graded</span>;
  const sign = grade === 1 ? "✓" : grade === 0 ? "✗" : "◐";
  return <Badge look={[sign, grade === 1 ? "good" : "bad"]}>{gradeText(grade)}</Badge>;
}

/** "61.2 % (57.0 to 65.1 %)". */
export function Interval({ value, interval }: { value: number; interval: readonly [number, number] | null }) {
  return (
    <span class="number">
      {formatPercent(value)}
      {interval !== null && (
        <span class="soft small">{` (${formatShare(interval[0])} to ${formatPercent(interval[1])})`}</span>
      )}
    </span>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty panel">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const [shownAtOnce, shownAtMost] = [5, 200];

export function Notices<T>({ all, children }: { all: readonly T[]; children: (item: T) => JSX.Element }) {
  return (
    <>
      <ul>{all.slice(0, shownAtOnce).map(children)}</ul>
      {all.length > shownAtOnce && (
        <details>
          <summary>{all.length - shownAtOnce} more</summary>
          <ul>
            {all.slice(shownAtOnce, shownAtMost).map(children)}
            {all.length > shownAtMost && <li>and {all.length - shownAtMost} more, not listed</li>}
          </ul>
        </details>
      )}
    </>
  );
}

export function Problem({ error: { status, code, message } }: { error: ViewError }) {
  const text =
    status === 0
      ? "The server does not answer. The page retries. If the server was stopped, start laconic view with the same folder."
      : status === 401 || status === 403
        ? `The server refused the request: ${message}. Open the address with the token that laconic view printed.`
        : code === "not_found"
          ? "Not found: not written yet, moved or deleted."
          : `${message} (${code}).`;
  return (
    <p class={`notice ${status === 0 ? "warn" : "bad"}`} role="alert">
      {text}
    </p>
  );
}

interface WhenProps<T> {
  readonly loaded: Loaded<T>;
  readonly missing?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

export function When<T>({ loaded: { value, error }, missing, children }: WhenProps<T>) {
  if (value === null && error?.status === 404 && missing !== undefined) return <>{missing}</>;
  return (
    <>
      {error !== null && <Problem error={error} />}
      {value === null ? error === null && <p class="soft loading">Loading …</p> : children(value)}
    </>
  );
}

interface GivenTextProps {
  readonly text: string | null;
  readonly max?: number;
  readonly none?: string;
}

export function GivenText({ text, max = 4000, none = "none" }: GivenTextProps) {
  return text === null ? <i class="soft">{none}</i> : <SafeText text={text} max={max} />;
}

interface PartProps extends GivenTextProps {
  /** Known to one agent, delivered to it, or written by it. */
  readonly kind: "private" | "read" | "wrote";
  readonly title?: ComponentChildren;
}

export function Part({ kind, title, ...text }: PartProps) {
  return (
    <div class={`part ${kind}`}>
      {title !== undefined && <span class="what">{title}</span>}
      <GivenText {...text} />
    </div>
  );
}
