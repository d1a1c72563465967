import { LaconicError, type AgentId } from "@laconic/core";
import { parseBy } from "@laconic/core/schemas";
import { z } from "zod";
import type { AnswerKind } from "@laconic/grading";

/** Grading of answers, and the format of golds. */
export type DataGrading =
  | {
      /**
       * `numeric`: a number, or a worked solution that ends with `#### number`. `code`: Python tests that define
       * `check(candidate)`, or asserts, as one text or a list.
       */
      readonly kind: "numeric" | "code";
    }
  | {
      readonly kind: "letter";
      /** Format of the gold: letter (default), option index from 0, or option text. */
      readonly golds?: "letter" | "index" | "text";
      /** Letters, such as `ABCD`, if questions list their options. */
      readonly letters?: string;
    }
  /** A mathematical object in LaTeX or plain text. */
  | { readonly kind: "maths"; readonly tolerance?: number }
  | { readonly kind: "text"; readonly ignoreCase?: boolean };

/** Column names. A dot selects a field of an object (`answer.value`) unless a column has this exact name. */
export interface DataColumns {
  /** Default `question`. */
  readonly question?: string;
  /** Default `gold`. */
  readonly gold?: string;
  /** A list, or one column per option. Default `choices`, if present. */
  readonly choices?: string | readonly string[];
  /** Default `id`, if present, else the row number. */
  readonly id?: string;
  /** Worked solution, for examples. Default none. */
  readonly solution?: string;
  /** Function that the code must define. Default `entry_point`. */
  readonly entryPoint?: string;
  /** Private views: an object of texts by agent, or one column per agent. Default `views`, if present. */
  readonly views?: string | Readonly<Record<AgentId, string>>;
  readonly group?: string;
  /** Extra data for rewards and environments: a column with an object, or columns. Default `metadata`, if present. */
  readonly metadata?: string | readonly string[];
}

/** Settings for reading rows. */
export interface RowSettings {
  readonly grading: DataGrading | DataGrading["kind"];
  readonly columns?: DataColumns;
  /** `strict` stops at unreadable rows; `lenient` skips and lists them. Default `strict`. */
  readonly mode?: "strict" | "lenient";
  /** Max rows of all files; Parquet files are then read in part. */
  readonly rows?: number;
}

/**
 * Files: JSON lines, a JSON array, CSV or TSV with header, Parquet, inside gzip or zip; or `hub:owner/name/files` or
 * `hub:owner/name@revision/files`, with `*` and `?` in file names.
 */
export type DataSource = string | readonly string[];

/** Custom training and test problems. */
export interface DataSettings extends RowSettings {
  readonly train: DataSource;
  /** Other files, or a share of `train` (between 0 and 1) selected by a seed (default 0). */
  readonly testProblems: DataSource | { readonly share: number; readonly seed?: string | number };
}

const name = z.string().min(1);
const source = z.union([name, z.array(name).min(1)], {
  error: "expected a file, a list of files, or hub:owner/name/files",
});
const kinds = "numeric, letter, maths, code or text";
const ruleHelp = "Rule that compares an answer with the gold answer";
const gradingSchema: z.ZodType<DataGrading> = z.preprocess(
  (value) => (typeof value === "string" ? { kind: value } : value),
  z.discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.enum(["numeric", "code"]).describe(ruleHelp) }),
      z.strictObject({
        kind: z.literal("letter").describe(ruleHelp),
        golds: z.enum(["letter", "index", "text"]).exactOptional().describe("Format of the gold answer in its column"),
        letters: z
          .string()
          .refine(
            (text) => text.length > 1 && text === lettersOf(text.length),
            "expected the first letters, such as ABCD",
          )
          .exactOptional()
          .describe("Letters of the choices"),
      }),
      z.strictObject({
        kind: z.literal("maths").describe(ruleHelp),
        tolerance: z.number().min(0).exactOptional().describe("Max relative error of a correct number"),
      }),
      z.strictObject({
        kind: z.literal("text").describe(ruleHelp),
        ignoreCase: z.boolean().exactOptional().describe("Ignores letter case"),
      }),
    ],
    { error: `expected ${kinds}, or an object with such a kind` },
  ),
);
const rowFields = {
  grading: gradingSchema.describe("Grading of answers"),
  columns: z
    .strictObject({
      question: name.exactOptional().describe("Column of the question"),
      gold: name.exactOptional().describe("Column of the gold answer"),
      choices: z
        .union([name, z.array(name).min(2)], { error: "expected a column, or one for each option" })
        .exactOptional()
        .describe("Column of the choices, or one for each"),
      id: name.exactOptional().describe("Column of the problem's id"),
      solution: name.exactOptional().describe("Column of a worked solution"),
      entryPoint: name.exactOptional().describe("Column of the name of the function to write"),
      views: z
        .union([name, z.record(name, name)], { error: "expected a column, or a column for each agent" })
        .exactOptional()
        .describe("Column of an agent's private view"),
      group: name.exactOptional().describe("Column that groups the reported accuracy"),
      metadata: z
        .union([name, z.array(name).min(1)], { error: "expected a column, or a list of columns" })
        .exactOptional()
        .describe("Columns stored with a problem"),
    })
    .exactOptional()
    .describe("Column names by role"),
  mode: z.enum(["strict", "lenient"]).exactOptional().describe("Action on an invalid row: stop, or skip and list it"),
  rows: z.int().min(1).exactOptional().describe("Max number of rows"),
};

/** Checks {@link RowSettings}. */
export const rowSettingsSchema: z.ZodType<RowSettings> = z.strictObject(rowFields);

/** Schema of {@link DataSettings}, for configurations. */
export const dataSettingsSchema: z.ZodType<DataSettings> = z.strictObject({
  train: source.describe("Training problems: files, or those of a data set of the hub"),
  testProblems: z
    .union(
      [
        source,
        z.strictObject({
          share: z.number().gt(0).lt(1).describe("Share of problems in the test set"),
          seed: z.union([z.string(), z.number()]).exactOptional().describe("Seed of the test split"),
        }),
      ],
      { error: "expected files, or { share, seed? } with a share between 0 and 1 that is split off train" },
    )
    .describe("Test problems: files, or a share of the training problems"),
  ...rowFields,
});

/** @throws LaconicError `config_invalid` naming the key */
export function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  return parseBy(schema, value, (path, message) => {
    const key = path === "" ? place : `${place}.${path}`;
    return new LaconicError("config_invalid", `${key}: ${message}`, { key });
  });
}

/** Answer kind; letters cover the problems' options. */
export function answerKindOf(
  grading: RowSettings["grading"],
  problems: readonly { readonly choices?: readonly string[] }[] = [],
): AnswerKind {
  const given: DataGrading = typeof grading === "string" ? { kind: grading } : grading;
  if (given.kind === "text") return { kind: "text", ...(given.ignoreCase && { ignoreCase: true }) };
  if (given.kind !== "letter") return { kind: given.kind };
  const most = problems.reduce((count, { choices = [] }) => Math.max(count, choices.length), 0);
  return { kind: "letter", letters: given.letters ?? (most === 0 ? "ABCDE" : lettersOf(most)) };
}

/** Required columns, and optional ones. */
export function columnsRead({ columns: { question = "question", gold = "gold", ...named } = {} }: RowSettings): {
  readonly required: readonly string[];
  readonly wanted: readonly string[];
} {
  const others = Object.values(named).flatMap((each) => (typeof each === "string" ? each : Object.values(each)));
  const usual = ["choices", "id", "views", "group", "metadata", "entry_point"];
  return { required: [question, gold, ...others], wanted: usual };
}

export function lettersOf(count: number): string {
  return "ABCDEFGHIJKLMNOPQRSTUVWXYZ".slice(0, count);
}
