import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { chooseServer, prefixHash, type Candidate } from "./waiting-requests.ts";

const servers = (count: number, inFlight = 0): Candidate[] =>
  Array.from({ length: count }, (_, i) => ({ url: `http://10.0.0.${i}:8000`, inFlight, slots: 64 }));

const random = randomFromSeed("prompts");
const prefixes = Array.from({ length: 4000 }, () => prefixHash([random.integer(50_000), random.integer(50_000)], 64));

test("prompts spread evenly over idle servers", () => {
  const counts = new Map<string, number>();
  for (const prefix of prefixes) {
    const { url } = chooseServer(servers(8), prefix, 4) as Candidate;
    counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  // 500 each; the standard deviation of a fair draw is 21.
  expect(counts.size).toBe(8);
  for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
});

test("a removed server moves only its own prompts", () => {
  const [all, fewer] = [servers(8), servers(7)];
  const places = (set: readonly Candidate[], of: readonly number[]): (string | undefined)[] =>
    of.map((prefix) => chooseServer(set, prefix, 4)?.url);
  const stay = prefixes.filter((prefix) => chooseServer(all, prefix, 4)?.url !== "http://10.0.0.7:8000");
  expect(stay.length).toBeGreaterThan(3000);
  expect(places(fewer, stay)).toEqual(places(all, stay));
});

test("a prompt stays with its server while its load is within the slack of the idlest", () => {
  const [prefix] = prefixes as [number];
  const first = chooseServer(servers(4), prefix, 4)?.url;
  const busy = (inFlight: number): Candidate[] =>
    servers(4).map((server) => (server.url === first ? { ...server, inFlight } : server));
  expect(chooseServer(busy(4), prefix, 4)?.url).toBe(first);
  const second = chooseServer(busy(5), prefix, 4)?.url;
  expect(second).not.toBe(first);
  expect(chooseServer(busy(50), prefix, 4)?.url).toBe(second);
});

test("never chooses a full server; returns null if all are full", () => {
  const [one, two] = servers(2) as [Candidate, Candidate];
  for (const prefix of prefixes.slice(0, 50))
    expect(chooseServer([{ ...one, inFlight: 64 }, two], prefix, 1000)).toBe(two);
  expect(chooseServer(servers(2, 64), 1, 1000)).toBeNull();
});

test("the choice depends on the first tokens of a prompt only", () => {
  expect(prefixHash([1, 2, 3], 2)).toBe(prefixHash([1, 2, 4], 2));
  expect(prefixHash([1, 2, 3], 3)).not.toBe(prefixHash([1, 2, 4], 3));
});
