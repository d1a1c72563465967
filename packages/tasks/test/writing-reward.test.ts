import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { writingReward } from "@laconic/benchmarks";
import { exemplarsNamed, filesOf } from "@laconic/benchmarks/exemplars";
import { randomFromSeed, type Random } from "@laconic/core";
import { findPython } from "@laconic/core/platform";
import { expect, test } from "vitest";
import { publishedPair } from "../src/text/published-pair.ts";

const fetched = process.env["LACONIC_EXEMPLARS"];
const script = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("rewards", sys.argv[1])
rewards = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rewards)
rewards.VERBOSE = False
print(json.dumps(getattr(rewards, sys.argv[2])(*json.load(sys.stdin))))`;

const odd = ["naïve", "Straße", "東京", "½", "e\u0301", "😀", "👩‍🔬", "İzmir", "ΟΔΟΣ", "snake_case", "--", "\uFEFF"];
const spaces = ["\u00A0", "\u2003", "\u001C", "\u0085", "\n\n", ".\u3000"];

function textOf(random: Random, count: number, phrases: readonly string[], stopWords: readonly string[]): string {
  const plain = random.integer(4) === 0 ? 12 : 150;
  const kind = random.integer(14);
  const wordOf = (): string => {
    if (kind === 0) return random.pick(["--", "😀", "…"]);
    const draw = random.integer(40);
    if (kind < 3 || draw < 8) return random.pick(stopWords);
    if (draw === 8) return random.pick(odd);
    return draw === 9 ? random.pick(phrases) : `word${random.integer(plain)}`;
  };
  return Array.from({ length: count }, () => wordOf() + (random.integer(25) === 0 ? random.pick(spaces) : " ")).join(
    "",
  );
}

test.skipIf(!fetched).for([
  ["tldr", 6, 70],
  ["arxiv", 125, 200],
] as const)(
  "%s: the reward with published lists is the released function on 300 pairs (LACONIC_EXEMPLARS)",
  async ([form, least, most], { skip }) => {
    const { words } = await publishedPair(form, fetched ?? "");
    const [phrases, stopWords] = [Object.values(words.transitions).flat(), [...words.stopWords]];
    expect([Object.keys(words.transitions).length, phrases.length > 250, stopWords.length > 100]).toEqual([
      12,
      true,
      true,
    ]);
    const random = randomFromSeed(`writing/${form}`);
    const pairs = Array.from({ length: 300 }, (): [string, string] => {
      const first = least + random.integer(most - least);
      const second = Math.round(first * (0.6 + random.integer(400) / (form === "tldr" ? 100 : 400)));
      return [textOf(random, first, phrases, stopWords), textOf(random, second, phrases, stopWords)];
    });
    const file = filesOf(exemplarsNamed(`magrpo-${form}`)).find(({ path }) => path.endsWith(`${form}_rewards.py`));
    const args = ["-c", script, join(fetched ?? "", file?.path ?? ""), `${form}_combined_reward`];
    const input = JSON.stringify([pairs.map(([first]) => first), pairs.map(([, second]) => second)]);
    let answer = "";
    try {
      answer = execFileSync(findPython(), args, { input, encoding: "utf8" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      skip(`no Python at ${findPython()}; set LACONIC_PYTHON`);
    }
    const expected = JSON.parse(answer) as number[];
    const ours = pairs.map((pair) => writingReward(form, ...pair, { released: words }));
    const unequal = (rewards: readonly number[]): number =>
      rewards.filter((reward, i) => !(Math.abs(reward - (expected[i] ?? Number.NaN)) < 1e-9)).length;
    expect(unequal(ours.map(({ reward }) => reward))).toBe(0);
    // Every level ends some count, and lists or Python's rules alone are not enough.
    for (const end of ["length", "ratio", "words", null])
      expect(ours.filter(({ stoppedAt }) => stoppedAt === end).length, `stopped at ${end}`).toBeGreaterThan(5);
    expect(unequal(pairs.map((pair) => writingReward(form, ...pair).reward))).toBeGreaterThan(50);
  },
);
