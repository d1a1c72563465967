import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { turns, type TurnOptions } from "./index.ts";

const episode = scriptedEpisode([
  { agent: "a", text: "k6" },
  { agent: "b", text: "" },
  { agent: "a", text: "" },
  { agent: "s", text: "15" },
]);

test("spoken turns leave silence out, all turns do not", () => {
  expect(turns().measure(episode)).toBe(2);
  expect(turns({ count: "spoken", by: "a" }).measure(episode)).toBe(1);
  expect(turns({ count: "all" }).measure(episode)).toBe(4);
  expect(turns({ count: "all", by: "a" }).measure(episode)).toBe(2);
  expect(turns({ count: "all", by: "s" }).measure(episode)).toBe(1);
});

test("an unknown way of counting is refused", () => {
  expect(() => turns({ count: "words" } as unknown as TurnOptions)).toThrowError(
    expect.objectContaining({ code: "config_invalid", detail: { key: "turns.count" } }),
  );
});
