/**
 * A team of the AI SDK that knows only an address and where to report its reward. A scout gets a letter. One of four
 * drawers has the letter's number; a tool looks into one drawer. The solver reads only the scout's report.
 *
 *     npx tsx examples/endpoint/team.ts http://127.0.0.1:8000
 *
 * `laconic serve --train FILE --programs 4 --program "npx tsx team.ts"` passes the address in LACONIC_URL.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { randomFromSeed } from "@laconic/core";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

/** Hidden mapping that the team has to learn. */
const drawerOf: Readonly<Record<string, number>> = { A: 3, B: 1, C: 4, D: 2 };

interface Problem {
  readonly id: string;
  readonly letter: string;
  /** Contents of the four drawers, all different. */
  readonly drawers: readonly number[];
}

async function play(baseURL: string, { id, letter, drawers }: Problem): Promise<string> {
  // Sending the group at once shortens the wait: only until a step can take the rollout.
  const models = createOpenAICompatible({ name: "team", baseURL, headers: { "x-rollout-group": id } });
  const look = tool({
    description: "What a drawer holds",
    inputSchema: z.object({ drawer: z.string() }),
    execute: async ({ drawer }) => String(drawers[Number(drawer) - 1] ?? "nothing"),
  });
  const scout = await generateText({
    model: models("scout"),
    prompt: letter,
    tools: { look },
    stopWhen: stepCountIs(2),
    maxOutputTokens: 12,
  });
  const solver = await generateText({ model: models("solver"), prompt: scout.text, maxOutputTokens: 4 });
  return solver.text;
}

/** Plays, judges and reports one rollout. Returns false if the server has ended. */
async function rollout(server: string, id: string, problem: Problem): Promise<boolean> {
  try {
    const answer = await play(`${server}/v1/rollouts/${id}`, problem);
    const right = String(problem.drawers[(drawerOf[problem.letter] ?? 0) - 1]);
    const response = await fetch(`${server}/rollouts/${id}/reward`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ reward: answer.trim() === right ? 1 : 0, answer }),
    });
    if (!response.ok && response.status < 500) throw new Error(await response.text());
    return response.ok;
  } catch (error) {
    if (await isServing(server)) throw error;
    return false;
  }
}

async function isServing(server: string): Promise<boolean> {
  return fetch(`${server}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Plays until the server ends: several problems at a time, eight rollouts each. */
export async function playAll(server: string, problems = 8): Promise<void> {
  const name = crypto.randomUUID().slice(0, 8); // new rollout ids after each start
  const random = randomFromSeed(name);
  for (let round = 0; ; round++) {
    const rollouts = Array.from({ length: problems }, (_, p): Problem => {
      const digits = random.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      return { id: `${name}-${round}-${p}`, letter: "ABCD".charAt(p % 4), drawers: digits.slice(0, 4) };
    }).flatMap((problem) => Array.from({ length: 8 }, (_, g) => rollout(server, `${problem.id}-${g}`, problem)));
    if ((await Promise.all(rollouts)).includes(false)) return;
  }
}

const address = process.argv[2] ?? process.env["LACONIC_URL"];
if (address !== undefined) await playAll(address, Number(process.env["TEAM_PROBLEMS"] ?? 8));
