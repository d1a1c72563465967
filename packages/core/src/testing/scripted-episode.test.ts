import { expect, test } from "vitest";
import { ledgerTotals } from "../index.ts";
import { scriptedEpisode, type ScriptedTurn } from "./index.ts";

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
  expect(episode.utterances).toMatchObject([
    { turn: 0, round: 0, silent: false, writtenTokens: 3 },
    { turn: 1, round: 0, silent: true, writtenTokens: 1 },
    { turn: 2, round: 1, silent: false, writtenTokens: 3 },
    { turn: 3, round: 0, silent: false, writtenTokens: 9 },
  ]);
  expect(episode.utterances.map(({ deliveredTo }) => deliveredTo)).toEqual([["s", "a"], [], ["a"], []]);
});

test.each<[string, ...Partial<ScriptedTurn>[]]>([
  ["silent", { text: "" }, { reads: [0] }],
  ["later", { reads: [1] }, {}],
  ["its own", { reads: [0] }, {}],
])("a turn cannot read a message that is %s", (_, ...turns) => {
  const read = (): unknown => scriptedEpisode(turns.map((turn) => ({ agent: "a", text: "x", ...turn })));
  expect(read).toFailWith("input_invalid");
});
