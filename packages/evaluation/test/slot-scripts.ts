import type { Slot, SlotScripts } from "./request-log.ts";

const scripts: SlotScripts = {
  critic: (call, programs) => {
    if (programs)
      return call === 0
        ? "It adds where it should multiply.\n```python\ndef solution():\n    return 3 * 4\n```"
        : "I find no error: it is correct.\n```python\ndef solution():\n    return 12\n```";
    return call === 0 ? '{"feedback": "Look again.", "correct": "False"}' : '{"feedback": "", "correct": "True"}';
  },
  router: (_, __, { family }) =>
    family === "choice" ? "I cannot say." : "Grade School Teacher, or the one for chemistry, or software",
  ranker: () => "[1, 2]",
  // Decides in the last round, except for choices, so that the judge decides them.
  moderator: (call, _, { family }) => {
    const answer = call < 2 || family === "choice" ? "" : "12";
    return `{"preference": "negative", "answer": "${answer}", "debate_answer": "${answer}"}`;
  },
  inventor: (call) => `An expert in counting, number ${call + 1}.`,
  checker: (call) => (call === 0 ? "DISCARD" : "KEEP"),
  collaborator: () => "Multiply what is in a bag.",
};

const program = (body: string): string => `\`\`\`python\ndef add(a, b):\n    ${body}\n\`\`\``;

/** Replies with JSON in ADAS's own wording; in ours like all others. */
const inJson: SlotScripts[string] = (call, programs, { family, published }) => {
  if (!published || programs) return undefined;
  const [wrong, right] = family === "choice" ? ["A", "C"] : ["7", "12"];
  return JSON.stringify({ thinking: `Thought ${call + 1} times.`, answer: call === 0 ? wrong : right });
};

const scripted: Readonly<Record<string, SlotScripts>> = {
  dylan: {
    agent: (layer, _, { family, number }) =>
      family === "choice"
        ? `${layer > 0 ? "[[5, 4, 3, 2, 1, 2, 3]] " : ""}The answer is ${"ABCD"[(number + layer) % 4]}`
        : `Agent ${number} counts.\n#### ${10 + ((number + layer) % 4)}`,
    writer: (layer, _, { number }) =>
      `${layer > 0 ? "[[5, 3, 4]]\n" : ""}${program(number === 3 ? "return a + b" : `return a - b  # ${"abcd"[number]} ${layer}`)}`,
    tester: (layer) => (layer === 0 ? "assert add(1, 2) == 3\nassert add(0, 0) == 0" : "I have none."),
    // Replies about later programs are identical.
    reflector: (layer, _, { published }) => {
      if (layer > 0) return "They are all alike.";
      const replies = [1, 2, 3, 4].map(
        (i) => `${published ? `[reflection ${i}]` : `Reflection ${i}`}:\nNumber ${i} could be shorter.`,
      );
      return `${replies.join("\n")}\n[[5, 2, 3, 4]]`;
    },
    "judge-ranker": () => "[1, 2]",
  },
  self: { solver: inJson },
  role: { expert: inJson },
  agentprune: {
    agent: (round, _, slot) => prunedReply(round, slot),
  },
};

export function slotsOf(method: string): SlotScripts {
  return { ...scripts, ...scripted[/^\w+/u.exec(method)?.[0] ?? ""] };
}

function prunedReply(round: number, { family, number }: Slot): string {
  if (family === "choice") return `Agent ${number} in round ${round + 1}. The answer is ${"ABCD"[number % 4]}`;
  if (family === "code")
    return [3, 5].includes(number)
      ? program(`return a ${round > 0 ? "+" : "-"} b  # ${number}`)
      : `Agent ${number} says how.`;
  return number === 3 ? "```python\nprint(3 * 4)\n```" : `Agent ${number} says so.\n#### ${number + 5 * round}`;
}
