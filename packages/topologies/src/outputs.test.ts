import { randomFromSeed, type Episode, type Topology } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import {
  debateGraph,
  graphTopology,
  jointEpisode,
  speak,
  star,
  synchronousTurns,
  unanimous,
  type AgentSpec,
  type JointGame,
} from "./index.ts";

const problem = { id: "1", question: "?", gold: "x" };
const agent = (id: string): AgentSpec => ({
  id,
  role: id,
  maxTokens: 20,
  prompt: () => ({ kind: "text", text: "" }),
});
const contextOf = (replies: Readonly<Record<string, readonly string[]>>) => ({
  models: Object.fromEntries(Object.entries(replies).map(([id, texts]) => [id, scriptedModel(texts)])),
  sampling: { temperature: 1 },
  random: randomFromSeed(0),
});
const stored = (episode: Episode): Episode => episodeSchema.parse(JSON.parse(JSON.stringify(episode)));
const played = async (topology: Topology, replies: Readonly<Record<string, readonly string[]>>): Promise<Episode> =>
  stored(await topology.run(problem, contextOf(replies)));

test("a single agent gives the answer only", async () => {
  const episode = await played(star([agent("a")], agent("s")), { a: ["k6"], s: ["15"] });
  expect(episode).not.toHaveProperty("outputs");
  expect(episode.answer).toBe("15");
});

test("several agents vote with their last messages, without silent ones", async () => {
  const topology = graphTopology(debateGraph([agent("a"), agent("b"), agent("c")]));
  const episode = await played(topology, { a: ["1", "2"], b: ["3", ""], c: ["", ""] });
  expect(episode.outputs).toEqual({ a: "2", b: "3" });
});

test.each([
  ["agree at once", { a: ["1"], b: ["1"] }, 2],
  ["agree in the second round", { a: ["1", "2"], b: ["2", "2"] }, 4],
  ["never agree", { a: ["1", "2", "1"], b: ["2", "1", "2"] }, 6],
  ["are silent", { a: ["", "", "1"], b: ["", "", "1"] }, 6],
] as const)("a debate with early stop ends when its agents %s", async (_, replies, turns) => {
  const graph = { ...debateGraph([agent("a"), agent("b")], { rounds: 3 }), until: unanimous(["a", "b"]) };
  const episode = await played(graphTopology(graph), replies);
  expect(episode.utterances).toHaveLength(turns);
  expect(episode.ledger.calls).toHaveLength(turns);
  expect(episode.answer).toBe(episode.utterances.at(-2)?.text);
});

test("an early stop that returns no boolean is refused by the graph's name", async () => {
  const until = () => "yes" as unknown as boolean;
  const topology = graphTopology({ ...debateGraph([agent("a"), agent("b")]), until });
  await expect(played(topology, { a: ["1"], b: ["1"] })).rejects.toThrow(/early stop of debate.*"yes"/u);
});

const game: JointGame = {
  players: [
    { id: "first", maxTokens: 20 },
    { id: "second", maxTokens: 20 },
  ],
  turns: 2,
  transition: () => ["?", "?"],
};

test("all answer at once: each player's last reply counts unchanged, also silence", async () => {
  const replies = { first: ["a", "␞\n\n␞"], second: ["b", ""] };
  const episode = await played(synchronousTurns(game.players, game), replies);
  expect(episode.outputs).toEqual({ first: "␞\n\n␞", second: "" });
});

test.each([
  ["the first", { first: [""], second: ["b"] }, "\n\nb", "answered"],
  ["the second", { first: ["a"], second: [""] }, "a\n\n", "answered"],
  ["both", { first: [""], second: [""] }, null, "no_answer"],
] as const)("%s silent: a play and a branch of a tree give the same answer", async (_, replies, answer, stopReason) => {
  const once = { ...game, turns: 1 };
  const episode = await played(synchronousTurns(once.players, once), replies);
  expect(episode).toMatchObject({ answer, stopReason });
  const context = contextOf(replies);
  const turns = await Promise.all(
    once.players.map(({ id, maxTokens }, turn) =>
      speak(context, { agent: id, turn, round: 0, prompt: { kind: "text", text: "" }, inbox: [], maxTokens }),
    ),
  );
  const { answer: grown, outputs, stopReason: reason } = jointEpisode(once, problem, turns);
  expect([grown, outputs, reason]).toEqual([episode.answer, episode.outputs, episode.stopReason]);
});
