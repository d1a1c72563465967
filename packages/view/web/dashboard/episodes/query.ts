import type { EpisodeQuery } from "../../../src/protocol.ts";
import { one, type Route } from "../route.ts";

/** Fields of the query that stand in the address by their own names. */
export const queryFields = [
  "text",
  "kind",
  "correct",
  "agent",
  "silent",
  "fromStep",
  "toStep",
  "problem",
  "sort",
] as const;

/** What is asked of the server, but for the page: as the address says it. */
export function searchOf(route: Route): string {
  const search = new URLSearchParams();
  for (const field of queryFields) {
    const value = one(route, field);
    if (value !== "") search.set(field satisfies keyof EpisodeQuery, value);
  }
  return search.toString();
}
