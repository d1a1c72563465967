import { homedir } from "node:os";
import { join } from "node:path";

/** What can be made again: data sets, and packages of optional devices. */
export function userCache(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "laconic");
}
