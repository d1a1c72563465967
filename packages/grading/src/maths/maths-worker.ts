import { parentPort } from "node:worker_threads";
import type { Verdict } from "../verdict.ts";
import { gradeMaths, type MathsOptions } from "./grade-maths.ts";

export interface MathsPair {
  readonly reply: string;
  readonly gold: string;
  readonly options?: MathsOptions;
}

/** Thread's system name, readiness, verdict on the oldest pair. */
export type MathsNote = { readonly thread: string } | "ready" | Verdict;

export function serve(): void {
  const port = parentPort;
  if (!port) throw new Error("the maths grader's thread has no parent");
  const say = (note: MathsNote): void => port.postMessage(note);
  port.on("message", ({ reply, gold, options }: MathsPair) => say(gradeMaths(reply, gold, options)));
  say("ready");
}
