import { shownValue } from "@laconic/core";
import type { Grading } from "@laconic/grading";
import { decimalText } from "../data/decimal-text.ts";
import { lettersOf, type DataGrading } from "./data-settings.ts";

/** A row's gold as its grader takes it. */
export interface ReadGold {
  readonly gold: string;
  readonly grading: Grading;
  /** What stood before a gold in `#### number`. */
  readonly solution?: string;
}

/** What a gold is read with. */
export interface GoldRow {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly entryPoint?: string;
}

type Read = ReadGold | { readonly reason: string };

/** Reads a gold as the grading asks. @returns a reason for one that no answer could equal */
export function readGold(written: string, grading: DataGrading, row: GoldRow): Read {
  if (written.trim() === "") return { reason: "the gold is empty" };
  switch (grading.kind) {
    case "numeric":
      return numericGold(written);
    case "letter":
      return letterGold(written.trim(), grading, row);
    case "maths": {
      const { tolerance } = grading;
      return { gold: written.trim(), grading: { kind: "maths", ...(tolerance !== undefined && { tolerance }) } };
    }
    case "text":
      return written.includes("####")
        ? { reason: "the gold holds ####, behind which an answer is looked for" }
        : { gold: written.trim(), grading: { kind: "text", ...(grading.ignoreCase && { ignoreCase: true }) } };
    case "code":
      return codeGold(written, row);
  }
}

function numericGold(written: string): Read {
  const at = written.lastIndexOf("####");
  const [solution, number] = at < 0 ? [null, written] : [written.slice(0, at).trim(), written.slice(at + 4)];
  // Other commas than those between thousands are points in some countries.
  const grouped = /^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?![\d,])/u.test(number.trim());
  const gold = decimalText(grouped ? number.trim().replaceAll(",", "") : number.trim());
  if (gold !== null) return { gold, grading: { kind: "numeric" }, ...(solution && { solution }) };
  return {
    reason: `the gold ${shownValue(number.trim())} is no number; fractions, powers and expressions are graded as maths`,
  };
}

function letterGold(written: string, grading: Extract<DataGrading, { kind: "letter" }>, { choices }: GoldRow): Read {
  const letters = choices ? lettersOf(choices.length) : grading.letters;
  if (letters === undefined)
    return { reason: "there are no options; name their column as columns.choices, or say grading.letters" };
  const result = (index: number): Read =>
    index >= 0 && index < letters.length
      ? { gold: letters[index] as string, grading: { kind: "letter", letters } }
      : {
          reason: `the gold ${shownValue(written)} is none of the ${letters.length} options${hintOf(written, grading)}`,
        };
  switch (grading.golds ?? "letter") {
    case "letter":
      return result(written.length === 1 ? letters.indexOf(written.toUpperCase()) : -1);
    case "index":
      return result(/^\d+(?:\.0*)?$/u.test(written) ? Number(written) : -1);
    case "text": {
      const places = (choices ?? []).flatMap((choice, i) => (choice.trim() === written ? [i] : []));
      return places.length > 1 ? { reason: `several options are ${shownValue(written)}` } : result(places[0] ?? -1);
    }
  }
}

function hintOf(written: string, { golds = "letter" }: Extract<DataGrading, { kind: "letter" }>): string {
  if (golds !== "letter") return "";
  return /^\d+$/u.test(written)
    ? "; where golds count options from 0, grading.golds is index"
    : "; where golds are texts of options, grading.golds is text";
}

function codeGold(test: string, { question, entryPoint }: GoldRow): Read {
  if (entryPoint === undefined)
    return { reason: "there is no entry_point; columns.entryPoint names the column of the function to define" };
  if (!/^[A-Za-z_]\w*$/u.test(entryPoint)) return { reason: `${shownValue(entryPoint)} is not the name of a function` };
  // A question in words is no Python: code that replies to it stands alone.
  const begins = new RegExp(`^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${entryPoint}[ \\t]*\\(`, "mu").test(question);
  const callsItself = !/^def\s+check\s*\(/mu.test(test) || /^check\s*\(/mu.test(test);
  return {
    gold: test,
    grading: {
      kind: "code",
      prompt: begins ? question : "",
      test,
      entryPoint,
      ...(callsItself && { testCallsItself: true }),
    },
  };
}
