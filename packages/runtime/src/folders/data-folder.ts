import { join, resolve } from "node:path";
import { environmentValue } from "./environment.ts";
import { userCache } from "./user-cache.ts";

/** Where benchmark files are kept. */
export function dataFolder(given: string | undefined): string {
  return resolve(given ?? environmentValue("LACONIC_DATA") ?? join(userCache(), "data"));
}
