import { LaconicError, type AgentId } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import type { AnswerKind } from "../data/benchmark.ts";

/** How answers to questions of one's own are judged, and what their golds are. */
export type DataGrading =
  | {
      /**
       * `numeric`: a number, or a worked solution that ends in `#### number`. `code`: Python tests that define
       * `check(candidate)`, or asserts, as one text or a list.
       */
      readonly kind: "numeric" | "code";
    }
  | {
      readonly kind: "letter";
      /** What the gold is: the letter (default), the option's place counted from 0, or the option's text. */
      readonly golds?: "letter" | "index" | "text";
      /** Where questions list their options themselves: the letters, such as `ABCD`. */
      readonly letters?: string;
    }
  | {
      /** A mathematical object in LaTeX, or as one types it. */
      readonly kind: "maths";
      /** Largest absolute difference. */
      readonly tolerance?: number;
    }
  | {
      /** A text, character by character. */
      readonly kind: "text";
      readonly ignoreCase?: boolean;
    };

/** Where a row has what; a dot leads into an object (`answer.value`). A column called so to the letter goes first. */
export interface DataColumns {
  /** Default `question`. */
  readonly question?: string;
  /** Default `gold`. */
  readonly gold?: string;
  /** A list, or one column for each option. Default `choices`, where a row has it. */
  readonly choices?: string | readonly string[];
  /** Default `id`, where a row has it; the number of the row elsewhere. */
  readonly id?: string;
  /** A worked solution, for examples. Default none. */
  readonly solution?: string;
  /** The function that code has to define. Default `entry_point`. */
  readonly entryPoint?: string;
  /** What an agent alone sees: texts by agent in an object, or by agent its column. Default `views`, where a row has it. */
  readonly views?: string | Readonly<Record<AgentId, string>>;
  /** What is measured apart. Default `group`, where a row has it. */
  readonly group?: string;
  /** What rewards and environments get besides: a column that holds an object, or columns. Default `metadata`, where a row has it. */
  readonly metadata?: string | readonly string[];
}

/** How the rows of files are read. */
export interface RowSettings {
  readonly grading: DataGrading | DataGrading["kind"];
  readonly columns?: DataColumns;
  /** `strict`, the default, stops at a row that cannot be read; `lenient` leaves it out and lists it. */
  readonly mode?: "strict" | "lenient";
  /** The first rows alone, of all files together: of Parquet files nothing but their columns is then read, nor fetched of the hub's. */
  readonly rows?: number;
}

/**
 * A file, or several: JSON lines, a JSON array, CSV or TSV with a header, Parquet; gzip and zip around them. A data set of the
 * Hugging Face hub is `hub:owner/name/files` or `hub:owner/name@revision/files`, with `*` and `?` in the names of files.
 */
export type DataSource = string | readonly string[];

/** Problems of one's own, to learn on and to measure with. */
export interface DataSettings extends RowSettings {
  readonly train: DataSource;
  /** Other files, or a share of `train`, more than 0 and less than 1, that a seed (default 0) splits off. */
  readonly heldOut: DataSource | { readonly share: number; readonly seed?: string | number };
}

const name = z.string().min(1);
const source = z.union([name, z.array(name).min(1)], {
  error: "expected a file, a list of files, or hub:owner/name/files",
});
const kinds = "numeric, letter, maths, code or text";
const toggle = z.boolean();
const gradingSchema: z.ZodType<DataGrading> = z.preprocess(
  (value) => (typeof value === "string" ? { kind: value } : value),
  z.discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.enum(["numeric", "code"]) }),
      z.strictObject({
        kind: z.literal("letter"),
        golds: z.enum(["letter", "index", "text"]).exactOptional(),
        letters: z
          .string()
          .refine(
            (text) => text.length > 1 && text === lettersOf(text.length),
            "expected the first letters, such as ABCD",
          )
          .exactOptional(),
      }),
      z.strictObject({ kind: z.literal("maths"), tolerance: z.number().min(0).exactOptional() }),
      z.strictObject({ kind: z.literal("text"), ignoreCase: toggle.exactOptional() }),
    ],
    { error: `expected ${kinds}, or an object with such a kind` },
  ),
);
const rowFields = {
  grading: gradingSchema,
  columns: z
    .strictObject({
      question: name.exactOptional(),
      gold: name.exactOptional(),
      choices: z
        .union([name, z.array(name).min(2)], { error: "expected a column, or one for each option" })
        .exactOptional(),
      id: name.exactOptional(),
      solution: name.exactOptional(),
      entryPoint: name.exactOptional(),
      views: z
        .union([name, z.record(name, name)], { error: "expected a column, or a column for each agent" })
        .exactOptional(),
      group: name.exactOptional(),
      metadata: z
        .union([name, z.array(name).min(1)], { error: "expected a column, or a list of columns" })
        .exactOptional(),
    })
    .exactOptional(),
  mode: z.enum(["strict", "lenient"]).exactOptional(),
  rows: z.int().min(1).exactOptional(),
};

/** Checks the settings of {@link RowSettings}. */
export const rowSettingsSchema: z.ZodType<RowSettings> = z.strictObject(rowFields);

/** Checks the settings of {@link DataSettings}, for configurations that hold them. */
export const dataSettingsSchema: z.ZodType<DataSettings> = z.strictObject({
  train: source,
  heldOut: z.union(
    [
      source,
      z.strictObject({
        share: z.number().gt(0).lt(1),
        seed: z.union([z.string(), z.number()]).exactOptional(),
      }),
    ],
    { error: "expected files, or { share, seed? } with a share between 0 and 1 that is split off train" },
  ),
  ...rowFields,
});

/** @throws LaconicError `config_invalid` naming the key */
export function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  const key = [place, ...path.map(String)].join(".");
  throw new LaconicError("config_invalid", `${key}: ${message}`, { key });
}

/** Letters of a question with the most options that are usual. */
const usualLetters = "ABCDE";

/** What a team is told and read by; for letters, those of the problems that are given. */
export function answerKindOf(
  grading: RowSettings["grading"],
  problems: readonly { readonly choices?: readonly string[] }[] = [],
): AnswerKind {
  const given: DataGrading = typeof grading === "string" ? { kind: grading } : grading;
  if (given.kind === "text") return { kind: "text", ...(given.ignoreCase && { ignoreCase: true }) };
  if (given.kind !== "letter") return { kind: given.kind };
  const most = problems.reduce((count, { choices = [] }) => Math.max(count, choices.length), 0);
  return { kind: "letter", letters: given.letters ?? (most === 0 ? usualLetters : lettersOf(most)) };
}

/** The columns of a file that its settings read: those that every row must have, and those that are read where there are any. */
export function columnsRead({ columns: { question = "question", gold = "gold", ...named } = {} }: RowSettings): {
  readonly required: readonly string[];
  readonly wanted: readonly string[];
} {
  const others = Object.values(named).flatMap((each) => (typeof each === "string" ? each : Object.values(each)));
  const usual = ["choices", "id", "views", "group", "metadata", "entry_point"];
  return { required: [question, gold, ...others], wanted: usual };
}

/** The first letters of the alphabet. */
export function lettersOf(count: number): string {
  return "ABCDEFGHIJKLMNOPQRSTUVWXYZ".slice(0, count);
}
