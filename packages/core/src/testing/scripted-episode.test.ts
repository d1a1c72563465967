import { expect, test } from "vitest";
import { ledgerTotals } from "../index.ts";
import { scriptedEpisode } from "./index.ts";

const episode = scriptedEpisode([
  { agent: "a", text: "k6" },
  { agent: "b", text: "" },
  { agent: "s", text: "15", reads: [0], round: 1 },
  { agent: "a", text: "ok", reads: [0, 2], writtenTokens: 9 },
]);

test("utterances and ledger agree", () => {
  expect(ledgerTotals(episode.ledger)).toMatchObject({
    writtenTokens: 3 + 1 + 3 + 9,
    readByEdge: { "a->s": 2, "a->a": 2, "s->a": 2 },
  });
  expect(
    episode.utterances.map(({ turn, round, silent, writtenTokens }) => [turn, round, silent, writtenTokens]),
  ).toEqual([
    [0, 0, false, 3],
    [1, 0, true, 1],
    [2, 1, false, 3],
    [3, 0, false, 9],
  ]);
  expect(episode.utterances.map(({ deliveredTo }) => deliveredTo)).toEqual([["s", "a"], [], ["a"], []]);
});

test.each([
  [
    "silent",
    [
      { agent: "a", text: "" },
      { agent: "b", text: "x", reads: [0] },
    ],
  ],
  [
    "later",
    [
      { agent: "a", text: "x", reads: [1] },
      { agent: "b", text: "x" },
    ],
  ],
  ["its own", [{ agent: "a", text: "x", reads: [0] }]],
])("a turn cannot read one that is %s", (_, turns) => {
  expect(() => scriptedEpisode(turns)).toThrowError(expect.objectContaining({ code: "input_invalid" }));
});
