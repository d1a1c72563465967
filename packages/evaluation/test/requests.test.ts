import { baselines, protocolFor } from "@laconic/baselines";
import { expect, test } from "vitest";
import { familyOf } from "../src/index.ts";
import { requestLog, type SeatScripts } from "./request-log.ts";
import { requestSets } from "./request-sets.ts";

/** Seats that do not solve the question. */
const scripts: SeatScripts = {
  critic: (call, programs) => {
    if (programs)
      return call === 0
        ? "It adds where it should multiply.\n```python\ndef solution():\n    return 3 * 4\n```"
        : "I find no error: it is correct.\n```python\ndef solution():\n    return 12\n```";
    return call === 0 ? '{"feedback": "Look again.", "correct": "False"}' : '{"feedback": "", "correct": "True"}';
  },
  router: () => "Grade School Teacher, or the one for chemistry, or software",
  ranker: () => "[1, 2]",
  moderator: (call) => `{"preference": "negative", "answer": "${call === 0 ? "" : "12"}"}`,
  inventor: (call) => `An expert in counting, number ${call + 1}.`,
  checker: (call) => (call === 0 ? "DISCARD" : "KEEP"),
  collaborator: () => "Multiply what is in a bag.",
};

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
      logs.push(await requestLog(method, set, scripts));
    }
    await expect(logs.join("\n")).toMatchFileSnapshot(`requests/${name.replaceAll(":", "-")}.txt`);
  },
);
