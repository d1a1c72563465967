import { expect, test } from "vitest";
import { parsePrice } from "./spending.ts";

test.for([
  ["0.15,0.6", { prompt: 0.15, completion: 0.6 }],
  [" 0 , 1e2 ", { prompt: 0, completion: 100 }],
  ["2.5/10/cached=1.25", { prompt: 2.5, completion: 10, cached: 1.25 }],
  [
    "3,15,cached=0.3,cacheWrite=3.75,reasoning=20,date=2026-01-31",
    { prompt: 3, completion: 15, cached: 0.3, cacheWrite: 3.75, reasoning: 20, date: "2026-01-31" },
  ],
] as const)("reads %s", ([text, price]) => expect(parsePrice(text)).toEqual(price));

test.for([
  ["", /prompt/u],
  ["1", /completion: it is missing/u],
  ["1,", /completion/u],
  [",1", /prompt/u],
  ["1,2,3", /"3"|3/u],
  ["-1,2", /prompt/u],
  ["1,Infinity", /completion/u],
  ["1,2,cached=", /cached/u],
  ["1,2,cached=1,cached=2", /"cached" occurs twice/u],
  ["1,2,prompt=9", /"prompt" occurs twice/u],
  ["1,2,cache=1", /did you mean cached/u],
  ["1,2,date=2026-02-31", /date: expected YYYY-MM-DD/u],
  ["1,2,date=yesterday", /date: expected YYYY-MM-DD/u],
] as const)("refuses %s and says why", ([text, reason]) => {
  expect(() => parsePrice(text, "judge-price")).toFailWith("config_invalid", reason);
  expect(() => parsePrice(text, "judge-price")).toThrow(/^--judge-price is /u);
});
