import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answerForm, questionText } from "@laconic/benchmarks";
import { exemplarsNamed, filesOf } from "@laconic/benchmarks/exemplars";
import type { BenchJob } from "@laconic/evaluation";
import { strangeWords } from "../../../packages/evaluation/test/published-words.ts";
import type { ServedChat } from "./count-proxy.ts";

const logs = fileURLToPath(new URL("../../../packages/evaluation/test/requests", import.meta.url));

/** Of a cell's requests, what neither its questions nor its replies, nor the method's golden log or published files hold. */
export function strangeIn(group: readonly BenchJob[], chats: readonly ServedChat[]): string[] {
  const [job] = group as [BenchJob];
  const { script, method, set, exemplars } = job;
  // A team that is dealt a question hears parts of it.
  const given = [...set.problems, ...set.calibration].flatMap((problem) => {
    const whole = questionText(problem);
    return [whole, problem.question, ...(problem.choices ?? []), ...whole.split(/(?<=[.?!,:;])\s+/u)];
  });
  const shown = exemplars.flatMap(({ question, solution, answerLine }) => [question, solution, answerLine]);
  const forms = set.problems.map(({ grading }) => answerForm(grading));
  const texts = chats.flatMap(({ messages }) => messages.map(({ content }) => content));
  // AgentPrune draws four characters for a name.
  const names = texts.flatMap((text) => [...text.matchAll(/Agent (\w{4})(?= as a|, role)|^(\w{4}): /gmu)]);
  const drawn = names.flatMap(([, agent, output]) => agent ?? output ?? []);
  // What an interpreter says of a program is of no file.
  const said = texts.flatMap((text) => text.match(/Error occurred: .*|The program (?:failed|prints)[:s].*/gu) ?? []);
  return strangeWords(
    chats,
    [...given, ...shown, ...forms, ...frames, ...drawn, ...said],
    [goldenLog(method.name), ...publishedFiles(script?.name)],
  );
}

/** What stands around a part that is dealt, and around a hint; of a program that returns nothing. */
const frames = ["Only you know:", "[Hint: ", "None"];

function goldenLog(method: string): string {
  const [name = ""] = method.split("@");
  return readFileSync(join(logs, `${name.replaceAll(":", "-")}.txt`), "utf8");
}

function publishedFiles(script: string | undefined): string[] {
  const folder = process.env["LACONIC_EXEMPLARS"];
  if (script === undefined || folder === undefined) return [];
  const paths = filesOf(exemplarsNamed(script)).map(({ path }) => join(folder, path));
  return paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
}
