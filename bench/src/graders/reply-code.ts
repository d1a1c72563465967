// Replies per second of processor time from which the sandbox takes the program: `npx tsx bench/src/graders/reply-code.ts`. Prints JSON.
import { solutionIn } from "@laconic/sandbox/replies";
import { readOptions } from "../options.ts";

readOptions({ options: {} });

const fence = (code: string, tag = "python"): string => `\`\`\`${tag}\n${code}\n\`\`\``;
const prose =
  "The function sorts the numbers first, so that equal numbers are neighbours. It then takes one pass. ".repeat(6);
const helper = "import math\n\ndef low(xs):\n    return min(xs)";
const solution = `def spread(xs):\n    """Largest minus smallest."""\n    total = 0\n${"    total += math.floor(low(xs))\n".repeat(15)}    return total`;
const replies: Readonly<Record<string, string>> = {
  "one block": `${prose}\n\n${fence(solution)}`,
  "four blocks": [
    prose,
    fence(helper),
    prose,
    fence(solution),
    fence("spread([1])\n1", ""),
    fence("python a.py", "sh"),
  ].join("\n\n"),
  "bare code": `${helper}\n\n${solution}`,
  prose: prose.repeat(3),
};

const rows = Object.entries(replies).map(([name, reply]) => {
  const count = 2000;
  for (let i = 0; i < count / 4; i++) solutionIn(reply, "spread");
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) solutionIn(reply, "spread");
  const { user, system } = process.cpuUsage(before);
  return { reply: name, characters: reply.length, perSecond: Math.round((count / (user + system)) * 1e6) };
});
console.log(JSON.stringify(rows, null, 2));
