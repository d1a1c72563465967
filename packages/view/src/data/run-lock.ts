import { hostname } from "node:os";
import type { RunPlace } from "./run-place.ts";

/** Whether a process of this machine lives. */
export type IsAlive = (pid: number) => boolean;

export const livesHere: IsAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process answers with EPERM.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
};

/** Whether a process holds the run. One of another machine cannot be seen from here, and counts as alive. */
export async function isHeld(place: RunPlace, isAlive: IsAlive): Promise<boolean> {
  const text = await place.text("LOCK", 1 << 16);
  if (text === null) return false;
  try {
    const { pid, host } = JSON.parse(text) as { readonly pid?: unknown; readonly host?: unknown };
    return typeof pid === "number" && (host !== hostname() || isAlive(pid));
  } catch {
    return false;
  }
}
