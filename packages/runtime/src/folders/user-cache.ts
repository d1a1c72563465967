import { homedir } from "node:os";
import { join } from "node:path";
import { environmentValue } from "./environment.ts";

/** What can be made again: data sets, and packages of optional devices. */
export function userCache(): string {
  return join(environmentValue("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "laconic");
}
