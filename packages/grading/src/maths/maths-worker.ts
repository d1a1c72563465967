import { parentPort } from "node:worker_threads";
import type { Verdict } from "../verdict.ts";
import { gradeMaths, type MathsOptions } from "./grade-maths.ts";

/** A pair to judge. */
export interface MathsPair {
  readonly reply: string;
  readonly gold: string;
  readonly options?: MathsOptions;
}

/** What the thread says: what the system calls it, that it is ready, or the verdict on the oldest pair that it has. */
export type MathsNote = { readonly thread: string } | "ready" | Verdict;

/** Judges pairs in the order in which they come, until its thread ends. */
export function serve(): void {
  const port = parentPort;
  if (!port) throw new Error("the maths grader's thread has no parent");
  const say = (note: MathsNote): void => port.postMessage(note);
  port.on("message", ({ reply, gold, options }: MathsPair) => say(gradeMaths(reply, gold, options)));
  say("ready");
}
