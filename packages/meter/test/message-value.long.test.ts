import { randomFromSeed, type Random } from "@laconic/core";
import { expect, test } from "vitest";
import { messageValue, type RecordedTask, type Resend } from "../src/index.ts";
import { recordedCall } from "./recorded-call.ts";

const agents = ["first", "second", "third", "useless", "harmful", "left", "right"] as const;
type Speaker = (typeof agents)[number];
const messages: Readonly<Record<Speaker, string>> = {
  first: "Fact one: the red box holds the key of the house.",
  second: "Fact two: the house stands behind the old mill in the valley.",
  third: "Fact three: the mill is closed on every Sunday of the year.",
  useless: "It is a pleasure to work with all of you on this today.",
  harmful: "I am sure that the key is in the blue box, not in another one.",
  left: "The first half of the code is 4, 8 and 15 in this order.",
  right: "The second half of the code is 16, 23 and 42 in this order.",
};

/** Chance of a right answer, given who is heard. */
function chanceOf(text: string): number {
  const isHeard = (speaker: Speaker): boolean => text.includes(messages[speaker]);
  const useful = (["first", "second", "third"] as const).filter(isHeard).length;
  return 0.1 + 0.2 * useful + (isHeard("left") && isHeard("right") ? 0.25 : 0) - (isHeard("harmful") ? 0.2 : 0);
}
const everyone = Object.values(messages).join("\n");
const truthOf = (agent: Speaker): number => chanceOf(everyone.replace(messages[agent], "")) - chanceOf(everyone);

const answers = (random: Random, text: string): string => (random.uniform() < chanceOf(text) ? "right" : "wrong");
const textIn = (body: unknown): string => JSON.stringify(body).replaceAll(String.raw`\n`, "\n");

function recordedTask(name: string, random: Random): RecordedTask {
  const ask = (content: string) => ({ model: "m", messages: [{ role: "user", content }] });
  const spoken = agents.map((agent, i) =>
    recordedCall(name, agent, ask(`${name}: what do you know?`), messages[agent], i),
  );
  const prompt = ask(`${name}: where is the key?\n${spoken.map(({ agent, text }) => `${agent}: ${text}`).join("\n")}`);
  return [...spoken, recordedCall(name, "solver", prompt, answers(random, textIn(prompt)), agents.length)];
}

function measured(agent: string, seed: string) {
  const random = randomFromSeed(seed);
  const tasks = Array.from({ length: 400 }, (_, i) => recordedTask(`task ${i}`, random));
  const resend: Resend = async (_, body) => answers(random, textIn(body));
  const grade = async (answer: string) => Number(answer === "right");
  const budget = { maxUsd: 1, spentUsd: () => 0, boundOf: () => 0 };
  const rest = { hasControl: false, tolerance: 0.02, parallel: 8, budget };
  return messageValue({ tasks, agent, change: { kind: "without" }, resend, grade, ...rest });
}

test("the intervals of useful, useless, harmful and joint agents cover the truth in 95 of 100 repeats", async () => {
  let covered = 0;
  const signs: Record<string, number[]> = {};
  for (let repeat = 0; repeat < 100; repeat++) {
    const agent = agents[repeat % agents.length] as Speaker;
    const { difference } = await measured(agent, `repeat ${repeat}`);
    covered += Number(difference.low <= truthOf(agent) && truthOf(agent) <= difference.high);
    (signs[agent] ??= []).push(difference.low > 0 ? 1 : difference.high < 0 ? -1 : 0);
  }
  expect(covered).toBeGreaterThanOrEqual(95);
  for (const agent of agents) {
    const [found, truth] = [signs[agent] ?? [], Math.sign(truthOf(agent))];
    expect(found.filter((sign) => sign !== 0 && sign !== truth).length, agent).toBeLessThanOrEqual(1);
    expect(found.filter((sign) => sign === truth).length, agent).toBeGreaterThan(7);
  }
});
