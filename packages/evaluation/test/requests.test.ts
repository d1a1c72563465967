import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baselines, protocolFor, replyCeiling, scriptNameOf, type Phase, type Protocol } from "@laconic/baselines";
import { questionText, type BenchmarkProblem } from "@laconic/benchmarks";
import { exemplarsNamed, filesOf, openExemplars } from "@laconic/benchmarks/exemplars";
import { expect, test } from "vitest";
import { givenTo, standingOf } from "../src/bench-parts.ts";
import { familyOf } from "../src/index.ts";
import { piecesOf, strangeWords } from "./published-words.ts";
import { playQuestion, requestLog } from "./request-log.ts";
import { requestSets } from "./request-sets.ts";
import { slotsOf } from "./slot-scripts.ts";

// Written by `npx vitest run packages/evaluation/test/requests -u`: what changed of the requests is then read in the difference.
test.each(baselines.map((method) => [method.name, method] as const))(
  "%s sends the prompts of its log",
  async (name, method) => {
    const seen = new Set<string>();
    const logs: string[] = [];
    for (const set of requestSets) {
      const [problem] = set.problems;
      const family = familyOf(problem?.grading.kind ?? "text");
      const protocol = method.protocols && protocolFor(method.protocols, { family, benchmark: set.benchmark });
      const key = `${family} ${protocol?.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      logs.push(await requestLog(method, set, slotsOf(name)));
    }
    await expect(logs.join("\n")).toMatchFileSnapshot(`requests/${name.replaceAll(":", "-")}.txt`);
  },
);

function decodingOf({ temperature, phases }: Protocol) {
  const all: readonly Phase[] = Object.values(phases);
  return {
    temperatures: all.map((phase) => phase.temperature ?? temperature),
    ceilings: all.map(({ maxTokens }) => maxTokens ?? replyCeiling({ phases })),
  };
}

test("decodes every call by its protocol and names other settings", async () => {
  let [calls, named] = [0, 0];
  for (const method of baselines.filter(({ equalTokens }) => !equalTokens))
    for (const set of requestSets) {
      const slots = slotsOf(method.name);
      const playedQuestion = await playQuestion(method, set, slots, { maxTokens: null });
      const { protocol } = playedQuestion.job;
      if (!protocol) throw new Error(`${method.name} has no protocol`);
      const { temperatures, ceilings } = decodingOf(protocol);
      for (const { request } of playedQuestion.asked) {
        calls++;
        const location = `${method.name} on ${set.benchmark}`;
        expect(temperatures, location).toContain(request.sampling.temperature);
        expect(ceilings, location).toContain(request.sampling.maxTokens);
      }
      // One token below the ceiling, or below what leaves a reply whole, is named; so is a temperature that no call has.
      const input = { maxTokens: Math.max(...ceilings) - 1, temperature: 0.123 };
      const other = await playQuestion(method, set, slots, input);
      expect(new Set(other.asked.map(({ request }) => request.sampling.temperature))).toEqual(new Set([0.123]));
      expect(Math.max(...other.asked.map(({ request }) => request.sampling.maxTokens))).toBeLessThan(
        Math.max(...ceilings),
      );
      const { published, differs } = standingOf(other.job, { ...input });
      expect(published).toBe(null);
      expect(
        differs.filter((differ) => /^Temperature differs: 0\.123|^Reply limit differs/u.test(differ)),
        `${method.name} on ${set.benchmark}`,
      ).toHaveLength(2);
      named++;
    }
  expect([calls > 500, named]).toEqual([true, 23 * requestSets.length]);
});

const fetched = process.env["LACONIC_EXEMPLARS"];

/** Every pair of a method and a kind of question whose requests are published, with the slots that reply. */
async function publishedPairs() {
  const pairs = [];
  for (const method of baselines)
    for (const set of requestSets) {
      const family = familyOf(set.problems[0]?.grading.kind ?? "text");
      const protocol = method.protocols && protocolFor(method.protocols, { family, benchmark: set.benchmark });
      const name = protocol && scriptNameOf(protocol, set.benchmark);
      if (!name) continue;
      const { texts, source } = await openExemplars(exemplarsNamed(name), { folder: fetched ?? "", offline: true });
      const script = { name, texts, examples: source.examples, sha256: "" };
      const slots = slotsOf(method.name);
      pairs.push({ method, name, slots, source, set: { ...set, scripts: { [name]: script } } });
    }
  return pairs;
}

// The published words may not stand here, so that their requests are known by hash; `-u` writes it as above.
test.skipIf(!fetched)("requests with published texts are unchanged", async () => {
  const lines: string[] = [];
  for (const { method, set, slots, name } of await publishedPairs()) {
    const log = await requestLog(method, set, slots);
    lines.push(`${method.name} ${set.benchmark} ${name} ${createHash("sha256").update(log).digest("hex")}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("requests/in-published-words.txt");
});

/** What ADAS's templates are filled with, names of its fields and agents: alone they are too short to be found. */
const adasValues = ["thinking", "answer", "feedback", "correct", "choice", "Chain-of-Thought Agent", "Critic Agent"];

test.skipIf(!fetched)("every other part of a request is in the published files", async () => {
  for (const { method, set, slots, name, source } of await publishedPairs()) {
    const files = filesOf(source).map(({ path }) => readFileSync(join(fetched ?? "", path), "utf8"));
    const { asked } = await playQuestion(method, set, slots);
    const [problem] = set.problems;
    // Of programs, reflections and tests single lines are read, of JSON its texts.
    const parts = asked.flatMap(({ reply }) => [
      ...reply.split("\n").filter((line) => line.length > 7),
      ...[...reply.matchAll(/"([^"]{8,})"/gu)].map(([, text = ""]) => text),
    ]);
    const known = problem ? [questionText(problem), problem.question, ...(problem.choices ?? []), ...parts] : [];
    const chats = asked.map(({ request: { prompt }, reply }) => ({
      messages: prompt.kind === "messages" ? prompt.messages : [],
      reply,
    }));
    // AgentPrune's agents have names of four drawn characters, and whether a program passes is Python's True or False; `python` stands
    // behind a fence.
    const strange = strangeWords(chats, [...known, ...(name.startsWith("adas") ? adasValues : [])], files).filter(
      (word) => !/^(?:[A-Za-z]{2,4}[:, ]*|False|python\n)$/u.test(word),
    );
    expect(strange, `${method.name} on ${set.benchmark}, ${name}`).toEqual([]);
  }
});

test("published texts ask as published; dealt questions and our texts ask as ours", () => {
  const posed = { id: "svamp/1", gold: "2", grading: { kind: "numeric" } } as const;
  const problem: BenchmarkProblem = { ...posed, question: "Two. How many?", published: "Two How many?" };
  const script = { name: "own", texts: {}, examples: 0, sha256: "" };
  const whole = { partition: null, script: null };
  expect(givenTo(whole, problem).question).toBe(problem.question);
  expect(givenTo({ ...whole, script }, problem)).toEqual({ ...posed, question: "Two How many?" });
  const dealt = { seed: "s", holders: [], give: <P>(item: P): P => item };
  expect(givenTo({ partition: dealt, script }, problem).question).toBe(problem.question);
});

test("quoted lines come from a reply, with or without outer white space", () => {
  const messages = [{ role: "user" as const, content: "> one line\n> another line" }];
  expect(piecesOf([{ messages, reply: " one line\nanother line \n" }], [])).toEqual([""]);
  expect(piecesOf([{ messages, reply: " one line\nsomething else" }], [])).toEqual(["> another line"]);
});
