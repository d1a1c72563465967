import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baselines, protocolFor, replyCeiling, scriptNameOf, type Phase, type Protocol } from "@laconic/baselines";
import { questionText } from "@laconic/benchmarks";
import { exemplarsNamed, filesOf, openExemplars } from "@laconic/benchmarks/exemplars";
import { expect, test } from "vitest";
import { standingOf } from "../src/bench-parts.ts";
import { familyOf } from "../src/index.ts";
import { strangeWords } from "./published-words.ts";
import { playQuestion, requestLog, type Slot, type SlotScripts } from "./request-log.ts";
import { requestSets } from "./request-sets.ts";

/** Seats that do not solve the question. */
const scripts: SlotScripts = {
  critic: (call, programs) => {
    if (programs)
      return call === 0
        ? "It adds where it should multiply.\n```python\ndef solution():\n    return 3 * 4\n```"
        : "I find no error: it is correct.\n```python\ndef solution():\n    return 12\n```";
    return call === 0 ? '{"feedback": "Look again.", "correct": "False"}' : '{"feedback": "", "correct": "True"}';
  },
  router: () => "Grade School Teacher, or the one for chemistry, or software",
  ranker: () => "[1, 2]",
  // Of choices it never decides, so that the judge does.
  moderator: (call, _, { family }) =>
    `{"preference": "negative", "answer": "${call === 0 || family === "choice" ? "" : "12"}"}`,
  inventor: (call) => `An expert in counting, number ${call + 1}.`,
  checker: (call) => (call === 0 ? "DISCARD" : "KEEP"),
  collaborator: () => "Multiply what is in a bag.",
};

const program = (body: string): string => `\`\`\`python\ndef add(a, b):\n    ${body}\n\`\`\``;

/** Nobody agrees, so that all layers and rounds are played. */
const scripted: Readonly<Record<string, SlotScripts>> = {
  dylan: {
    agent: (layer, _, { family, number }) =>
      family === "choice"
        ? `${layer > 0 ? "[[5, 4, 3, 2, 1, 2, 3]] " : ""}The answer is ${"ABCD"[(number + layer) % 4]}`
        : `Agent ${number} counts.\n#### ${10 + ((number + layer) % 4)}`,
    writer: (layer, _, { number }) =>
      `${layer > 0 ? "[[5, 3, 4]]\n" : ""}${program(number === 3 ? "return a + b" : `return a - b  # ${"abcd"[number]} ${layer}`)}`,
    tester: () => "assert add(1, 2) == 3\nassert add(0, 0) == 0",
    reflector: () =>
      `${[1, 2, 3, 4].map((i) => `Reflection ${i}:\nNumber ${i} could be shorter.`).join("\n")}\n[[5, 2, 3, 4]]`,
    "judge-ranker": () => "[1, 2]",
  },
  agentprune: {
    agent: (round, _, slot) => prunedReply(round, slot),
  },
};

function prunedReply(round: number, { family, number }: Slot): string {
  if (family === "choice") return `Agent ${number} in round ${round + 1}. The answer is ${"ABCD"[number % 4]}`;
  if (family === "code")
    return [3, 5].includes(number)
      ? program(`return a ${round > 0 ? "+" : "-"} b  # ${number}`)
      : `Agent ${number} says how.`;
  return number === 3 ? "```python\nprint(3 * 4)\n```" : `Agent ${number} says so.\n#### ${number + 5 * round}`;
}

// Written by `npx vitest run packages/evaluation/test/requests -u`: what changed of the requests is then read in the difference.
test.each(baselines.map((method) => [method.name, method] as const))(
  "%s asks what its log says",
  async (name, method) => {
    const seen = new Set<string>();
    const logs: string[] = [];
    for (const set of requestSets) {
      const [problem] = set.problems;
      const family = familyOf(problem?.grading.kind ?? "text");
      const protocol = method.protocols && protocolFor(method.protocols, { family, benchmark: set.benchmark });
      // One log of each kind of question and protocol.
      const key = `${family} ${protocol?.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      logs.push(await requestLog(method, set, { ...scripts, ...scripted[/^\w+/u.exec(name)?.[0] ?? ""] }));
    }
    await expect(logs.join("\n")).toMatchFileSnapshot(`requests/${name.replaceAll(":", "-")}.txt`);
  },
);

/** Temperatures and ceilings that a protocol's calls may have. */
function decodingOf({ temperature, phases }: Protocol) {
  const all: readonly Phase[] = Object.values(phases);
  return {
    temperatures: all.map((phase) => phase.temperature ?? temperature),
    ceilings: all.map(({ maxTokens }) => maxTokens ?? replyCeiling({ phases })),
  };
}

test("every call is decoded as its protocol says, unless a setting is given, which is then named", async () => {
  let [calls, named] = [0, 0];
  for (const method of baselines.filter(({ equalTokens }) => !equalTokens))
    for (const set of requestSets) {
      const slots = { ...scripts, ...scripted[/^\w+/u.exec(method.name)?.[0] ?? ""] };
      const own = await playQuestion(method, set, slots, { maxTokens: null });
      const { protocol } = own.job;
      if (!protocol) throw new Error(`${method.name} has no protocol`);
      const { temperatures, ceilings } = decodingOf(protocol);
      for (const { request } of own.asked) {
        calls++;
        const place = `${method.name} on ${set.benchmark}`;
        expect(temperatures, place).toContain(request.sampling.temperature);
        expect(ceilings, place).toContain(request.sampling.maxTokens);
      }
      // One token below the ceiling, or below what leaves a reply whole, is named; so is a temperature that no call has.
      const given = { maxTokens: Math.max(...ceilings) - 1, temperature: 0.123 };
      const other = await playQuestion(method, set, slots, given);
      expect(new Set(other.asked.map(({ request }) => request.sampling.temperature))).toEqual(new Set([0.123]));
      expect(Math.max(...other.asked.map(({ request }) => request.sampling.maxTokens))).toBeLessThan(
        Math.max(...ceilings),
      );
      const { published, differs } = standingOf(other.job, { ...given });
      expect(published).toBe(null);
      expect(
        differs.filter((each) => /^Temperature 0\.123 instead|^Replies of at most/u.test(each)),
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
      const slots = { ...scripts, ...scripted[/^\w+/u.exec(method.name)?.[0] ?? ""] };
      pairs.push({ method, name, slots, source, set: { ...set, scripts: { [name]: script } } });
    }
  return pairs;
}

// The published words may not stand here, so that their requests are known by hash; `-u` writes it as above.
test.skipIf(!fetched)("requests in the words of the published files are what they were", async () => {
  const lines: string[] = [];
  for (const { method, set, slots, name } of await publishedPairs()) {
    const log = await requestLog(method, set, slots);
    lines.push(`${method.name} ${set.benchmark} ${name} ${createHash("sha256").update(log).digest("hex")}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("requests/in-published-words.txt");
});

test.skipIf(!fetched)("what is neither question nor reply of a request stands in the published files", async () => {
  for (const { method, set, slots, name, source } of await publishedPairs()) {
    const files = filesOf(source).map(({ path }) => readFileSync(join(fetched ?? "", path), "utf8"));
    const { asked } = await playQuestion(method, set, slots);
    const [problem] = set.problems;
    const known = problem ? [questionText(problem), problem.question, ...(problem.choices ?? [])] : [];
    const chats = asked.map(({ request: { prompt }, reply }) => ({
      messages: prompt.kind === "messages" ? prompt.messages : [],
      reply,
    }));
    // AgentPrune's agents have names of four drawn characters.
    const strange = strangeWords(chats, known, files).filter((word) => !/^[A-Za-z]{2,4}[:, ]*$/u.test(word));
    expect(strange, `${method.name} on ${set.benchmark}, ${name}`).toEqual([]);
  }
});
