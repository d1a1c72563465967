import { readFileSync } from "node:fs";
import { join } from "node:path";
import { questionText } from "@laconic/benchmarks";
import { answerForm } from "@laconic/grading";
import { exemplarsNamed, filesOf } from "@laconic/benchmarks/exemplars";
import type { BenchJob } from "@laconic/evaluation";
import { piecesOf, strangeIn, type AskedChat } from "../../../packages/evaluation/test/published-words.ts";
import type { ServedChat } from "./count-proxy.ts";
import { goldenOf } from "./golden-log.ts";

/** A cell's requests beside its golden log. */
export interface BesideGolden {
  /** What the requests say and neither the log, nor a question, example or reply. Temperatures that the log has not. */
  readonly strange: readonly string[];
  /** What the log says and no request: a turn that no reply led to, or words that are lost. */
  readonly missing: readonly string[];
}

/**
 * Reads every request of a cell against its golden log, both ways. What is of the play is left out: questions, options, examples, replies.
 * @throws Error as {@link goldenOf}
 */
export async function besideGolden(group: readonly BenchJob[], chats: readonly ServedChat[]): Promise<BesideGolden> {
  const [job] = group as [BenchJob];
  const { set } = job;
  const golden = await goldenOf(job);
  const problems = [...set.problems, ...set.calibration];
  const given = problems.flatMap((problem) => {
    const { question, views = {} } = job.partition?.give(problem) ?? problem;
    const { choices = [] } = problem;
    // As AQuA's published prompt writes brackets.
    const spaced = choices.map((choice) => choice.replaceAll("(", " (").replaceAll(")", ") "));
    const { published = problem.question } = problem;
    return [
      questionText(problem),
      problem.question,
      published,
      question,
      ...Object.values(views),
      ...choices,
      ...spaced,
    ];
  });
  // By topic, each question has its own.
  const examples = new Set(group.flatMap(({ exemplars }) => exemplars));
  const shown = [...examples].flatMap(({ question, solution, answerLine }) => [question, solution, answerLine]);
  const forms = set.problems.map(({ grading }) => answerForm(grading));
  const all = [...golden.chats, ...golden.whole];
  const [served, logged] = [textsOf(chats), textsOf(all)];
  const known = [...given, ...shown, ...forms, ...golden.own, ...frames, ...[...served, ...logged].flatMap(saidIn)];
  const other = [...new Set(chats.map(({ temperature }) => temperature))].filter(
    (each) => each === null || !golden.temperatures.includes(each),
  );
  const strange = unsaid(chats, all, known, [golden.file, ...publishedFiles(job.script?.name)]);
  const missing = unsaid(golden.chats, chats, known, []);
  return {
    strange: [...strange, ...other.map((each) => `temperature ${each}`)],
    // Published words are not written down.
    missing: job.script && missing.length > 0 ? [`published lines: ${missing.length}`] : missing,
  };
}

/** What one side's requests say and the other's do not. */
function unsaid(
  asked: readonly AskedChat[],
  beside: readonly AskedChat[],
  known: readonly string[],
  files: readonly string[],
): string[] {
  const lines = new Set(linesOf(piecesOf(beside, known)));
  const other = linesOf(piecesOf(asked, known)).filter((line) => !lines.has(line));
  // A short stretch has to be all the words between two others.
  const quoted = [...lines].map((line) => `"${line.replace(/^[^a-z]+/iu, "")}"`);
  const said = [...files, [...quoted, ...textsOf(beside)].join("\n")];
  if (strangeIn(other, said).length === 0) return [];
  // A line may begin as the log has it and go on as a published file does.
  return other
    .filter((line) => [said, files].every((each) => strangeIn([line], each).length > 0))
    .map((line) => line.slice(0, 80));
}

function linesOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split("\n").map((line) => line.trim())))];
}

function textsOf(chats: readonly AskedChat[]): string[] {
  return [...new Set(chats.flatMap(({ messages }) => messages.map(({ content }) => content)))];
}

function publishedFiles(script: string | undefined): string[] {
  const folder = process.env["LACONIC_EXEMPLARS"];
  if (script === undefined || folder === undefined) return [];
  return filesOf(exemplarsNamed(script)).map(({ path }) => readFileSync(join(folder, path), "utf8"));
}

/** Names that AgentPrune's agents have, and what an interpreter says of a program: of no file. */
function saidIn(text: string): string[] {
  const names = [...text.matchAll(/Agent (\w{4})(?= as a|, role)/gu)].map(([, name = ""]) => name);
  const said = text.match(/\w*(?:Error|Exception)\b.*|The program (?:failed|prints).*|(?<=failed: ).+/gu) ?? [];
  return [...names, ...said];
}

/** What stands around a part that is dealt; of a program that returns nothing. */
const frames = ["Only you know:", "None"];
