import { type AgentId, configError } from "@laconic/core";
import { parseBy } from "@laconic/core/schemas";
import { z } from "zod";
import type { AnswerKind } from "@laconic/grading";

/** Grading, and the format of golds. */
export type DataGrading =
  | {
      /**
       * `numeric`: a number, or a solution that ends with `#### number`. `code`: Python tests that define
       * `check(candidate)`, or asserts.
       */
      readonly kind: "numeric" | "code";
    }
  | {
      readonly kind: "letter";
      /** Letter (default), option index from 0, or option text. */
      readonly golds?: "letter" | "index" | "text";
      /** Letters if questions list their options. */
      readonly letters?: string;
    }
  /** LaTeX or plain text. */
  | { readonly kind: "maths"; readonly tolerance?: number }
  | { readonly kind: "text"; readonly ignoreCase?: boolean };

/** Column names. A dot selects a field unless a column has this name. */
export interface DataColumns {
  /** Default `question`. */
  readonly question?: string;
  /** Default `gold`. */
  readonly gold?: string;
  /** A list, or one column per option. Default `choices`. */
  readonly choices?: string | readonly string[];
  /** Default `id`, else the row number. */
  readonly id?: string;
  /** Default none. */
  readonly solution?: string;
  /** Default `entry_point`. */
  readonly entryPoint?: string;
  /** Texts by agent, or one column per agent. Default `views`. */
  readonly views?: string | Readonly<Record<AgentId, string>>;
  readonly group?: string;
  /** An object, or columns. Default `metadata`. */
  readonly metadata?: string | readonly string[];
}

/** Settings for reading rows. */
export interface RowSettings {
  readonly grading: DataGrading | DataGrading["kind"];
  readonly columns?: DataColumns;
  /** `strict` (default) stops at unreadable rows; `lenient` skips and lists them. */
  readonly mode?: "strict" | "lenient";
  /** Rows of all files; Parquet files are then read in part. */
  readonly rows?: number;
}

/**
 * JSON lines, a JSON array, CSV or TSV with header, Parquet, inside gzip or zip; or `hub:owner/name[@revision]/files`,
 * with `*` and `?` in file names.
 */
export type DataSource = string | readonly string[];

/** Custom training and test problems. */
export interface DataSettings extends RowSettings {
  readonly train: DataSource;
  /** Other files, or a share of `train` (between 0 and 1) by a seed (default 0). */
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

/** Schema for configurations. */
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

/** @throws LaconicError `config_invalid` */
export function checked<T>(schema: z.ZodType<T>, value: unknown, location: string): T {
  return parseBy(schema, value, (path, message) => {
    const key = path === "" ? location : `${location}.${path}`;
    return configError(`${key}: ${message}`, { key });
  });
}

/** Letters cover the problems' options. */
export function answerKindOf(
  grading: RowSettings["grading"],
  problems: readonly { readonly choices?: readonly string[] }[] = [],
): AnswerKind {
  const dataGrading: DataGrading = typeof grading === "string" ? { kind: grading } : grading;
  if (dataGrading.kind === "text") return { kind: "text", ...(dataGrading.ignoreCase && { ignoreCase: true }) };
  if (dataGrading.kind !== "letter") return { kind: dataGrading.kind };
  const most = problems.reduce((count, { choices = [] }) => Math.max(count, choices.length), 0);
  return { kind: "letter", letters: dataGrading.letters ?? (most === 0 ? "ABCDE" : lettersOf(most)) };
}

export function columnsRead({ columns: { question = "question", gold = "gold", ...named } = {} }: RowSettings): {
  readonly required: readonly string[];
  readonly wanted: readonly string[];
} {
  const others = Object.values(named).flatMap((value) => (typeof value === "string" ? value : Object.values(value)));
  const usual = ["choices", "id", "views", "group", "metadata", "entry_point"];
  return { required: [question, gold, ...others], wanted: usual };
}

export function lettersOf(count: number): string {
  return "ABCDEFGHIJKLMNOPQRSTUVWXYZ".slice(0, count);
}
