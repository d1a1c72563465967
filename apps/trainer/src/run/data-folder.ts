import { join, resolve } from "node:path";
import { userCache } from "./user-cache.ts";

/** Where benchmark files are kept. */
export function dataFolder(given: string | undefined): string {
  return resolve(given ?? process.env["LACONIC_DATA"] ?? join(userCache(), "data"));
}
