import { installedTexts } from "@laconic/benchmarks/exemplars";
import type { BenchmarkProblem, WritingWords } from "@laconic/benchmarks";
import type { ChatMessage, Problem, Prompt, Topology } from "@laconic/core";
import { jointBaselines } from "@laconic/topologies";
import type { JointBaseline, JointGame, JointHistory, JointWords } from "@laconic/topologies";
import type { CooperationReport } from "./cooperation.ts";

export interface PublishedPair {
  readonly first: (problem: Problem) => readonly string[];
  readonly again: (problem: Problem, history: JointHistory, report: CooperationReport) => readonly string[];
  /** Word lists of the writers' released reward; empty for programmers. */
  readonly words: WritingWords;
}

/**
 * The game with published prompts; later turns contain the earlier ones.
 * @param reportOf - test results; absent for writers
 */
export function inPublishedWords(
  game: JointGame,
  pair: PublishedPair,
  reportOf?: (problem: Problem, replies: readonly string[]) => Promise<CooperationReport>,
): JointGame {
  return {
    ...game,
    players: game.players.map(({ id, maxTokens }) => ({ id, maxTokens, prompt: lastAsText })),
    transition: async (problem, history) => {
      const last = history.at(-1);
      return last && reportOf ? pair.again(problem, history, await reportOf(problem, last)) : pair.first(problem);
    },
  };
}

export function baselinesOf(
  game: JointGame,
  jointGame: JointGame,
  words: JointWords,
): Readonly<Record<JointBaseline, Topology>> {
  const { single } = jointBaselines(jointGame, words);
  if (game === jointGame) return jointBaselines(jointGame, words);
  const players = game.players.map((player) => ({ ...player, prompt: textOrChat }));
  return { ...jointBaselines({ ...game, players }, words), single };
}

function lastAsText(chat: readonly ChatMessage[]): Prompt {
  return { kind: "text", text: chat.at(-1)?.content ?? "" };
}

function textOrChat(chat: readonly ChatMessage[]): Prompt {
  return chat.length === 1 ? lastAsText(chat) : { kind: "messages", messages: chat };
}

const sources = {
  tldr: ["magrpo-tldr", ["short", "long"]],
  arxiv: ["magrpo-arxiv", ["background", "methods"]],
  code: ["magrpo-code", ["helper", "main"]],
} as const;

/**
 * MAGRPO's requests and word lists (LLM_Collab_Writing@7e59995, LLM_Collab_Code_Generation@7ca407e).
 * @throws LaconicError `data_invalid` for texts that are not on disk
 */
export async function publishedPair(pair: keyof typeof sources, folder: string): Promise<PublishedPair> {
  const [source, players] = sources[pair];
  const { texts } = await installedTexts(source, folder);
  const text = (name: string): string => texts[name] ?? "";
  const first: PublishedPair["first"] = (problem) => players.map((player) => filled(text(player), valuesOf(problem)));
  return {
    first,
    again: (problem, history, report) => feedback(text, { problem, asked: first(problem), history, report }),
    words: {
      stopWords: new Set(stringsIn(text("stopWords"))),
      transitions: Object.fromEntries(
        Array.from(text("transitions").matchAll(/"(\w+)": \[([^\]]*)\]/gu), ([, kind = "", phrases = ""]) => [
          kind,
          stringsIn(phrases),
        ]),
      ),
    },
  };
}

/** Strings of a Python list without escapes. */
function stringsIn(list: string): string[] {
  return Array.from(list.matchAll(/"([^"]*)"/gu), ([, word = ""]) => word);
}

/** Python template; unknown braces stay. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([^{}]+)\}/gu, (whole, location: string) => values[keyIn(location)] ?? whole);
}

/** Placeholder x in `report['x']` and `td.get('x')`; a conditional's condition. */
function keyIn(location: string): string {
  return /\['(\w+)'\]|\.get\('(\w+)'\)/u.exec(location)?.slice(1).find(Boolean) ?? location;
}

function valuesOf(problem: Problem): Readonly<Record<string, string>> {
  const { question } = problem;
  const { grading } = problem as Partial<BenchmarkProblem>;
  const parameters = /def\s+\w+\s*\(([^)]+)\)/u.exec(question)?.[1]?.split(",") ?? [];
  return {
    prompt: question,
    abstract: question,
    ...(grading?.kind === "code" && { entry_point: grading.entryPoint }),
    params_str: parameters.flatMap((parameter) => parameter.trim() || []).join(", "),
  };
}

interface Behind {
  readonly problem: Problem;
  readonly asked: readonly string[];
  readonly history: JointHistory;
  readonly report: CooperationReport;
}

/** The released `level_feedback`. */
function feedback(text: (name: string) => string, { problem, asked, history, report }: Behind): readonly string[] {
  const values = valuesOf(problem);
  const [helper = "", main = ""] = history.at(-1) ?? [];
  const opening = (player: number): string[] => [
    text("prompts"),
    filled(text("prompt"), { t: "1", ph: asked[player] ?? "" }),
    "",
    text(player === 0 ? "helperReplies" : "mainReplies"),
    ...history.map((replies, turn) => filled(text("reply"), { t: `${turn + 1}`, resp: replies[player] ?? "" })),
    "",
  ];
  const definition = (name: "helper" | "main", reply: string, isDefined: boolean, functionName: string): string => {
    const match = new RegExp(String.raw`def\s+${functionName}\s*\(`, "u").test(reply);
    const message = filled(text(isDefined ? "defined" : match ? "silent" : "absent"), {
      description: filled(text(`${name}Name`), values),
    });
    const key = name === "helper" ? "aux" : "main";
    return chosen(text(`${name}Definition`), isDefined, { [`${key}_message`]: message });
  };
  const entryPoint = values["entry_point"] ?? "";
  const definitions = [
    definition("helper", helper, report.auxDefined, "aux"),
    definition("main", main, report.mainDefined, entryPoint),
  ];
  const syntax = chosen(text("syntax"), report.parses, {
    syntax_message: filled(text(report.parses ? "parses" : "broken"), {
      description: text("programName"),
      "str(e)": "invalid syntax",
    }),
  });
  const tests = testLines(text, report, entryPoint, main);
  return [
    [...opening(0), text("diagnostics"), ...definitions, syntax, ...tests, text("reviseHelper")].join("\n"),
    [
      ...opening(1),
      text("diagnostics"),
      ...definitions.toReversed(),
      syntax,
      ...tests,
      ...(report.mainDefined ? usageLines(text, report) : []),
      filled(text("reviseMain"), values),
    ].join("\n"),
  ];
}

function chosen(template: string, isFound: boolean, values: Readonly<Record<string, string>>): string {
  const decided = template.replace(/\{'(\w+)' if [^{}]+ else '(\w+)'\}/u, isFound ? "$1" : "$2");
  return filled(decided, values);
}

function testLines(
  text: (name: string) => string,
  { parses, first }: CooperationReport,
  entryPoint: string,
  main: string,
): string[] {
  if (!parses || first.assert === "") return [text("untested")];
  const passed = first.failure === null;
  const counts = filled(text("tests"), { tests_passed: passed ? "1" : "0", tests_total: "1" });
  if (passed) return [counts];
  const unrun = main.includes(`def ${entryPoint}`)
    ? "AssertionError"
    : `NameError: name '${entryPoint}' is not defined`;
  const [kind = "", ...rest] = (first.failure ?? unrun).split(": ");
  const failed = filled(text("failed"), {
    case: first.assert.replaceAll("candidate", entryPoint),
    error_type: kind,
    error_message: rest.join(": "),
  });
  return [counts, failed];
}

function usageLines(text: (name: string) => string, report: CooperationReport): string[] {
  // Our report lacks this line.
  const misused = text("misused").replace(/\s*\(\{reasons\}\)/u, "");
  const usage = !report.callsAux ? text("uncalled") : report.usesResult ? text("used") : misused;
  return [usage, ...(report.callsAux && report.isWrapper ? [text("wrapper")] : [])];
}
