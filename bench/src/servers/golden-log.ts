import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baselineNamed, baselines, protocolFor, scriptNameOf } from "@laconic/baselines";
import { questionText } from "@laconic/benchmarks";
import { answerForm } from "@laconic/grading";
import { familyOf, type BenchJob, type BenchSet } from "@laconic/evaluation";
import type { AskedChat } from "../../../packages/evaluation/test/published-words.ts";
import { playQuestion, requestLog, type Asked } from "../../../packages/evaluation/test/request-log.ts";
import { requestSets } from "../../../packages/evaluation/test/request-sets.ts";
import { slotsOf } from "../../../packages/evaluation/test/slot-scripts.ts";
import { root } from "../processes.ts";

const folder = join(root, "packages/evaluation/test/requests");

/** A method's golden log for a kind of question, in the words that a cell asks with. */
export interface GoldenLog {
  readonly chats: readonly AskedChat[];
  /** Of a variant, such as `dylan:selected`: what the whole method asks, which the variant may learn from or be a part of. */
  readonly whole: readonly AskedChat[];
  readonly temperatures: readonly number[];
  /** Its question, options and worked examples: what another question has otherwise. */
  readonly own: readonly string[];
  /** The method's log for all kinds of questions, in our words. */
  readonly file: string;
}

/**
 * The golden log by which a cell's requests are to be read, played again: with published words where the job has them.
 * @throws Error where there is none, or it is not the one that is committed
 */
export async function goldenOf({ method: played, protocol, problem, script }: BenchJob): Promise<GoldenLog> {
  // A method of equal tokens is played against a team by whose name it goes too.
  const method = baselineNamed(played.name.split("@")[0] as string);
  const family = familyOf(problem.grading.kind);
  const found = requestSets.find((set) => {
    const own = method.protocols && protocolFor(method.protocols, { family: familyIn(set), benchmark: set.benchmark });
    const name = own ? scriptNameOf(own, set.benchmark) : null;
    return familyIn(set) === family && own?.id === protocol?.id && (!script || name === script.name);
  });
  if (!found) throw new Error(`${method.name}: no golden log for ${protocol?.id} with ${script?.name ?? "our words"}`);
  const set: BenchSet = script ? { ...found, scripts: { [script.name]: script } } : found;
  const log = await requestLog(method, set, slotsOf(method.name));
  const file = readFileSync(join(folder, `${method.name.replaceAll(":", "-")}.txt`), "utf8");
  const hashes = readFileSync(join(folder, "in-published-words.txt"), "utf8");
  const line = `${method.name} ${set.benchmark} ${script?.name} ${createHash("sha256").update(log).digest("hex")}\n`;
  if (!(script ? hashes.includes(line) : file.includes(log)))
    throw new Error(`${method.name} on ${set.benchmark}: not the golden log that is committed`);
  const { asked } = await playQuestion(method, set, slotsOf(method.name));
  const whole = baselines.find(({ name }) => name !== method.name && name === method.name.split(":")[0]);
  const [own] = set.problems;
  return {
    chats: chatsOf(asked),
    whole: whole ? chatsOf((await playQuestion(whole, set, slotsOf(whole.name))).asked) : [],
    temperatures: [...new Set(asked.map(({ request }) => request.sampling.temperature))],
    file,
    own: [
      ...(own ? [questionText(own), own.question, answerForm(own.grading), ...(own.choices ?? [])] : []),
      ...set.exemplars.flatMap(({ question, solution, answerLine }) => [question, solution, answerLine]),
    ],
  };
}

function chatsOf(asked: readonly Asked[]): AskedChat[] {
  return asked.map(({ request: { prompt }, reply }) => ({
    messages: prompt.kind === "messages" ? prompt.messages : [],
    reply,
  }));
}

function familyIn({ problems: [problem] }: BenchSet): ReturnType<typeof familyOf> {
  return familyOf(problem?.grading.kind ?? "text");
}
