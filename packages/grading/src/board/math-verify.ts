import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { boundedJson } from "@laconic/core";
import type { GradedCase } from "../graded-case.ts";

/** What Math-Verify says of the cases that it can judge. */
export interface PeerVerdicts {
  readonly version: string;
  /** By the case's id; null where it gave none in time. */
  readonly verdicts: ReadonlyMap<string, boolean | null>;
  /** Of its own, without its start. */
  readonly seconds: number;
}

/** Why there is none. */
export interface NoPeer {
  readonly missing: string;
}

/** Longest silence of the peer; it gives up a pair after 5 s itself. */
const silenceMs = 60_000;

const script = new URL("../../assets/math-verify-peer.py", import.meta.url);

/**
 * Runs Math-Verify beside our grader, on mathematics and numbers. What replies hold reaches it as JSON on its standard
 * input alone.
 * @param python - a Python that may have it
 */
export async function mathVerifyVerdicts(cases: readonly GradedCase[], python: string): Promise<PeerVerdicts | NoPeer> {
  const suited = cases.filter(({ kind }) => kind === "maths" || kind === "numeric" || kind === "math-equivalence");
  const child = spawn(python, [fileURLToPath(script)], { stdio: ["pipe", "pipe", "ignore"] });
  const verdicts = new Map<string, boolean | null>(suited.map(({ id }) => [id, null]));
  let version = "";
  let missing = "Python did not start";
  let seconds = Number.NaN;
  let timer = setTimeout(() => child.kill("SIGKILL"), silenceMs);
  const ended = new Promise<void>((resolve) => {
    child.on("error", () => resolve());
    child.on("close", () => resolve());
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(suited.map(({ id, gold, prediction }) => `${JSON.stringify({ id, gold, prediction })}\n`).join(""));
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), silenceMs);
    const note = boundedJson(line) as Partial<Record<"id" | "version" | "missing", string>> & {
      readonly verdict?: boolean;
      readonly seconds?: number;
    };
    if (note.missing !== undefined) missing = note.missing;
    if (note.version !== undefined) version = note.version;
    if (note.id !== undefined && typeof note.verdict === "boolean" && verdicts.has(note.id))
      verdicts.set(note.id, note.verdict);
    if (note.seconds !== undefined) seconds = note.seconds;
  }
  await ended;
  clearTimeout(timer);
  return version === "" ? { missing } : { version, verdicts, seconds };
}
